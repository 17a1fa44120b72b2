#include "cpu/transpose/streaming_kernel.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/transpose/streaming_kernel.cpp"
#include <hwy/foreach_target.h>
// foreach_target must come before highway.h
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#ifndef STRIP
#define STRIP 64
#define AHEAD 32
#define HINT 2
#define PFG 0
#define PFF 1
#endif

HWY_BEFORE_NAMESPACE();
namespace tallcache::cpu::transpose::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
inline constexpr Index line = 64 / sizeof(T);

// A strip of `strip` columns of the input, four lines, becomes as many rows of the output.
template <class T>
inline constexpr Index strip = STRIP * 4 / sizeof(T);
template <class T>
inline constexpr Index ahead = AHEAD * 4 / sizeof(T);

// The transpose of a `strip` x `strip` block, row j at (j * stride). Before each row is room for a line: what
// the block before left over, as the output's lines begin anywhere. An odd number of lines a row keeps rows
// apart in the sets of a cache.
template <class T>
struct Buffer {
  static constexpr Index stride = ahead<T> + line<T>;
  alignas(64) T data[strip<T> * stride];
  T* row(Index j) { return data + j * stride + line<T>; }
};

#if HWY_HAVE_SCALABLE || HWY_TARGET == HWY_SCALAR
template <class T>
using Tag = hn::CappedTag<T, 1>;
template <class T>
constexpr Index step() {
  return 1;
}
template <class T>
HWY_INLINE void transpose_square(T* to, Index, const void* from, Index, std::uintptr_t, Index) {
  std::memcpy(to, from, sizeof(T));
}
#else
template <class T>
using Tag = hn::CappedTag<T, line<T> >;

/// Rows and columns of the squares transposed in registers.
template <class T>
constexpr Index step() {
  return static_cast<Index>(hn::MaxLanes(Tag<T>()));
}

template <class T>
HWY_INLINE const T* element(const void* data, Index offset) {
  return reinterpret_cast<const T*>(static_cast<const std::byte*>(data) + offset * Index(sizeof(T)));
}

template <class T>
HWY_INLINE hn::Vec<Tag<T> > rows_apart(const T* from, Index ld) {
  const Tag<T> d;
  constexpr Index rows = 16 / sizeof(T);
  if constexpr (step<T>() == rows)
    return hn::LoadU(d, from);
  else if constexpr (step<T>() == 2 * rows)
    return hn::ConcatUpperLower(d, hn::LoadDup128(d, from + rows * ld), hn::LoadDup128(d, from));
  else
    return hn::ConcatUpperLower(
        d,
        hn::OddEvenBlocks(hn::LoadDup128(d, from + 3 * rows * ld), hn::LoadDup128(d, from + 2 * rows * ld)),
        hn::OddEvenBlocks(hn::LoadDup128(d, from + rows * ld), hn::LoadDup128(d, from)));
}

template <class T>
HWY_NOINLINE void transpose_square(T* to, Index stride, const void* source, Index ld, std::uintptr_t fetch,
                                   Index fetch_ld) {
  const T* from = static_cast<const T*>(source);
  const Tag<T> d;
  constexpr Index side = 16 / sizeof(T), blocks = step<T>() / side, fetched = step<T>() * step<T>() / line<T>;
  hn::Vec<Tag<T> > v[blocks][side];
  for (Index k = 0; k < side; ++k)
    for (Index q = 0; q < blocks; ++q) {
      v[q][k] = rows_apart<T>(from + k * ld + q * side, ld);
      const Index f = k * blocks + q;
      if (PFG && f < fetched)
        __builtin_prefetch(reinterpret_cast<const void*>(fetch + f / 4 * fetch_ld * sizeof(T) + f % 4 * 64),
                           0, HINT);
    }
  for (Index q = 0; q < blocks; ++q) {
    T* row = to + q * side * stride;
    if constexpr (side == 2) {
      hn::StoreU(hn::InterleaveLower(d, v[q][0], v[q][1]), d, row);
      hn::StoreU(hn::InterleaveUpper(d, v[q][0], v[q][1]), d, row + stride);
    } else {
      const hn::RepartitionToWide<Tag<T> > wide;
      const auto w = [&](auto x) HWY_ATTR { return hn::BitCast(wide, x); };
      const auto low01 = w(hn::InterleaveLower(d, v[q][0], v[q][1]));
      const auto low23 = w(hn::InterleaveLower(d, v[q][2], v[q][3]));
      const auto high01 = w(hn::InterleaveUpper(d, v[q][0], v[q][1]));
      const auto high23 = w(hn::InterleaveUpper(d, v[q][2], v[q][3]));
      hn::StoreU(hn::BitCast(d, hn::InterleaveLower(wide, low01, low23)), d, row);
      hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(wide, low01, low23)), d, row + stride);
      hn::StoreU(hn::BitCast(d, hn::InterleaveLower(wide, high01, high23)), d, row + 2 * stride);
      hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(wide, high01, high23)), d, row + 3 * stride);
    }
  }
}
#endif

/// The transpose of rows x cols elements at `from` into the buffer.
template <class T>
HWY_INLINE void gather(Buffer<T>& buffer, const std::byte* from, Index ld, Index rows, Index cols,
                       const std::byte* next) {
  constexpr Index n = step<T>();
  constexpr Index size = sizeof(T);
  Index t = 0;
  const std::uintptr_t fetch = reinterpret_cast<std::uintptr_t>(next) + 63;
  for (Index i = 0; i < rows; i += n) {
    for (Index j = 0; j < cols; j += n, t += n * n / line<T>) {
      const std::byte* block = from + (i * ld + j) * size;
      const std::uintptr_t f = fetch + t / 4 * ld * size + t % 4 * 64;
      const Index r = std::min(n, rows - i), c = std::min(n, cols - j);
      if (r == n && c == n) {
        transpose_square<T>(buffer.row(j) + i, Buffer<T>::stride, block, ld, f, ld);
      } else {
        alignas(64) T padded[n * n] = {};
        for (Index k = 0; k < r; ++k) std::memcpy(padded + k * n, block + k * ld * size, c * size);
        transpose_square<T>(buffer.row(j) + i, Buffer<T>::stride, padded, n, f, ld);
      }
    }
  }
}

