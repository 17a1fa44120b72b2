#include "cpu/matmul/register_kernel.hpp"

#include <algorithm>
#include <type_traits>

#include "cpu/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/matmul/register_kernel.cpp"
#include <hwy/foreach_target.h>
// foreach_target must come before highway.h
#include <hwy/cache_control.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tallcache::cpu::matmul::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// A tile is mr x nv vectors. 24 accumulators in 32 registers hide the latency (4) of two units three times; a
// step of the inner dimension is 24 multiply-adds on 11 loads. With 16 registers it is 12 on 8.
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_NEON
inline constexpr int mr = 8, nv = 3;
#else
inline constexpr int mr = 6, nv = 2;
#endif

template <class T>
using Tag = hn::ScalableTag<T>;

template <class T>
HWY_INLINE Index lanes() {
  return static_cast<Index>(hn::Lanes(Tag<T>()));
}

HWY_INLINE void prefetch_second_level(const void* line) { __builtin_prefetch(line, 0, 2); }

/// One step of the inner dimension.
template <int vectors, bool masked, class D, class V, class M, class A, class Access>
HWY_INLINE void step(D d, V (&sum)[mr][vectors], A a, const hn::TFromD<D>* HWY_RESTRICT b, M mask,
                     Access access) {
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  V row[vectors];
#pragma GCC unroll 8
  for (int v = 0; v < vectors; ++v)
    row[v] = masked && v == vectors - 1
                 ? hn::MaskedLoad(mask, d,
                                  load_n(access, b + v * lanes, static_cast<Index>(hn::CountTrue(d, mask))))
                 : hn::LoadU(d, load_n(access, b + v * lanes, lanes));
#pragma GCC unroll 8
  for (int r = 0; r < mr; ++r) {
    const hn::TFromD<D> element = access.at(a(r));
    const V factor = hn::Set(d, element);
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v) sum[r][v] = hn::MulAdd(factor, row[v], sum[r][v]);
  }
}

/// sum += A B with the panel of A packed. Prefetches C and the next panels of A and B.
template <int vectors, bool partial, class T, class V, class M, class Access>
HWY_INLINE void accumulate_packed(const Block<T>& x, V (&sum)[mr][vectors], const T* HWY_RESTRICT a,
                                  const T* HWY_RESTRICT b, const T* HWY_RESTRICT c, Index rows, M mask,
                                  const T* ahead0, const T* ahead1, Access access) {
  const Tag<T> d;
  constexpr Index line = 64 / sizeof(T);
  const Index lanes = static_cast<Index>(hn::Lanes(d)), b_stride = x.b.col_stride;
  // C's rows are prefetched one by one: all at once would occupy every line fill buffer while memory
  // answers. They go to the second-level cache, as the data of a k block would evict them from the first one.
  const T* c_row = c;
  const T* const c_last = c + (rows - 1) * x.ldc;
  Index l = 0;
  for (; l + 4 <= x.k; l += 4) {
    if (c_row <= c_last) {
      for (int v = 0; v < vectors; ++v) prefetch_second_level(c_row + v * lanes);
      c_row += x.ldc;
    }
    prefetch_second_level(ahead0);
    prefetch_second_level(ahead1);
    prefetch_second_level(ahead0 + line);
    prefetch_second_level(ahead1 + line);
    ahead0 += 2 * line;
    ahead1 += 2 * line;
#pragma GCC unroll 4
    for (int u = 0; u < 4; ++u) {
      hwy::Prefetch(a + 16 * mr);
      step<vectors, partial>(
          d, sum, [a](int r) { return a + r; }, b, mask, access);
      a += mr;
      b += b_stride;
    }
  }
  for (; l < x.k; ++l, a += mr, b += b_stride)
    step<vectors, partial>(
        d, sum, [a](int r) { return a + r; }, b, mask, access);
}

/// sum += A B with the rows of A where the caller has them.
template <int vectors, bool partial, class T, class V, class M, class Access>
HWY_INLINE void accumulate_rows(const Block<T>& x, V (&sum)[mr][vectors], const T* HWY_RESTRICT a,
                                const T* HWY_RESTRICT b, const T* HWY_RESTRICT c, Index rows, M mask,
                                Access access) {
  const Tag<T> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d)), b_stride = x.b.col_stride;
  // Rows outside of the matrix repeat its last one: their sums are not stored.
  const T* row[mr];
