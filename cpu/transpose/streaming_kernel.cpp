#include "cpu/transpose/streaming_kernel.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/transpose/streaming_kernel.cpp"
#include <hwy/foreach_target.h>
// foreach_target must come before what includes highway.h
#include <hwy/highway.h>

#include "cpu/transpose/streaming_blocks-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tallcache::cpu::transpose::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_HAVE_SCALABLE || HWY_TARGET == HWY_SCALAR
template <class T>
HWY_INLINE void transpose_square(T* to, Index, const void* from, Index) {
  std::memcpy(to, from, sizeof(T));
}
#else
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
  Vector<T> v[side][blocks];
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
      const hn::Half<Tag<T> > half;
      const hn::Repartition<std::uint64_t, Tag<T> > eights;
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
      const hn::RepartitionToWide<Tag<T> > pairs;
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

/// Prefetches the lines of a square whose side is a line.
template <class T>
HWY_INLINE void fetch_square(const std::byte* square, Index ld) {
  for (Index k = 0; k < line<T>; ++k, square += ld * Index(sizeof(T))) __builtin_prefetch(square);
}

/// Writes the transpose of a to b by plain stores, in squares whose side is a line; the last ones of a row or
/// column begin earlier. Where a square's rows are whole lines of B, the squares follow each other along
/// diagonals of tiles: with a leading dimension that is a power of two, all lines along a row or a column
/// share few sets of a cache. Otherwise they go down the columns, where the same lines are written next.
/// Meanwhile the next square of A is prefetched into L1, and that of B where `fetch_b`: Intel's processors
/// store to such lines a quarter faster, AMD's a tenth slower. Nothing is prefetched where there are so few
/// squares that it takes longer than it can save (TUNING.md).
template <class T>
void transpose_plain(std::byte* b, Index ldb, const std::byte* a, Index lda, Index rows, Index cols,
                     bool fetch_b) {
  constexpr Index L = line<T>, size = sizeof(T), tile = 16, few = 4;
  if (rows < L || cols < L) return transpose_squares(reinterpret_cast<T*>(b), ldb, a, lda, rows, cols);
  const Index slope = past_line(b) == 0 && ldb * size % 64 == 0;
  const Index down = (rows + L - 1) / L, across = (cols + L - 1) / L;
  const bool fetch = down > few || across > few;
  for (Index top = 0; top < down; top += tile)
    for (Index left = 0; left < across; left += tile) {
      const Index height = std::min(tile, down - top), width = std::min(tile, across - left);
      for (Index diagonal = 0; diagonal < width; ++diagonal)
        for (Index s = 0, at = diagonal; s < height; ++s) {
          const Index i = std::min((top + s) * L, rows - L), j = std::min((left + at) * L, cols - L);
          at += slope;
          if (at == width) at = 0;
          const Index next_i = std::min(i + L, rows - L), next_j = std::min((left + at) * L, cols - L);
          if (fetch) fetch_square<T>(a + (next_i * lda + next_j) * size, lda);
          if (fetch && fetch_b) fetch_square<T>(b + (next_j * ldb + next_i) * size, ldb);
          transpose_line_square(reinterpret_cast<T*>(b) + j * ldb + i, ldb, a + (i * lda + j) * size, lda);
        }
    }
}

template <class T>
void TransposeBlock(void* b, Index ldb, const void* a, Index lda, Index rows, Index cols, Index above,
                    bool below, Reuse reuse, Walk walk) {
  const auto* from = static_cast<const std::byte*>(a);
  T* const to = static_cast<T*>(b);
  const bool plain = reuse == Reuse::expected || reinterpret_cast<std::uintptr_t>(b) % sizeof(T) > 0;
  if (plain)
    transpose_plain<T>(static_cast<std::byte*>(b), ldb, from, lda, rows, cols, !runs_on_amd());
  else if (past_line(static_cast<std::byte*>(b)) > 0 || ldb % line<T> > 0)
    transpose_rows<true>(to, ldb, from, lda, rows, cols, above, below, walk);
  else
    transpose_rows<false>(to, ldb, from, lda, rows, cols, above, below, walk);
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
                     bool below, Reuse reuse, Walk walk) {
  TransposeBlock<float>(b, ldb, a, lda, rows, cols, above, below, reuse, walk);
}
void TransposeBlock8(void* b, Index ldb, const void* a, Index lda, Index rows, Index cols, Index above,
                     bool below, Reuse reuse, Walk walk) {
  TransposeBlock<double>(b, ldb, a, lda, rows, cols, above, below, reuse, walk);
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

bool runs_on_amd() {
#if HWY_ARCH_X86
  static const bool amd = __builtin_cpu_is("amd");
  return amd;
#else
  return false;
#endif
}

namespace detail {
void transpose_block_4(void* b, Index ldb, const void* a, Index lda, Index rows, Index cols, Index above,
                       bool below, Reuse reuse, Walk walk) {
  HWY_DYNAMIC_DISPATCH(TransposeBlock4)(b, ldb, a, lda, rows, cols, above, below, reuse, walk);
}
void transpose_block_8(void* b, Index ldb, const void* a, Index lda, Index rows, Index cols, Index above,
                       bool below, Reuse reuse, Walk walk) {
  HWY_DYNAMIC_DISPATCH(TransposeBlock8)(b, ldb, a, lda, rows, cols, above, below, reuse, walk);
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
