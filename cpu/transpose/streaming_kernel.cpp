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
template <class T, class To, class From>
HWY_INLINE void transpose_square(T* to, Index, const T* from, Index, To to_access, From from_access) {
  std::memcpy(store_n(to_access, to, 1), load_n(from_access, from, 1), sizeof(T));
}
#else
/// Writes the transpose of the square at `from` to `to`. Its side is the lanes of a vector. Blocks of 16 or
/// 32 bytes are put in place while they are loaded. Every line is loaded only once: rows a power of two
/// apart would evict each other before a second load. Not inlined, as gcc would keep the addresses of all
/// rows in registers.
template <class T, class To, class From>
HWY_NOINLINE void transpose_square(T* to, Index stride, const T* from, Index ld, To to_access,
                                   From from_access) {
  const Tag<T> d;
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
      v[k][0] = hn::LoadU(d, load_n(from_access, row, side));
    } else if constexpr (blocks == 2) {
      for (Index q = 0; q < 2; ++q)
        v[k][q] =
            hn::ConcatUpperLower(d, hn::LoadDup128(d, load_n(from_access, row + side * ld + q * side, side)),
                                 hn::LoadDup128(d, load_n(from_access, row + q * side, side)));
    } else {
      // Half as many loads as with blocks of 16 bytes, and as many shuffles.
      const hn::Half<Tag<T>> half;
      const hn::Repartition<std::uint64_t, Tag<T>> eights;
      const auto two_rows = [&](const T* at) HWY_ATTR {
        return hn::BitCast(eights,
                           hn::Combine(d, hn::LoadU(half, load_n(from_access, at + side * ld, 2 * side)),
                                       hn::LoadU(half, load_n(from_access, at, 2 * side))));
      };
      for (Index q = 0; q < 4; q += 2) {
        const auto upper = two_rows(row + q * side), lower = two_rows(row + 2 * side * ld + q * side);
        v[k][q] = hn::BitCast(d, hn::ConcatEven(eights, lower, upper));
        v[k][q + 1] = hn::BitCast(d, hn::ConcatOdd(eights, lower, upper));
      }
    }
  }
  const auto put = [&](auto column, T* row) HWY_ATTR {
    hn::StoreU(hn::BitCast(d, column), d, store_n(to_access, row, lanes<T>()));
  };
  for (Index q = 0; q < blocks; ++q) {
    T *first = to + row_of(q) * stride, *second = first + apart * stride;
    if constexpr (side == 2) {
      put(hn::InterleaveLower(d, v[0][q], v[1][q]), first);
      put(hn::InterleaveUpper(d, v[0][q], v[1][q]), second);
    } else {
      const hn::RepartitionToWide<Tag<T>> pairs;
      const auto low01 = hn::BitCast(pairs, hn::InterleaveLower(d, v[0][q], v[1][q]));
      const auto low23 = hn::BitCast(pairs, hn::InterleaveLower(d, v[2][q], v[3][q]));
      const auto high01 = hn::BitCast(pairs, hn::InterleaveUpper(d, v[0][q], v[1][q]));
      const auto high23 = hn::BitCast(pairs, hn::InterleaveUpper(d, v[2][q], v[3][q]));
      put(hn::InterleaveLower(pairs, low01, low23), first);
      put(hn::InterleaveUpper(pairs, low01, low23), first + stride);
      put(hn::InterleaveLower(pairs, high01, high23), second);
      put(hn::InterleaveUpper(pairs, high01, high23), second + stride);
    }
  }
}
#endif

/// Writes the transpose of the square at `from` to `to`. Its side is a line.
template <class T, class Access>
HWY_INLINE void transpose_line_square(T* to, Index stride, const T* from, Index ld, Access access) {
  constexpr Index n = lanes<T>();
  for (Index i = 0; i < line<T>; i += n)
    for (Index j = 0; j < line<T>; j += n)
      transpose_square(to + j * stride + i, stride, from + i * ld + j, ld, access, access);
}

/// Writes the transpose of the rows x cols block at `from` to `to`. The last squares of a row or column begin
/// earlier and write some elements again, which is faster than copying the rest.
template <class T, class To, class From>
HWY_INLINE void transpose_squares(T* to, Index stride, const T* from, Index ld, Index rows, Index cols,
                                  To to_access, From from_access) {
  constexpr Index n = lanes<T>(), size = sizeof(T);
  for (Index i = 0; i < rows; i += n)
    for (Index j = 0; j < cols; j += n) {
      if (rows >= n && cols >= n) {
        const Index x = std::min(i, rows - n), y = std::min(j, cols - n);
        transpose_square(to + y * stride + x, stride, from + x * ld + y, ld, to_access, from_access);
      } else {
        const T* square = from + i * ld + j;
        T* transposed = to + j * stride + i;
        const Index r = std::min(n, rows - i), c = std::min(n, cols - j);
        alignas(64) T padded[n * n] = {}, whole[n * n];
        for (Index k = 0; k < r; ++k)
          std::memcpy(padded + k * n, load_n(from_access, square + k * ld, c), c * size);
        transpose_square<T>(whole, n, padded, n, Plain{}, Plain{});
        for (Index k = 0; k < c; ++k)
          std::memcpy(store_n(to_access, transposed + k * stride, r), whole + k * n, r * size);
      }
    }
}