#pragma GCC unroll 8
  for (int r = 0; r < mr; ++r) row[r] = a + std::min<Index>(r, rows - 1) * x.a.row_stride;
  const Index a_col_stride = x.a.col_stride;
  // C is tall where B is packed, and not in a cache yet.
  if (x.b_packed)
    for (Index r = 0; r < rows; ++r)
      for (int v = 0; v < vectors; ++v) hwy::Prefetch(c + r * x.ldc + v * lanes);
#pragma GCC unroll 4
  for (Index l = 0, at = 0; l < x.k; ++l, at += a_col_stride, b += b_stride)
    step<vectors, partial>(
        d, sum, [&row, at](int r) { return row[r] + at; }, b, mask, access);
}

/// C = alpha sum + beta C for `rows` rows. With `partial` the last vector is masked.
template <int vectors, bool partial, class T, class V, class M, class Access>
HWY_INLINE void store_tile(const Block<T>& x, const V (&sum)[mr][vectors], T* HWY_RESTRICT c, Index rows,
                           [[maybe_unused]] Index cols, [[maybe_unused]] M mask, Access access) {
  const Tag<T> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const V alpha = hn::Set(d, x.alpha), beta = hn::Set(d, x.beta);
  const bool add = x.beta != 0;
#pragma GCC unroll 8
  for (int r = 0; r < mr; ++r, c += x.ldc) {
    if (r >= rows) break;
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v) {
      T* const to = c + v * lanes;
      V out = hn::Mul(alpha, sum[r][v]);
      if (partial && v == vectors - 1) {
#if HWY_MEM_OPS_MIGHT_FAULT
        HWY_ALIGN T part[hn::MaxLanes(d)];
        hn::Store(out, d, part);
        for (Index e = 0; e < cols - v * lanes; ++e)
          access.at(to + e) = add ? x.beta * access.at(to + e) + part[e] : part[e];
#else
        const Index count = cols - v * lanes;
        if (add) out = hn::MulAdd(beta, hn::MaskedLoad(mask, d, load_n(access, to, count)), out);
        hn::BlendedStore(out, mask, d, store_n(access, to, count));
#endif
      } else {
        if (add) out = hn::MulAdd(beta, hn::LoadU(d, load_n(access, to, lanes)), out);
        hn::StoreU(out, d, store_n(access, to, lanes));
      }
    }
  }
}

template <int vectors, bool partial, class T, class M, class Access>
HWY_INLINE void multiply_tile(const Block<T>& x, const T* HWY_RESTRICT a, const T* HWY_RESTRICT b,
                              T* HWY_RESTRICT c, Index rows, Index cols, M mask, const T* ahead0,
                              const T* ahead1, Access access) {
  hn::Vec<Tag<T>> sum[mr][vectors];
#pragma GCC unroll 8
  for (int r = 0; r < mr; ++r)
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v) sum[r][v] = hn::Zero(Tag<T>());
  if (x.a_packed)
    accumulate_packed<vectors, partial>(x, sum, a, b, c, rows, mask, ahead0, ahead1, access);
  else
    accumulate_rows<vectors, partial>(x, sum, a, b, c, rows, mask, access);
  store_tile<vectors, partial>(x, sum, c, rows, cols, mask, access);
}

/// Multiplies a panel of B, `vectors` vectors wide, by the panels of A. With `partial` the last vector is
/// partly outside of the matrix.
template <int vectors, bool partial, class T, class Access>
HWY_NOINLINE void multiply_panel(const Block<T>& x, const T* b, T* c, Index cols, Index tile,
                                 const Index* share, Access access) {
  const auto mask = hn::FirstN(Tag<T>(), static_cast<std::size_t>(cols - (vectors - 1) * lanes<T>()));
  for (Index i = 0; i < x.m; i += mr, ++tile)
    multiply_tile<vectors, partial>(x, x.a.at(i / mr), b, c + i * x.ldc, std::min<Index>(mr, x.m - i), cols,
                                    mask, x.ahead[0].begin + share[0] * tile,
                                    x.ahead[1].begin + share[1] * tile, access);
}

