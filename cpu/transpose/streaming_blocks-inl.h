// The blocks that the streaming transposition writes past the caches, for each SIMD target.
#include <algorithm>
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

#include "common/named.hpp"

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

/// A block of A, copied together, as rows a power of two apart share few sets of a cache. For each column also what
/// put_columns() leaves to the next block.
template <class T>
struct Block {
  static constexpr Index rows = 64, cols = 4 * line<T>;
  static constexpr Index stride = cols + line<T>;  // an odd number of lines: rows spread over the sets
  alignas(64) T data[rows * stride];
  alignas(64) T rest[cols * lanes<T>()];
};

/// Where a block is in the columns of B, and which rows are around it.
struct Place {
  Index rows;   ///< of the block
  Index above;  ///< rows of A before the block
  bool below;   ///< whether more follow it
};

#if HWY_HAVE_SCALABLE || HWY_TARGET == HWY_SCALAR
template <class T>
void hold_columns(T*, Index, const T*, T*) {}

template <bool shifted, class T>
void put_columns(T* to, Index ldb, const T* from, T*, Index columns, Place place) {
  for (Index k = 0; k < columns; ++k)
    for (Index i = 0; i < place.rows; ++i)
      std::memcpy(to + k * ldb + i, from + i * Block<T>::stride + k, sizeof(T));
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

/// Turns the elements of a vector round, so that those of a column of B that begins `past` elements behind the
/// beginning of a vector stand where they belong, the last ones in front, for the next vector. In words of 32 bits,
/// as not every target turns elements of 64.
template <class T>
struct Turn {
  static constexpr hn::Repartition<std::uint32_t, Tag<T>> words{};
  static constexpr std::uint32_t count = lanes<T>() * sizeof(T) / 4;
  using Words = hn::Vec<decltype(words)>;
  decltype(hn::IndicesFromVec(words, hn::Zero(words))) index;
  hn::Mask<decltype(words)> in_front;

  HWY_INLINE void set(Index past) {
    const auto shift = static_cast<std::uint32_t>(past * Index(sizeof(T)) / 4);
    const auto from = hn::Sub(hn::Iota(words, 0), hn::Set(words, shift));
    index = hn::IndicesFromVec(words, hn::And(from, hn::Set(words, count - 1)));
    in_front = hn::FirstN(words, shift);
  }
  HWY_INLINE Words turned(Vector<T> v) const { return hn::TableLookupLanes(hn::BitCast(words, v), index); }
};

/// The elements of a vector that precede b in the vector that it is in.
template <class T>
HWY_INLINE Index past_vector(const T* b) {
  return static_cast<Index>(reinterpret_cast<std::uintptr_t>(b) / sizeof(T) % std::uintptr_t(lanes<T>()));
}

/// Sets `rest` for columns of B at `to` from the rows of A before it, of which `from` has as many as a vector.
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

/// Writes columns of the block at `from` to rows of B at `to`, whole vectors past the caches. What is left of a
/// vector goes to `rest` and is written with the next block, or here where no more rows follow. Rows of B that are not
/// `shifted` begin where a vector does.
template <bool shifted, class T>
HWY_INLINE void put_columns(T* to, Index ldb, const T* from, T* rest, Index columns, Place place) {
  constexpr Index n = lanes<T>(), side = HWY_NAMESPACE::side<T>;
  const Tag<T> d;
  Index past[side];
  T* out[side];
  Turn<T> turn[side];
  typename Turn<T>::Words before[side];
  for (Index k = 0; k < side; ++k) {
    past[k] = shifted ? past_vector(to + k * ldb) : 0;
    out[k] = to + k * ldb - past[k];
    if (!shifted) continue;
    turn[k].set(past[k]);
    before[k] = hn::BitCast(Turn<T>::words, hn::Load(d, rest + k * n));
  }
  // Elements [begin, end) of a vector, which other elements of B or none share.
  const auto put_part = [](T* vector, Vector<T> v, Index begin, Index end) HWY_ATTR {
    alignas(64) T whole[n];
    hn::Store(v, Tag<T>(), whole);
    if (begin < end) std::memcpy(vector + begin, whole + begin, (end - begin) * sizeof(T));
  };
  // Calls put_vector(k, v, turned): v is the vector of B at out[k] + i, and the front of `turned` is that of the next.
  const auto put = [&](Index i, auto put_vector) HWY_ATTR {
    Vector<T> v[side];
    load_columns(from + i * Block<T>::stride, v);
    for (Index k = 0; k < side; ++k)
      if constexpr (shifted) {
        const auto turned = turn[k].turned(v[k]);
        put_vector(k, hn::BitCast(d, hn::IfThenElse(turn[k].in_front, before[k], turned)), turned);
        before[k] = turned;
      } else {
        put_vector(k, v[k], hn::Zero(Turn<T>::words));
      }
  };
  const auto put_parts = [&](Index i) HWY_ATTR {
    put(i, [&](Index k, auto v, auto turned) HWY_ATTR {
      if (k >= columns) return;
      const Index rows = place.rows - i, end = past[k] + rows;
      if (end >= n || !place.below)
        put_part(out[k] + i, v, past[k] - std::min(past[k], place.above + i), std::min(end, n));
      if (rows < n && !place.below) put_part(out[k] + i + n, hn::BitCast(d, turned), 0, end - n);
    });
  };
  Index i = 0;
  if (shifted && place.above < n && place.rows > 0) put_parts(i), i += n;
  if (columns == side)
    for (; i + n <= place.rows; i += n)
      put(i, [&](Index k, auto v, auto) HWY_ATTR { hn::Stream(v, d, out[k] + i); });
  for (; i < place.rows; i += n) put_parts(i);
  if constexpr (shifted)
    for (Index k = 0; k < side; ++k) {
      hn::Store(hn::BitCast(d, before[k]), d, rest + k * n);
      if (place.rows % n == 0 && !place.below && k < columns)
        put_part(out[k] + place.rows, hn::BitCast(d, before[k]), 0, past[k]);
    }
}
#endif

/// Copies rows of A to a block.
template <class T>
HWY_INLINE void copy_rows(const std::byte* a, Index lda, Index rows, Index cols, T* to) {
  const Tag<T> d;
  for (Index i = 0; i < rows; ++i, a += lda * Index(sizeof(T)), to += Block<T>::stride)
    if (cols == Block<T>::cols)
      for (Index j = 0; j < Block<T>::cols; j += lanes<T>())
        hn::Store(hn::LoadU(d, reinterpret_cast<const T*>(a) + j), d, to + j);
    else
      std::memcpy(to, a, cols * sizeof(T));
}

/// Prefetches rows of a block of A into L2.
template <class T>
HWY_INLINE void fetch_rows(const std::byte* a, Index lda, Index rows) {
  constexpr Index bytes = Block<T>::cols * Index(sizeof(T));
  for (Index i = 0; i < rows; ++i, a += lda * Index(sizeof(T))) {
    for (Index at = 0; at < bytes; at += 64) __builtin_prefetch(a + at, 0, 2);
    __builtin_prefetch(a + bytes - 1, 0, 2);
  }
}

/// Transposes block by block down the rows of A. A block is copied first. Some of its columns at a time become rows
/// of B, and between them some rows of the next block are prefetched: all of them at once would occupy what loads
/// and stores wait in (TUNING.md). A call that is followed by another one below leaves its last vectors to that one,
/// which reads the rows above it again.
template <bool shifted, class T>
void transpose_rows(T* b, Index ldb, const std::byte* a, Index lda, Index rows, Index cols, Index above,
                    bool below) {
  constexpr Index size = sizeof(T), height = Block<T>::rows, width = Block<T>::cols;
  constexpr Index fetched = height / (width / side<T>);  // rows for each of a block's columns
  const Index again = shifted ? std::min(above, lanes<T>()) : 0;
  Block<T> block;
  for (Index left = 0; left < cols; left += width) {
    const Index c = std::min(width, cols - left);
    if (again > 0) {
      copy_rows(a + (left - again * lda) * size, lda, again, c,
                block.data + (lanes<T>() - again) * Block<T>::stride);
      for (Index j = 0; j < c; j += side<T>)
        hold_columns(b + (left + j) * ldb, ldb, block.data + j, block.rest + j * lanes<T>());
    }
    for (Index top = 0; top < rows; top += height) {
      const Place place{std::min(height, rows - top), above + top, top + height < rows || below};
      copy_rows(a + (top * lda + left) * size, lda, place.rows, c, block.data);
      const bool down = top + height < rows;
      const Index next_top = down ? top + height : 0, next_left = down ? left : left + width;
      for (Index j = 0, row = next_top; j < c; j += side<T>, row += fetched) {
        if (next_left < cols)
          fetch_rows<T>(a + (row * lda + next_left) * size, lda, std::min(fetched, rows - row));
        put_columns<shifted>(b + (left + j) * ldb + top, ldb, block.data + j, block.rest + j * lanes<T>(),
                             std::min(side<T>, c - j), place);
      }
    }
  }
  hwy::FlushStream();
}

}  // namespace tallcache::cpu::transpose::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // once for each target
