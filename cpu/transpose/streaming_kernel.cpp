#include "cpu/transpose/streaming_kernel.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "common/ceil_div.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/transpose/streaming_kernel.cpp"
#include <hwy/foreach_target.h>
// foreach_target must come before highway.h
#include <hwy/cache_control.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tallcache::cpu::transpose::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
inline constexpr Index line = 64 / sizeof(T);
// A block of up to height x width elements of A becomes lines of each of `width` rows of B. A block is as wide
// as a line: two buffers of eight such lines fit into L1 (TUNING.md).
template <class T>
inline constexpr Index width = line<T>;
template <class T>
inline constexpr Index height = 8 * line<T>;
// Blocks follow each other along the rows of A, up to a page of each: memory is read fastest in few, long
// runs, while runs of writes may be short.
template <class T>
inline constexpr Index span = 4096 / sizeof(T);

/// The transpose of a block of A: row j is part of row j of B's strip. There is room for a line before each
/// row, as B's lines may begin within blocks. Rows are an odd number of lines apart, so that they spread over
/// the sets of a cache.
template <class T>
struct Buffer {
  static constexpr Index stride = height<T> + line<T>;
  alignas(64) T data[width<T> * stride];
  T* row(Index j) { return data + j * stride + line<T>; }
};

#if HWY_HAVE_SCALABLE || HWY_TARGET == HWY_SCALAR
template <class T>
using Tag = hn::CappedTag<T, 1>;

template <class T>
HWY_INLINE void transpose_square(T* to, Index, const void* from, Index) {
  std::memcpy(to, from, sizeof(T));
}
#else
template <class T>
using Tag = hn::CappedTag<T, line<T>>;

/// Writes the transpose of the square at `from` to `to`. Its side is the lanes of a vector. Blocks of 16 or
/// 32 bytes are put in place while they are loaded. Every line is loaded only once: rows a power of two
/// apart would evict each other before a second load. Not inlined, as gcc would keep the addresses of all
/// rows in registers.
template <class T>
HWY_NOINLINE void transpose_square(T* to, Index stride, const void* source, Index ld) {
  const Tag<T> d;
  const T* from = static_cast<const T*>(source);
  constexpr Index side = 16 / sizeof(T), blocks = hn::MaxLanes(d) / side;
  static_assert(blocks == 1 || blocks == 2 || blocks == 4);
  // v[k][q]: 16 bytes of each of `blocks` rows. The v[k][q] of one q become the rows of `to` that follow
  // row_of(q), the second half of them `apart` rows behind the first.
  hn::Vec<Tag<T>> v[side][blocks];
  const auto row_of = [](Index q) { return blocks == 4 ? q / 2 * 2 * side + q % 2 * (side / 2) : q * side; };
  constexpr Index apart = blocks == 4 ? side : side / 2;
  for (Index k = 0; k < side; ++k) {
    const T* row = from + k * ld;
    if constexpr (blocks == 1) {
      v[k][0] = hn::LoadU(d, row);
    } else if constexpr (blocks == 2) {
      for (Index q = 0; q < 2; ++q)
        v[k][q] = hn::ConcatUpperLower(d, hn::LoadDup128(d, row + side * ld + q * side),
                                       hn::LoadDup128(d, row + q * side));
    } else {
      // Half as many loads as with blocks of 16 bytes, and as many shuffles.
      const hn::Half<Tag<T>> half;
      const hn::Repartition<std::uint64_t, Tag<T>> eights;
      const auto two_rows = [&](const T* at) HWY_ATTR {
        return hn::BitCast(eights, hn::Combine(d, hn::LoadU(half, at + side * ld), hn::LoadU(half, at)));
      };
      for (Index q = 0; q < 4; q += 2) {
        const auto upper = two_rows(row + q * side), lower = two_rows(row + 2 * side * ld + q * side);
        v[k][q] = hn::BitCast(d, hn::ConcatEven(eights, lower, upper));
        v[k][q + 1] = hn::BitCast(d, hn::ConcatOdd(eights, lower, upper));
      }
    }
  }
  for (Index q = 0; q < blocks; ++q) {
    T *first = to + row_of(q) * stride, *second = first + apart * stride;
    if constexpr (side == 2) {
      hn::StoreU(hn::InterleaveLower(d, v[0][q], v[1][q]), d, first);
      hn::StoreU(hn::InterleaveUpper(d, v[0][q], v[1][q]), d, second);
    } else {
      const hn::RepartitionToWide<Tag<T>> pairs;
      const auto low01 = hn::BitCast(pairs, hn::InterleaveLower(d, v[0][q], v[1][q]));
      const auto low23 = hn::BitCast(pairs, hn::InterleaveLower(d, v[2][q], v[3][q]));
      const auto high01 = hn::BitCast(pairs, hn::InterleaveUpper(d, v[0][q], v[1][q]));
      const auto high23 = hn::BitCast(pairs, hn::InterleaveUpper(d, v[2][q], v[3][q]));
      hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, low01, low23)), d, first);
      hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, low01, low23)), d, first + stride);
      hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, high01, high23)), d, second);
      hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, high01, high23)), d, second + stride);
    }
  }
}
#endif

