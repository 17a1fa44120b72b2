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

HWY_BEFORE_NAMESPACE();
namespace tallcache::cpu::transpose::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
inline constexpr Index line = 64 / sizeof(T);
// A strip of `width` columns of A becomes as many rows of B, `height` elements at a time: two lines a row of
// B, and both buffers take 24 KB. Tried besides, at 8048 x 8048 floats: twice the height, 48 ms in place of
// 41; twice the width, 54 in place of 44.
template <class T>
inline constexpr Index width = 4 * line<T>;
template <class T>
inline constexpr Index height = 2 * line<T>;

/// The transpose of a block of A: row j is part of row j of B's strip. Before each row is room for a line,
/// what the block before left over when B's lines begin within blocks. Rows are an odd number of lines apart,
/// so that they spread over the sets of a cache.
template <class T, Index elements>
struct Buffer {
  static constexpr Index stride = elements + line<T>;
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

/// 16 bytes of each of as many rows as a vector has blocks of 16 bytes, `apart` elements from one to the
/// next.
template <class T>
HWY_INLINE hn::Vec<Tag<T>> blocks_of_rows(const T* from, Index apart) {
  const Tag<T> d;
  constexpr Index blocks = hn::MaxLanes(d) * sizeof(T) / 16;
  static_assert(blocks == 1 || blocks == 2 || blocks == 4);
  if constexpr (blocks == 1)
    return hn::LoadU(d, from);
  else if constexpr (blocks == 2)
    return hn::ConcatUpperLower(d, hn::LoadDup128(d, from + apart), hn::LoadDup128(d, from));
  else
    return hn::ConcatUpperLower(
        d, hn::OddEvenBlocks(hn::LoadDup128(d, from + 3 * apart), hn::LoadDup128(d, from + 2 * apart)),
        hn::OddEvenBlocks(hn::LoadDup128(d, from + apart), hn::LoadDup128(d, from)));
}

/// `to` becomes the transpose of the square at `from`, a vector's lanes a side. Blocks of 16 bytes find their
/// place while they are loaded; the shuffles stay within them. Every line is loaded at once: rows a power of
/// two apart would evict each other if it were come back to. Not inlined, for gcc keeps the addresses of all
/// rows.
template <class T>
HWY_NOINLINE void transpose_square(T* to, Index stride, const void* source, Index ld) {
  const Tag<T> d;
  const T* from = static_cast<const T*>(source);
  constexpr Index side = 16 / sizeof(T), blocks = hn::MaxLanes(d) / side;
  hn::Vec<Tag<T>> v[blocks][side];
  for (Index k = 0; k < side; ++k)
    for (Index q = 0; q < blocks; ++q) v[q][k] = blocks_of_rows<T>(from + k * ld + q * side, side * ld);
  for (Index q = 0; q < blocks; ++q) {
    T* row = to + q * side * stride;
    if constexpr (side == 2) {
      hn::StoreU(hn::InterleaveLower(d, v[q][0], v[q][1]), d, row);
      hn::StoreU(hn::InterleaveUpper(d, v[q][0], v[q][1]), d, row + stride);
    } else {
      const hn::RepartitionToWide<Tag<T>> pairs;
      const auto low01 = hn::BitCast(pairs, hn::InterleaveLower(d, v[q][0], v[q][1]));
      const auto low23 = hn::BitCast(pairs, hn::InterleaveLower(d, v[q][2], v[q][3]));
      const auto high01 = hn::BitCast(pairs, hn::InterleaveUpper(d, v[q][0], v[q][1]));
      const auto high23 = hn::BitCast(pairs, hn::InterleaveUpper(d, v[q][2], v[q][3]));
      hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, low01, low23)), d, row);
      hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, low01, low23)), d, row + stride);
      hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, high01, high23)), d, row + 2 * stride);
      hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, high01, high23)), d, row + 3 * stride);
    }
  }
}
#endif

template <class T>
constexpr Index lanes() {
  return static_cast<Index>(hn::MaxLanes(Tag<T>()));
}

/// `to` becomes the transpose of the rows x cols block at `from`; after each square of it, between().
template <class T, class Between>
HWY_INLINE void transpose_squares(T* to, Index stride, const std::byte* from, Index ld, Index rows,
                                  Index cols, Between between) {
  constexpr Index n = lanes<T>(), size = sizeof(T);
  for (Index i = 0; i < rows; i += n)
    for (Index j = 0; j < cols; j += n) {
      const std::byte* square = from + (i * ld + j) * size;
      T* turned = to + j * stride + i;
      const Index r = std::min(n, rows - i), c = std::min(n, cols - j);
      if (r == n && c == n) {
        transpose_square<T>(turned, stride, square, ld);
      } else {
        alignas(64) T padded[n * n] = {}, whole[n * n];
        for (Index k = 0; k < r; ++k) std::memcpy(padded + k * n, square + k * ld * size, c * size);
        transpose_square<T>(whole, n, padded, n);
        for (Index k = 0; k < c; ++k) std::memcpy(turned + k * stride, whole + k * n, r * size);
      }
      between();
    }
}

/// The rows of B of a block whose transpose waits in a buffer to be written.
template <class T>
struct Waiting {
  std::byte* to = nullptr;           ///< the next row
  T* from = nullptr;                 ///< the same in the buffer
  T* left = nullptr;                 ///< where what it leaves over goes, in front of the strip's next block
  Index rows = 0;                    ///< still to be written
  Index elements = 0;                ///< of each
  bool first = false, last = false;  ///< of the strip
  std::uintptr_t fetch = 0;          ///< the lines of A needed next, brought near as rows are written
  std::uintptr_t step = 0;
};