template <class T, class Access>
void Multiply(const Block<T>& x, Access access) {
  const Index width = nv * lanes<T>();
  const Index tiles = ceil_div(x.m, mr) * ceil_div(x.n, width);
  const Index share[2] = {x.ahead[0].size ? x.ahead[0].size / tiles : 0,
                          x.ahead[1].size ? x.ahead[1].size / tiles : 0};
  Index tile = 0;
  for (Index j = 0, cols; j < x.n; j += cols) {
    cols = std::min(width, x.n - j);
    // Four vectors are taken as two and two: a tile of one vector's width is mostly loads.
    if (!x.b_packed && nv == 3 && x.n - j > width && x.n - j <= 4 * lanes<T>()) cols = 2 * lanes<T>();
    const T* const b = x.b_packed ? x.b.at(j / width) : x.b.data + j;
    const Index vectors = ceil_div(cols, lanes<T>());
    const bool partial = cols % lanes<T>() != 0;
    const auto multiply =
        vectors == 1 ? (partial ? multiply_panel<1, true, T, Access> : multiply_panel<1, false, T, Access>)
        : vectors == 2
            ? (partial ? multiply_panel<2, true, T, Access> : multiply_panel<2, false, T, Access>)
            : (partial ? multiply_panel<nv, true, T, Access> : multiply_panel<nv, false, T, Access>);
    multiply(x, b, x.c + j, cols, tile, share, access);
    tile += ceil_div(x.m, mr);
  }
}

template <class T>
using PackTag = hn::CappedTag<T, 8>;

/// The side of the squares that transpose_square() works on; 1: this target has none.
inline constexpr int square = HWY_TARGET == HWY_AVX3 ? 8 : HWY_TARGET == HWY_AVX2 ? 4 : 1;

#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
/// to[l * width + i] = from[i * row_stride + l] for 0 <= i, l < the lanes of a vector, in registers: in
/// blocks of 16 bytes, then the blocks.
template <class T, class Access>
HWY_INLINE void transpose_square(T* HWY_RESTRICT to, Index width, const T* HWY_RESTRICT from,
                                 Index row_stride, Access access) {
  using D = hn::FixedTag<T, square>;
  constexpr int n = square, in_block = 16 / sizeof(T), blocks = n / in_block;
  const D d;
  using V = hn::Vec<D>;
  V x[n], y[n];
#pragma GCC unroll 8
  for (int i = 0; i < n; ++i) x[i] = hn::LoadU(d, load_n(access, from + i * row_stride, n));
    // Afterwards block q of y[p in_block + c] is column q in_block + c of the rows from p in_block on.
#pragma GCC unroll 8
  for (int p = 0; p < n; p += in_block) {
    if constexpr (in_block == 2) {
      y[p] = hn::InterleaveLower(d, x[p], x[p + 1]);
      y[p + 1] = hn::InterleaveUpper(d, x[p], x[p + 1]);
    } else {
      const V even_low = hn::InterleaveLower(d, x[p], x[p + 2]),
              even_high = hn::InterleaveUpper(d, x[p], x[p + 2]);
      const V odd_low = hn::InterleaveLower(d, x[p + 1], x[p + 3]),
              odd_high = hn::InterleaveUpper(d, x[p + 1], x[p + 3]);
      y[p] = hn::InterleaveLower(d, even_low, odd_low);
      y[p + 1] = hn::InterleaveUpper(d, even_low, odd_low);
      y[p + 2] = hn::InterleaveLower(d, even_high, odd_high);
      y[p + 3] = hn::InterleaveUpper(d, even_high, odd_high);
    }
  }
#pragma GCC unroll 4
  for (int c = 0; c < in_block; ++c) {
    const auto put = [&](int q, V column) HWY_ATTR {
      hn::StoreU(column, d, store_n(access, to + (q * in_block + c) * width, n));
    };
    if constexpr (blocks == 1) {
      put(0, y[c]);
    } else if constexpr (blocks == 2) {
      put(0, hn::ConcatLowerLower(d, y[in_block + c], y[c]));
      put(1, hn::ConcatUpperUpper(d, y[in_block + c], y[c]));
    } else {
      const V y0 = y[c], y1 = y[in_block + c], y2 = y[2 * in_block + c], y3 = y[3 * in_block + c];
      const V z0 = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(y1), y0);
      const V z1 = hn::OddEvenBlocks(y1, hn::SwapAdjacentBlocks(y0));
      const V z2 = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(y3), y2);
      const V z3 = hn::OddEvenBlocks(y3, hn::SwapAdjacentBlocks(y2));
      put(0, hn::ConcatLowerLower(d, z2, z0));
      put(1, hn::ConcatLowerLower(d, z3, z1));
      put(2, hn::ConcatUpperUpper(d, z2, z0));
      put(3, hn::ConcatUpperUpper(d, z3, z1));
    }
  }
}
#endif