template <class T>
constexpr Index lanes() {
  return static_cast<Index>(hn::MaxLanes(Tag<T>()));
}

/// Writes the transpose of the square at `from` to `to`. Its side is a line.
template <class T>
HWY_INLINE void transpose_line_square(T* to, Index stride, const std::byte* from, Index ld) {
  constexpr Index n = lanes<T>(), size = sizeof(T);
  for (Index i = 0; i < line<T>; i += n)
    for (Index j = 0; j < line<T>; j += n)
      transpose_square<T>(to + j * stride + i, stride, from + (i * ld + j) * size, ld);
}

/// Writes the transpose of the rows x cols block at `from` to `to`. The last squares of a row or column begin
/// earlier and write some elements again, which is faster than copying the rest.
template <class T>
HWY_INLINE void transpose_squares(T* to, Index stride, const std::byte* from, Index ld, Index rows,
                                  Index cols) {
  constexpr Index n = lanes<T>(), size = sizeof(T);
  for (Index i = 0; i < rows; i += n)
    for (Index j = 0; j < cols; j += n) {
      if (rows >= n && cols >= n) {
        const Index x = std::min(i, rows - n), y = std::min(j, cols - n);
        transpose_square<T>(to + y * stride + x, stride, from + (x * ld + y) * size, ld);
      } else {
        const std::byte* square = from + (i * ld + j) * size;
        T* transposed = to + j * stride + i;
        const Index r = std::min(n, rows - i), c = std::min(n, cols - j);
        alignas(64) T padded[n * n] = {}, whole[n * n];
        for (Index k = 0; k < r; ++k) std::memcpy(padded + k * n, square + k * ld * size, c * size);
        transpose_square<T>(whole, n, padded, n);
        for (Index k = 0; k < c; ++k) std::memcpy(transposed + k * stride, whole + k * n, r * size);
      }
    }
}

/// The offset of `p` in its line, in bytes.
inline Index past_line(const std::byte* p) {
  return static_cast<Index>(reinterpret_cast<std::uintptr_t>(p) % 64);
}

/// Prefetches the lines of a square whose side is a line.
template <class T>
HWY_INLINE void fetch_square(const std::byte* square, Index ld) {
  for (Index k = 0; k < line<T>; ++k, square += ld * Index(sizeof(T))) __builtin_prefetch(square);
}

/// Writes the transpose of a to b by plain stores, in squares whose side is a line; the last ones of a row or
/// column begin earlier. Where a square's rows are whole lines of B, the squares follow each other along
/// diagonals of tiles: with a leading dimension that is a power of two, all lines along a row or a column
/// share few sets of a cache. Otherwise they go down the columns, where the same lines are written next.
/// Meanwhile the next square of A is prefetched into L1, and that of B where `fetch_b`.
template <class T>
void transpose_plain(std::byte* b, Index ldb, const std::byte* a, Index lda, Index rows, Index cols,
                     bool fetch_b) {
  constexpr Index L = line<T>, size = sizeof(T), tile = 16;
  if (rows < L || cols < L) return transpose_squares(reinterpret_cast<T*>(b), ldb, a, lda, rows, cols);
  const Index slope = past_line(b) == 0 && ldb * size % 64 == 0;
  const Index down = (rows + L - 1) / L, across = (cols + L - 1) / L;
  for (Index top = 0; top < down; top += tile)
    for (Index left = 0; left < across; left += tile) {
      const Index height = std::min(tile, down - top), width = std::min(tile, across - left);
      for (Index diagonal = 0; diagonal < width; ++diagonal)
        for (Index s = 0, at = diagonal; s < height; ++s) {
          const Index i = std::min((top + s) * L, rows - L), j = std::min((left + at) * L, cols - L);
          at += slope;
          if (at == width) at = 0;
          const Index next_i = std::min(i + L, rows - L), next_j = std::min((left + at) * L, cols - L);
          fetch_square<T>(a + (next_i * lda + next_j) * size, lda);
          if (fetch_b) fetch_square<T>(b + (next_j * ldb + next_i) * size, ldb);
          transpose_line_square(reinterpret_cast<T*>(b) + j * ldb + i, ldb, a + (i * lda + j) * size, lda);
        }
    }
}