template <class T>
HWY_INLINE void put_lines(std::byte* to, const std::byte* from, Index lines) {
  const Tag<T> d;
  constexpr Index vector = lanes<T>() * Index(sizeof(T));
  for (Index k = 0; k < lines * 64; k += vector) {
    const auto v = hn::LoadU(d, reinterpret_cast<const T*>(from + k));
    hn::Stream(v, d, reinterpret_cast<T*>(to + k));
  }
}

/// Writes the next `count` rows in whole lines, and prefetches as many lines of A, row by row, into L2.
/// Floats, 8048 x 8048: 39 ms, into L1 53, without prefetching 42; 8192 x 8192: 41, 40 and 61. That
/// prefetches into L1 and lines on their way out compete for the same fill buffers would explain it; no
/// counter here can tell.
template <class T>
HWY_NOINLINE void put_rows(Waiting<T>& waiting, Index count, Index ldb, Index lda) {
  constexpr Index H = height<T>, L = line<T>, size = sizeof(T);
  const Tag<T> d;
  Waiting<T> w = waiting;
  for (Index j = 0; j < count; ++j) {
    for (Index k = 0; k < H / L; ++k)
      __builtin_prefetch(reinterpret_cast<const void*>(w.fetch + k * 64), 0, 2);
    w.fetch += w.step;
    w.step = lda * size - w.step;
    const Index past = static_cast<Index>(reinterpret_cast<std::uintptr_t>(w.to) % 64);
    const std::byte* from = reinterpret_cast<const std::byte*>(w.from) - past;
    if (!w.first && !w.last) {
      put_lines<T>(w.to - past, from, H / L);
    } else {
      Index begin = 0;
      const Index end = past + w.elements * size, whole = w.last ? end / 64 : H / L;
      if (w.first && past) {
        std::memcpy(w.to, w.from, std::min(64 - past, w.elements * size));
        begin = 1;
      }
      if (whole > begin) put_lines<T>(w.to - past + begin * 64, from + begin * 64, whole - begin);
      begin = std::max(begin, whole) * 64;
      if (w.last && begin < end) std::memcpy(w.to - past + begin, from + begin, end - begin);
    }
    if (past)
      for (Index k = 0; k < L; k += lanes<T>()) hn::Store(hn::Load(d, w.from + H - L + k), d, w.left + k);
    w.to += ldb * size;
    w.from += Buffer<T, H>::stride;
    w.left += Buffer<T, H>::stride;
  }
  w.rows -= count;
  waiting = w;
}

/// Strip by strip, block by block: while a block is transposed into one buffer, the one before is written
/// from the other.
template <class T>
void transpose_strips(std::byte* b, Index ldb, const std::byte* a, Index lda, Index rows, Index cols) {
  constexpr Index size = sizeof(T), L = line<T>, H = height<T>, W = width<T>, N = lanes<T>();
  constexpr Index squares = (H / N) * (W / N);
  Buffer<T, H> buffers[2];
  Waiting<T> waiting;
  int current = 0;
  for (Index j = 0; j < cols; j += W)
    for (Index i = 0; i < rows; i += H, current = 1 - current) {
      const Index r = std::min(H, rows - i), c = std::min(W, cols - j);
      const bool last = i + H >= rows;
      const std::byte* from = a + (i * lda + j) * size;
      const std::byte* next = !last ? from + H * lda * size : j + W < cols ? a + (j + W) * size : from;
      waiting.fetch = reinterpret_cast<std::uintptr_t>(next) + 63;
      waiting.step = H * size;  // a block's row of A is four lines: two now, two with the next row
      Index square = 0;
      const Index all = waiting.rows;
      transpose_squares(buffers[current].row(0), Buffer<T, H>::stride, from, lda, r, c, [&]() HWY_ATTR {
        const Index due = std::min(++square * W / squares, all) - (all - waiting.rows);
        if (due > 0) put_rows<T>(waiting, due, ldb, lda);
      });
      put_rows<T>(waiting, waiting.rows, ldb, lda);
      waiting = {b + (j * ldb + i) * size,
                 buffers[current].row(0),
                 buffers[1 - current].row(0) - L,
                 c,
                 r,
                 i == 0,
                 last};
    }
  put_rows<T>(waiting, waiting.rows, ldb, lda);
  hwy::FlushStream();
}

template <class T>
void TransposeBlock(void* b, Index ldb, const void* a, Index lda, Index rows, Index cols, Reuse reuse) {
  const auto* from = static_cast<const std::byte*>(a);
  if (reuse == Reuse::none)
    return transpose_strips<T>(static_cast<std::byte*>(b), ldb, from, lda, rows, cols);
  for (Index j = 0; j < cols; j += width<T>)
    transpose_squares(static_cast<T*>(b) + j * ldb, ldb, from + j * Index(sizeof(T)), lda, rows,
                      std::min(width<T>, cols - j), [] {});
}

template <class T>
void SwapTiles(void* x, void* y, Index ld, Index rows, Index cols) {
  using Tile = Buffer<T, width<T>>;
  Tile of_x;
  transpose_squares(of_x.row(0), Tile::stride, static_cast<const std::byte*>(x), ld, rows, cols, [] {});
  if (x != y)
    transpose_squares(static_cast<T*>(x), ld, static_cast<const std::byte*>(y), ld, cols, rows, [] {});
  for (Index i = 0; i < cols; ++i) std::memcpy(static_cast<T*>(y) + i * ld, of_x.row(i), rows * sizeof(T));
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