template <class T>
void TransposeBlock(void* b, Index ldb, const void* a, Index lda, Index rows, Index cols, Reuse reuse) {
  constexpr Index size = sizeof(T), width = strip<T>, height = ahead<T>, L = line<T>, N = step<T>();
  Buffer<T> buffer;
  const Tag<T> d;
  const auto put = [&](const T* x, T* y) HWY_ATTR {
    const auto v = hn::LoadU(d, x);
    reuse == Reuse::none ? hn::Stream(v, d, y) : hn::Store(v, d, y);
  };
  for (Index j0 = 0; j0 < cols; j0 += width) {
    const Index c = std::min(width, cols - j0);
    std::byte* to = static_cast<std::byte*>(b) + j0 * ldb * size;
    const std::byte* from = static_cast<const std::byte*>(a) + j0 * size;
    for (Index i = 0; i < rows; i += height) {
      const Index r = std::min(height, rows - i);
      const bool first = i == 0, last = i + r == rows;
      const std::byte* next = !last               ? from + (i + height) * lda * size
                              : j0 + width < cols ? from + width * size
                                                  : from;
      gather(buffer, from + i * lda * size, lda, r, c, next);
      const std::uintptr_t fetch = reinterpret_cast<std::uintptr_t>(next) + 63;
      std::byte* out = to + i * size;
      T* row = buffer.row(0);
      for (Index j = 0; j < c; ++j, out += ldb * size, row += Buffer<T>::stride) {
        const Index past = Index(reinterpret_cast<std::uintptr_t>(out) / size % L);
        T* to_line = reinterpret_cast<T*>(out) - past;
        if (PFF)
          for (Index k = 0; k < height / L; ++k) {
            const Index x = j * (height / L) + k;
            __builtin_prefetch(reinterpret_cast<const void*>(fetch + x / 4 * lda * size + x % 4 * 64), 0,
                               HINT);
          }
        const T* from_line = row - past;
        if (!first && !last) {
          for (Index k = 0; k < height; k += N) put(from_line + k, to_line + k);
        } else {
          Index k = 0;
          const Index end = last ? r + past : height;
          if (first && past) {
            std::memcpy(out, row, std::min(L - past, r) * size);
            k = L;
          }
          for (; k + L <= end; k += L)
            for (Index x = k; x < k + L; x += N) put(from_line + x, to_line + x);
          if (k < end) std::memcpy(to_line + k, from_line + k, (end - k) * size);
        }
        if (past)
          for (Index k = 0; k < L; k += N) hn::Store(hn::Load(d, row + height - L + k), d, row - L + k);
      }
    }
  }
  if (reuse == Reuse::none) hwy::FlushStream();
}

template <class T>
void SwapTiles(void* x, void* y, Index ld, Index rows, Index cols) {
  constexpr Index size = sizeof(T);
  const auto put = [&](void* to, Buffer<T>& buffer, Index r, Index c) HWY_ATTR {
    for (Index i = 0; i < r; ++i)
      std::memcpy(static_cast<std::byte*>(to) + i * ld * size, buffer.row(i), c * size);
  };
  Buffer<T> of_x;
  gather(of_x, static_cast<const std::byte*>(x), ld, rows, cols, static_cast<const std::byte*>(x));
  if (x != y) {
    Buffer<T> of_y;
    gather(of_y, static_cast<const std::byte*>(y), ld, cols, rows, static_cast<const std::byte*>(y));
    put(x, of_y, rows, cols);
  }
  put(y, of_x, cols, rows);
}

void TransposeBlock4(void* b, Index ldb, const void* a, Index lda, Index rows, Index cols, Reuse reuse) {
  TransposeBlock<float>(b, ldb, a, lda, rows, cols, reuse);
}
void TransposeBlock8(void* b, Index ldb, const void* a, Index lda, Index rows, Index cols, Reuse reuse) {
  TransposeBlock<double>(b, ldb, a, lda, rows, cols, reuse);
}
void SwapTiles4(void* x, void* y, Index ld, Index rows, Index cols) {
  SwapTiles<float>(x, y, ld, rows, cols);
}
void SwapTiles8(void* x, void* y, Index ld, Index rows, Index cols) {
  SwapTiles<double>(x, y, ld, rows, cols);
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
void transpose_block_4(void* b, Index ldb, const void* a, Index lda, Index rows, Index cols, Reuse reuse) {
  HWY_DYNAMIC_DISPATCH(TransposeBlock4)(b, ldb, a, lda, rows, cols, reuse);
}
void transpose_block_8(void* b, Index ldb, const void* a, Index lda, Index rows, Index cols, Reuse reuse) {
  HWY_DYNAMIC_DISPATCH(TransposeBlock8)(b, ldb, a, lda, rows, cols, reuse);
}
void swap_tiles_4(void* x, void* y, Index ld, Index rows, Index cols) {
  HWY_DYNAMIC_DISPATCH(SwapTiles4)(x, y, ld, rows, cols);
}
void swap_tiles_8(void* x, void* y, Index ld, Index rows, Index cols) {
  HWY_DYNAMIC_DISPATCH(SwapTiles8)(x, y, ld, rows, cols);
}
}  // namespace detail
}  // namespace tallcache::cpu::transpose
#endif
