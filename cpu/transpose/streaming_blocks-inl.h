// The blocks that the streaming transposition writes past the caches, for each SIMD target.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

// Once for each target.
#if defined(TALLCACHE_STREAMING_BLOCKS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TALLCACHE_STREAMING_BLOCKS_INL_H
#undef TALLCACHE_STREAMING_BLOCKS_INL_H
#else
#define TALLCACHE_STREAMING_BLOCKS_INL_H
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "common/ceil_div.hpp"
#include "cpu/transpose/streaming_kernel.hpp"

HWY_BEFORE_NAMESPACE();
namespace tallcache::cpu::transpose::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
inline constexpr Index line = 64 / sizeof(T);

template <class T>
using Tag = hn::CappedTag<T, HWY_HAVE_SCALABLE || HWY_TARGET == HWY_SCALAR ? 1 : line<T>>;
template <class T>
using Vector = hn::Vec<Tag<T>>;

template <class T>
constexpr Index lanes() {
  return static_cast<Index>(hn::MaxLanes(Tag<T>()));
}

/// A block of A, copied together, as rows a power of two apart share few sets of a cache.
template <class T>
struct Block {
  static constexpr Index rows = 64, cols = 4 * line<T>;
  static constexpr Index stride = cols + line<T>;  // an odd number of lines: rows spread over the sets
  alignas(64) T data[rows * stride];
};

/// The widest strip of columns whose rows of B do not begin where a line does.
template <class T>
inline constexpr Index most_shifted_columns = 16 * Block<T>::cols;

/// The offset of `p` in its line, in bytes.
inline Index past_line(const void* p) { return static_cast<Index>(reinterpret_cast<std::uintptr_t>(p) % 64); }

/// Where a block is in the columns of B, and which rows are around it.
struct Place {
  Index rows;   ///< of the block
  Index above;  ///< rows of A before the block
  bool below;   ///< whether more follow it
};

#if HWY_HAVE_SCALABLE || HWY_TARGET == HWY_SCALAR
template <class T>
void hold_columns(T*, Index, const T*, T*) {}

template <bool shifted, class T, class Access>
void put_columns(T* to, Index ldb, const T* from, T*, Index columns, Place place, Access access) {
  for (Index k = 0; k < columns; ++k)
    for (Index i = 0; i < place.rows; ++i)
      std::memcpy(store_n(access, to + k * ldb + i, 1), from + i * Block<T>::stride + k, sizeof(T));
}
template <class T>
inline constexpr Index side = 1;
#else
/// The columns that are transposed at once: as many as elements in 16 bytes.
template <class T>
inline constexpr Index side = 16 / sizeof(T);

/// v[k] becomes column k of as many rows as a vector has lanes.
template <class T>
HWY_INLINE void load_columns(const T* from, Vector<T> (&v)[side<T>]) {
  const Tag<T> d;
  constexpr Index n = side<T>, blocks = lanes<T>() / n, ld = Block<T>::stride;
  for (Index k = 0; k < n; ++k) {
    const T* row = from + k * ld;
    v[k] = hn::LoadDup128(d, row + (blocks - 1) * n * ld);
    for (Index q = blocks - 2; q >= 0; --q)
      v[k] = hn::IfThenElse(hn::FirstN(d, static_cast<std::size_t>((q + 1) * n)),
                            hn::LoadDup128(d, row + q * n * ld), v[k]);
  }
  const auto low = hn::InterleaveLower(d, v[0], v[1]), high = hn::InterleaveUpper(d, v[0], v[1]);
  if constexpr (n == 2) {
    v[0] = low, v[1] = high;
  } else {
    const hn::RepartitionToWide<Tag<T>> pairs;
    const auto low01 = hn::BitCast(pairs, low), high01 = hn::BitCast(pairs, high);
    const auto low23 = hn::BitCast(pairs, hn::InterleaveLower(d, v[2], v[3]));
    const auto high23 = hn::BitCast(pairs, hn::InterleaveUpper(d, v[2], v[3]));
    v[0] = hn::BitCast(d, hn::InterleaveLower(pairs, low01, low23));
    v[1] = hn::BitCast(d, hn::InterleaveUpper(pairs, low01, low23));
    v[2] = hn::BitCast(d, hn::InterleaveLower(pairs, high01, high23));
    v[3] = hn::BitCast(d, hn::InterleaveUpper(pairs, high01, high23));
  }
}

/// Turns the elements of a vector round, so that those of a column of B that begins `past` elements behind
/// the beginning of a vector stand where they belong, the last ones in front, for the next vector. In words
/// of 32 bits, as not every target turns elements of 64.
template <class T>
struct Turn {
  static constexpr hn::Repartition<std::uint32_t, Tag<T>> words{};
  static constexpr std::uint32_t count = lanes<T>() * sizeof(T) / 4;
  using Words = hn::Vec<decltype(words)>;
  decltype(hn::IndicesFromVec(words, hn::Zero(words))) index;
  hn::Mask<decltype(words)> in_front;