/// Packs panels whose elements are contiguous at each step. Whole rows are read, as a panel's share of a row
/// is only a few lines of a page.
template <class T, class Access>
HWY_INLINE void copy_rows(T* HWY_RESTRICT to, Index width, Index count, Index k, const T* HWY_RESTRICT from,
                          Index col_stride, Access access) {
  const PackTag<T> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d)), whole = width / lanes * lanes;
  for (Index l = 0; l < k; ++l, to += width, from += col_stride) {
    T* panel = to;
    Index j = 0;
    for (; j + width <= count; j += width, panel += width * k) {
      for (Index i = 0; i < whole; i += lanes) {
        hwy::Prefetch(from + 4 * col_stride + j + i);
        hn::StoreU(hn::LoadU(d, load_n(access, from + j + i, lanes)), d, store_n(access, panel + i, lanes));
      }
      for (Index i = whole; i < width; ++i) access.at(panel + i) = access.at(from + j + i);
    }
    if (j < count)
      for (Index i = 0; i < width; ++i)
        access.at(panel + i) = j + i < count ? T(access.at(from + j + i)) : T{};
  }
}

/// Packs a panel whose elements are `col_stride` apart at each step.
template <class T, class Access>
HWY_INLINE void gather_rows(T* HWY_RESTRICT to, Index width, Index count, Index k, const T* HWY_RESTRICT from,
                            Index row_stride, Index col_stride, Access access) {
  Index whole_i = 0, whole_l = 0;
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
  if (col_stride == 1) {
    whole_i = count / square * square, whole_l = k / square * square;
    constexpr Index distance = 16 * square;
    for (Index i = 0; i < whole_i; i += square)
      for (Index l = 0; l < whole_l; l += square) {
        // The next rows follow at the end of these.
        const T* ahead =
            from + i * row_stride + l + distance + (l + distance < k ? 0 : square * row_stride - k);
#pragma GCC unroll 8
        for (int r = 0; r < square; ++r) hwy::Prefetch(ahead + r * row_stride);
        transpose_square(to + l * width + i, width, from + i * row_stride + l, row_stride, access);
      }
  }
#endif
  for (Index l = 0; l < k; ++l) {
    for (Index i = l < whole_l ? whole_i : 0; i < count; ++i)
      access.at(to + l * width + i) = access.at(from + i * row_stride + l * col_stride);
    for (Index i = count; i < width; ++i) access.at(to + l * width + i) = T{};
  }
}

template <class T, class Access>
void Pack(T* HWY_RESTRICT to, Index width, Index count, Index k, const T* HWY_RESTRICT from, Index row_stride,
          Index col_stride, Access access) {
  if (row_stride == 1) return copy_rows(to, width, count, k, from, col_stride, access);
  for (Index i = 0; i < count; i += width)
    gather_rows(to + i * k, width, std::min(width, count - i), k, from + i * row_stride, row_stride,
                col_stride, access);
}

template <class T, class Access>
constexpr KernelText<T, Access> text{&Multiply<T, Access>, &Pack<T, Access>, &Pack<T, Access>};

template <class T>
const RegisterKernel<T>* Kernel() {
  static constexpr Index width = nv * hn::MaxLanes(Tag<T>());
  // The speed hardly depends on the sizes of the k block and of the leaf, but it does on the size from which
  // factors are packed (TUNING.md).
  static constexpr RegisterKernel<T> kernel{.mr = mr,
                                            .nr = width,
                                            .lanes = width / nv,
                                            .kc = 384,
                                            .mc = 12 * mr,
                                            .nc = 4 * width,
                                            .per_ns = 4 * width / nv,
                                            .min_packed = 512,
                                            .masked = !HWY_MEM_OPS_MIGHT_FAULT,
                                            .text = {text<T, Plain>, text<T, Traced<AnySink>>}};
  return &kernel;
}
const RegisterKernel<double>* KernelDouble() { return Kernel<double>(); }
const RegisterKernel<float>* KernelFloat() { return Kernel<float>(); }

}  // namespace tallcache::cpu::matmul::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tallcache::cpu::matmul {

HWY_EXPORT(KernelDouble);
HWY_EXPORT(KernelFloat);

template <>
const RegisterKernel<double>& register_kernel<double>() {
  return *HWY_DYNAMIC_DISPATCH(KernelDouble)();
}
template <>
const RegisterKernel<float>& register_kernel<float>() {
  return *HWY_DYNAMIC_DISPATCH(KernelFloat)();
}

}  // namespace tallcache::cpu::matmul
#endif