/// A part of a strip of B in a buffer, not yet written.
template <class T>
struct Waiting {
  std::byte* to = nullptr;
  const T* from = nullptr;       ///< its first row; each is preceded by the part of its line before it
  Index rows = 0, elements = 0;  ///< elements of a row
  Index above = 0;               ///< elements of a row of B before it
  bool below = false;            ///< whether more follow it
};

template <class T>
HWY_INLINE void put_lines(std::byte* to, const std::byte* from, Index lines) {
  const Tag<T> d;
  constexpr Index vector = lanes<T>() * Index(sizeof(T));
  for (Index k = 0; k < lines * 64; k += vector) {
    const hn::Vec<Tag<T>> v = hn::LoadU(d, reinterpret_cast<const T*>(from + k));
    hn::Stream(v, d, reinterpret_cast<T*>(to + k));
  }
}

/// Writes row j of the buffered part: the lines that end in it, and at the end of a row of B also a
/// partial line.
template <class T>
HWY_INLINE void put_row(const Waiting<T>& w, Index j, Index ldb) {
  constexpr Index size = sizeof(T);
  std::byte* row = w.to + j * ldb * size;
  const Index past = past_line(row), end = past + w.elements * size;
  std::byte* to = row - past;
  const std::byte* from = reinterpret_cast<const std::byte*>(w.from + j * Buffer<T>::stride) - past;
  if (w.elements % line<T> == 0 && (past == 0 || (w.above * size >= past && w.below)))
    return put_lines<T>(to, from, w.elements / line<T>);
  Index begin = past - std::min(past, w.above * size);
  if (begin && (end >= 64 || !w.below)) {
    std::memcpy(to + begin, from + begin, std::min(Index{64}, end) - begin);
    begin = 64;
  }
  const Index whole = end / 64 * 64;
  if (whole > begin) put_lines<T>(to + begin, from + begin, (whole - begin) / 64);
  begin = std::max(begin, whole);
  if (!w.below && begin < end) std::memcpy(to + begin, from + begin, end - begin);
}

/// Prefetches a square whose side is a line into L2, of rows `stride` bytes apart.
HWY_INLINE void fetch_rows(std::uintptr_t from, Index stride, Index rows) {
  for (Index k = 0; k < rows; ++k, from += stride) __builtin_prefetch(reinterpret_cast<void*>(from), 0, 2);
}

/// Transposes block by block along the rows of A. While a block is transposed into one buffer, the one before
/// is written from the other, and the lines of the next are prefetched into L2; where lines of A begin within
/// blocks, those of the next but one, as its first lines are in the next. Where lines of B begin within
/// blocks, the line of rows before a block is transposed again with it, which is faster than storing and
/// loading it; such blocks are twice as high. A call that is followed by another one below leaves its last
/// lines to that one. cols <= span.
template <class T>
void transpose_rows(std::byte* b, Index ldb, const std::byte* a, Index lda, Index rows, Index cols,
                    Index rows_above, bool rows_below) {
  constexpr Index size = sizeof(T), L = line<T>, stride = Buffer<T>::stride;
  const auto aligned = [](const std::byte* x, Index ld) { return past_line(x) == 0 && ld * size % 64 == 0; };
  const bool whole_lines = aligned(b, ldb);
  const Index block = whole_lines ? height<T> / 2 : height<T>, ahead = (aligned(a, lda) ? 1 : 2) * 64;
  Buffer<T> buffers[2];
  Waiting<T> waiting;
  int current = 0;
  for (Index i = 0; i < rows; i += block) {
    const Index again = whole_lines ? 0 : std::min(rows_above + i, L);
    const Index r = std::min(block, rows - i), tall = again + r, squares = ceil_div(tall, L);
    for (Index j = 0; j < cols; j += width<T>, current = 1 - current) {
      const Index c = std::min(width<T>, cols - j), put_rows = ceil_div(waiting.rows, squares);
      const std::byte* from = a + ((i - again) * lda + j) * size;
      T* const buffer = buffers[current].row(0);
      Index put = 0;
      for (Index x = 0; x < tall; x += L) {
        const Index rest = std::min(L, tall - x);
        fetch_rows(reinterpret_cast<std::uintptr_t>(from + x * lda * size) + ahead, lda * size, rest);
        if (tall >= L && c == L) {
          const Index row = std::min(x, tall - L);
          transpose_line_square(buffer - again + row, stride, from + row * lda * size, lda);
        } else {
          transpose_squares(buffer - again + x, stride, from + x * lda * size, lda, rest, c);
        }
        for (const Index due = std::min(put + put_rows, waiting.rows); put < due; ++put)
          put_row(waiting, put, ldb);
      }
      waiting = {b + (j * ldb + i) * size, buffer, c, r, rows_above + i, i + block < rows || rows_below};
    }
  }
  for (Index j = 0; j < waiting.rows; ++j) put_row(waiting, j, ldb);
  hwy::FlushStream();
}