  HWY_INLINE void set(Index past) {
    alignas(64) static constexpr auto twice = [] {
      std::array<std::uint32_t, 2 * count> lanes{};
      for (std::uint32_t i = 0; i < 2 * count; ++i) lanes[i] = i % count;
      return lanes;
    }();
    const auto shift = static_cast<std::uint32_t>(past * Index(sizeof(T)) / 4);
    index = hn::IndicesFromVec(words, hn::LoadU(words, twice.data() + (count - shift)));
    in_front = hn::FirstN(words, shift);
  }
  HWY_INLINE Words turned(Vector<T> v) const { return hn::TableLookupLanes(hn::BitCast(words, v), index); }
};

/// The elements of a vector that precede b in the vector that it is in.
template <class T>
HWY_INLINE Index past_vector(const T* b) {
  return static_cast<Index>(reinterpret_cast<std::uintptr_t>(b) / sizeof(T) % std::uintptr_t(lanes<T>()));
}

/// Sets `rest` for columns of B at `to` from the rows of A before it, of which `from` has as many as a
/// vector.
template <class T>
HWY_INLINE void hold_columns(T* to, Index ldb, const T* from, T* rest) {
  Vector<T> v[side<T>];
  load_columns(from, v);
  for (Index k = 0; k < side<T>; ++k) {
    Turn<T> turn;
    turn.set(past_vector(to + k * ldb));
    hn::Store(hn::BitCast(Tag<T>(), turn.turned(v[k])), Tag<T>(), rest + k * lanes<T>());
  }
}

/// Columns of B: where their first vectors begin, and how the elements stand in them.
template <class T>
struct Columns {
  T* out[side<T>];
  Index past[side<T>];
  Turn<T> turn[side<T>];

  template <bool shifted>
  HWY_INLINE void set(T* to, Index ldb) {
    for (Index k = 0; k < side<T>; ++k) {
      past[k] = shifted ? past_vector(to + k * ldb) : 0;
      out[k] = to + k * ldb - past[k];
      if (shifted) turn[k].set(past[k]);
    }
  }
};

/// Calls put(k, i, v) for rows i from `begin` to `end`, as many as a vector has lanes at a time: v is the
/// vector of B at out[k] + i. `rest` holds what the vector before left, and then what this one leaves.
template <bool shifted, class T>
HWY_INLINE void for_vectors(const Columns<T>& columns, const T* from, T* rest, Index begin, Index end,
                            auto put) {
  constexpr Index n = lanes<T>(), side = HWY_NAMESPACE::side<T>;
  const Tag<T> d;
  typename Turn<T>::Words before[side];
  for (Index k = 0; shifted && k < side; ++k)
    before[k] = hn::BitCast(Turn<T>::words, hn::Load(d, rest + k * n));
  for (Index i = begin; i < end; i += n) {
    Vector<T> v[side];
    load_columns(from + i * Block<T>::stride, v);
    for (Index k = 0; k < side; ++k)
      if constexpr (shifted) {
        const auto turned = columns.turn[k].turned(v[k]);
        put(k, i, hn::BitCast(d, hn::IfThenElse(columns.turn[k].in_front, before[k], turned)));
        before[k] = turned;
      } else {
        put(k, i, v[k]);
      }
  }
  for (Index k = 0; shifted && k < side; ++k) hn::Store(hn::BitCast(d, before[k]), d, rest + k * n);
}

/// Writes columns of the block at `from` to rows of B at `to`, whole vectors past the caches. What is left of
/// a vector goes to `rest` and is written with the next block, or here where no more rows follow. Rows of B
/// that are not `shifted` begin where a vector does.
template <bool shifted, class T, class Access>
HWY_INLINE void put_columns(T* to, Index ldb, const T* from, T* rest, Index columns, Place place,
                            Access access) {
  constexpr Index n = lanes<T>();
  const Tag<T> d;
  Columns<T> b;
  b.template set<shifted>(to, ldb);
  // Elements [begin, end) of a vector, which other elements of B or none share.
  const auto put_part = [=](T* vector, Vector<T> v, Index begin, Index end) HWY_ATTR {
    alignas(64) T whole[n];
    hn::Store(v, Tag<T>(), whole);
    if (begin < end)
      std::memcpy(store_n(access, vector + begin, end - begin), whole + begin, (end - begin) * sizeof(T));
  };
  const auto put_parts = [&](Index row) HWY_ATTR {
    for_vectors<shifted>(b, from, rest, row, row + 1, [&](Index k, Index i, auto v) HWY_ATTR {
      const Index past = b.past[k], end = past + place.rows - i;
      if (k < columns && (end >= n || !place.below))
        put_part(b.out[k] + i, v, past - std::min(past, place.above + i), std::min(end, n));
    });
  };
  Index i = 0;
  if (shifted && place.above < n && place.rows > 0) put_parts(i), i += n;
  const Index whole = std::max(i, place.rows / n * n);
  if (columns == side<T>)
    for_vectors<shifted>(b, from, rest, i, whole, [&](Index k, Index i, auto v) HWY_ATTR {
      hn::Stream(v, d, store_n(access, b.out[k] + i, n));
    });
  else
    for_vectors<shifted>(b, from, rest, i, whole, [&](Index k, Index i, auto v) HWY_ATTR {
      if (k < columns) hn::Stream(v, d, store_n(access, b.out[k] + i, n));
    });
  i = whole;
  if (i < place.rows) put_parts(i), i += n;
  if (shifted && !place.below)
    for (Index k = 0; k < columns; ++k)
      put_part(b.out[k] + i, hn::Load(d, rest + k * n), 0, b.past[k] + place.rows - i);
}
#endif