/// Prefetches the lines of a square whose side is a line.
template <class T>
HWY_INLINE void fetch_square(const T* square, Index ld) {
  for (Index k = 0; k < line<T>; ++k, square += ld) __builtin_prefetch(square);
}

/// Writes the transpose of a to b by plain stores, in squares whose side is a line; the last ones of a row or
/// column begin earlier. Where a square's rows are whole lines of B, the squares follow each other along
/// diagonals of tiles: with a leading dimension that is a power of two, all lines along a row or a column
/// share few sets of a cache. Otherwise they go down the columns, where the same lines are written next.
/// Meanwhile the next square of A is prefetched into L1, and that of B where `fetch_b`: Intel's processors
/// store to such lines a quarter faster, AMD's a tenth slower. Nothing is prefetched where there are so few
/// squares that it takes longer than it can save (TUNING.md).
template <class T, class Access>
void transpose_plain(T* b, Index ldb, const T* a, Index lda, Index rows, Index cols, bool fetch_b,
                     Access access) {
  constexpr Index L = line<T>, size = sizeof(T), tile = 16, few = 4;
  if (rows < L || cols < L) return transpose_squares(b, ldb, a, lda, rows, cols, access, access);
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
          if (fetch) fetch_square(a + next_i * lda + next_j, lda);
          if (fetch && fetch_b) fetch_square(b + next_j * ldb + next_i, ldb);
          transpose_line_square(b + j * ldb + i, ldb, a + i * lda + j, lda, access);
        }
    }
}

template <class T, class Access>
void transpose_block(void* b, Index ldb, const void* a, Index lda, Index rows, Index cols, Index above,
                     bool below, Reuse reuse, Walk walk, Access access) {
  const T* const from = static_cast<const T*>(a);
  T* const to = static_cast<T*>(b);
  const bool plain = reuse == Reuse::expected || reinterpret_cast<std::uintptr_t>(b) % sizeof(T) > 0;
  if (plain)
    transpose_plain(to, ldb, from, lda, rows, cols, !runs_on_amd(), access);
  else if (past_line(to) > 0 || ldb % line<T> > 0)
    transpose_rows<true>(to, ldb, from, lda, rows, cols, above, below, walk, access);
  else
    transpose_rows<false>(to, ldb, from, lda, rows, cols, above, below, walk, access);
}

template <class T, class Access>
void swap_tiles(void* x, Index ldx, void* y, Index ldy, Index rows, Index cols, Access access) {
  constexpr Index stride = swapped_tile<T> + line<T>;
  alignas(64) T of_x[swapped_tile<T> * stride];
  T *const to_x = static_cast<T*>(x), *const to_y = static_cast<T*>(y);
  transpose_squares<T>(of_x, stride, to_x, ldx, rows, cols, Plain{}, access);
  if (x != y) transpose_squares<T>(to_x, ldx, to_y, ldy, cols, rows, access, access);
  for (Index i = 0; i < cols; ++i)
    std::memcpy(store_n(access, to_y + i * ldy, rows), of_x + i * stride, rows * sizeof(T));
}

template <class T, class Access>
constexpr detail::LeafText<Access> text{&transpose_block<T, Access>, &swap_tiles<T, Access>};
template <class T>
constexpr CompiledTexts<detail::LeafText> texts{text<T, Plain>, text<T, Traced<AnySink>>};

// Of floats and doubles: bits that are moved.
const CompiledTexts<detail::LeafText>* Leaves(Index element_bytes) {
  return element_bytes == 4 ? &texts<float> : &texts<double>;
}

}  // namespace tallcache::cpu::transpose::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tallcache::cpu::transpose {
HWY_EXPORT(Leaves);

bool runs_on_amd() {
#if HWY_ARCH_X86
  static const bool amd = __builtin_cpu_is("amd");
  return amd;
#else
  return false;
#endif
}

const CompiledTexts<detail::LeafText>& detail::leaves(Index element_bytes) {
  return *HWY_DYNAMIC_DISPATCH(Leaves)(element_bytes);
}

}  // namespace tallcache::cpu::transpose
#endif