/// Whether stores are faster to lines that were prefetched: a quarter on Intel's processors; AMD's lose a tenth
/// (TUNING.md).
inline bool gains_by_fetched_stores() {
#if HWY_ARCH_X86
  static const bool gains = !__builtin_cpu_is("amd");
  return gains;
#else
  return true;
#endif
}

template <class T>
void TransposeBlock(void* b, Index ldb, const void* a, Index lda, Index rows, Index cols, Index above,
                    bool below, Reuse reuse) {
  const auto* from = static_cast<const std::byte*>(a);
  if (reuse == Reuse::none)
    for (Index j = 0; j < cols; j += span<T>)
      transpose_rows<T>(static_cast<std::byte*>(b) + j * ldb * Index(sizeof(T)), ldb,
                        from + j * Index(sizeof(T)), lda, rows, std::min(span<T>, cols - j), above, below);
  else
    transpose_plain<T>(static_cast<std::byte*>(b), ldb, from, lda, rows, cols, gains_by_fetched_stores());
}

template <class T>
void SwapTiles(void* x, Index ldx, void* y, Index ldy, Index rows, Index cols) {
  constexpr Index stride = swapped_tile<T> + line<T>;
  alignas(64) T of_x[swapped_tile<T> * stride];
  transpose_squares(of_x, stride, static_cast<const std::byte*>(x), ldx, rows, cols);
  if (x != y) transpose_squares(static_cast<T*>(x), ldx, static_cast<const std::byte*>(y), ldy, cols, rows);
  for (Index i = 0; i < cols; ++i)
    std::memcpy(static_cast<T*>(y) + i * ldy, of_x + i * stride, rows * sizeof(T));
}

void TransposeBlock4(void* b, Index ldb, const void* a, Index lda, Index rows, Index cols, Index above,
                     bool below, Reuse reuse) {
  TransposeBlock<float>(b, ldb, a, lda, rows, cols, above, below, reuse);
}
void TransposeBlock8(void* b, Index ldb, const void* a, Index lda, Index rows, Index cols, Index above,
                     bool below, Reuse reuse) {
  TransposeBlock<double>(b, ldb, a, lda, rows, cols, above, below, reuse);
}
void SwapTiles4(void* x, Index ldx, void* y, Index ldy, Index rows, Index cols) {
  SwapTiles<float>(x, ldx, y, ldy, rows, cols);
}
void SwapTiles8(void* x, Index ldx, void* y, Index ldy, Index rows, Index cols) {
  SwapTiles<double>(x, ldx, y, ldy, rows, cols);
}

}  // namespace tallcache::cpu::transpose::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tallcache::cpu::transpose {
HWY_EXPORT(TransposeBlock4);
HWY_EXPORT(TransposeBlock8);
HWY_EXPORT(SwapTiles4);
HWY_EXPORT(SwapTiles8);

namespace detail {
void transpose_block_4(void* b, Index ldb, const void* a, Index lda, Index rows, Index cols, Index above,
                       bool below, Reuse reuse) {
  HWY_DYNAMIC_DISPATCH(TransposeBlock4)(b, ldb, a, lda, rows, cols, above, below, reuse);
}
void transpose_block_8(void* b, Index ldb, const void* a, Index lda, Index rows, Index cols, Index above,
                       bool below, Reuse reuse) {
  HWY_DYNAMIC_DISPATCH(TransposeBlock8)(b, ldb, a, lda, rows, cols, above, below, reuse);
}
void swap_tiles_4(void* x, Index ldx, void* y, Index ldy, Index rows, Index cols) {
  HWY_DYNAMIC_DISPATCH(SwapTiles4)(x, ldx, y, ldy, rows, cols);
}
void swap_tiles_8(void* x, Index ldx, void* y, Index ldy, Index rows, Index cols) {
  HWY_DYNAMIC_DISPATCH(SwapTiles8)(x, ldx, y, ldy, rows, cols);
}
}  // namespace detail
}  // namespace tallcache::cpu::transpose
#endif