/// Copies rows of A to a block.
template <class T, class Access>
HWY_INLINE void copy_rows(const T* row, Index lda, Index rows, Index cols, T* to, Access access) {
  const Tag<T> d;
  constexpr Index n = lanes<T>();
  const auto load = [=](const T* at) HWY_ATTR { return hn::LoadU(d, load_n(access, at, n)); };
  for (Index i = 0; i < rows; ++i, row += lda, to += Block<T>::stride) {
    if (cols == Block<T>::cols)
      for (Index j = 0; j < Block<T>::cols; j += n) hn::Store(load(row + j), d, to + j);
    else if (cols >= n) {
      for (Index j = 0; j + n < cols; j += n) hn::Store(load(row + j), d, to + j);
      hn::StoreU(load(row + cols - n), d, to + cols - n);
    } else
      std::memcpy(to, load_n(access, row, cols), cols * sizeof(T));
  }
}

/// Prefetches the lines of rows of a block of A into L2.
template <class T>
HWY_INLINE void fetch_rows(const T* row, Index lda, Index rows) {
  constexpr Index bytes = Block<T>::cols * Index(sizeof(T));
  for (Index i = 0; i < rows; ++i, row += lda)
    for (Index at = -past_line(row); at < bytes; at += 64)
      __builtin_prefetch(reinterpret_cast<const std::byte*>(row) + at, 0, 2);
}

/// Transposes `cols` columns of A, block by block. A block is copied first. Some of its columns at a time
/// become rows of B, and between them some rows of the next block are prefetched: all of them at once would
/// occupy what loads and stores wait in (TUNING.md). The block that follows the last one is that of the first
/// row at `following`.
template <bool shifted, class T, class Access>
void transpose_strip(T* b, Index ldb, const T* a, Index lda, Index rows, Index cols, Index above, bool below,
                     Index height, const T* following, Access access) {
  constexpr Index width = Block<T>::cols, n = lanes<T>();
  const Index again = shifted ? std::min(above, n) : 0;
  const Index fetched = ceil_div(height * side<T>, width);  // rows for each of a block's columns
  Block<T> block;
  alignas(64) T rest[shifted ? most_shifted_columns<T> * n : n * side<T>];
  for (Index left = 0; again > 0 && left < cols; left += width) {
    const Index c = std::min(width, cols - left);
    copy_rows(a + left - again * lda, lda, again, c, block.data + (n - again) * Block<T>::stride, access);
    for (Index j = 0; j < c; j += side<T>)
      hold_columns(b + (left + j) * ldb, ldb, block.data + j, rest + (left + j) * n);
  }
  for (Index top = 0; top < rows; top += height)
    for (Index left = 0; left < cols; left += width) {
      const bool across = left + width < cols, down = !across && top + height < rows;
      const Place place{std::min(height, rows - top), above + top, top + height < rows || below};
      const Index c = std::min(width, cols - left), next_top = across ? top : down ? top + height : 0;
      const T* next = across ? a + left + width : down ? a : following;
      copy_rows(a + top * lda + left, lda, place.rows, c, block.data, access);
      for (Index j = 0, row = next_top; j < c; j += side<T>, row += fetched) {
        if (next) fetch_rows(next + row * lda, lda, std::min(fetched, rows - row));
        put_columns<shifted>(b + (left + j) * ldb + top, ldb, block.data + j,
                             rest + (shifted ? (left + j) * n : 0), std::min(side<T>, c - j), place, access);
      }
    }
}

/// Transposes strips of columns of A: a block wide where blocks follow one another down its rows, else wide.
/// A call that is followed by another one below leaves its last vectors to that one, which reads the rows
/// above it again.
template <bool shifted, class T, class Access>
void transpose_rows(T* b, Index ldb, const T* a, Index lda, Index rows, Index cols, Index above, bool below,
                    Walk walk, Access access) {
  const Index widest = shifted ? most_shifted_columns<T> : cols;
  const Index strip = walk == Walk::across ? widest : Block<T>::cols, height = walk == Walk::across ? 32 : 64;
  for (Index left = 0; left < cols; left += strip) {
    const T* const at = a + left;
    transpose_strip<shifted>(b + left * ldb, ldb, at, lda, rows, std::min(strip, cols - left), above, below,
                             height, left + strip < cols ? at + strip : nullptr, access);
  }
  hwy::FlushStream();
}

}  // namespace tallcache::cpu::transpose::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // once for each target
