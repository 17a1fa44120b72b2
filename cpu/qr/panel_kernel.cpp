#include "cpu/qr/panel_kernel.hpp"

// Vectors have at most leaf_columns elements: wider targets than AVX2 do not differ for floats.
#include "cpu/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/qr/panel_kernel.cpp"
#include <hwy/foreach_target.h>
// foreach_target must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tallcache::cpu::qr::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using Tag = hn::CappedTag<T, leaf_columns>;

/// ReflectorPass with j known: a step reads every column once, and writes those from j on once. The factors
/// are read from memory, as the sums take half of the registers.
template <int j, class T, class Access>
void reflect_by(const ReflectorPass<T>& pass, T* HWY_RESTRICT columns, Index ld, Index rows, T* products,
                Access access) {
  using V = hn::Vec<Tag<T>>;
  const Tag<T> d;
  constexpr int n = leaf_columns, next = j + 1;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  V sum[n], factor[n];
#pragma GCC unroll 8
  for (int c = 0; c < n; ++c) {
    sum[c] = hn::Zero(d);
    factor[c] = hn::Set(d, j < 0 ? T{} : pass.factors[c]);
  }
  const V scale = hn::Set(d, pass.scale);
  for (Index i = 0; i < rows; i += lanes) {
    T* const row = columns + i;
    V v = hn::Zero(d);
    if constexpr (j >= 0) {
      v = hn::Mul(scale, hn::Load(d, load_n(access, row + j * ld, lanes)));
      hn::Store(v, d, store_n(access, row + j * ld, lanes));
    }
    if constexpr (next < n) {
      V x = hn::Load(d, load_n(access, row + next * ld, lanes));
      if constexpr (j >= 0) {
        x = hn::NegMulAdd(factor[next], v, x);
        hn::Store(x, d, store_n(access, row + next * ld, lanes));
        sum[j] = hn::MulAdd(x, v, sum[j]);
      }
      sum[next] = hn::MulAdd(x, x, sum[next]);
#pragma GCC unroll 8
      for (int c = 0; c < j; ++c)
        sum[c] = hn::MulAdd(x, hn::Load(d, load_n(access, row + c * ld, lanes)), sum[c]);
#pragma GCC unroll 8
      for (int c = next + 1; c < n; ++c) {
        V y = hn::Load(d, load_n(access, row + c * ld, lanes));
        if constexpr (j >= 0) {
          y = hn::NegMulAdd(factor[c], v, y);
          hn::Store(y, d, store_n(access, row + c * ld, lanes));
        }
        sum[c] = hn::MulAdd(x, y, sum[c]);
      }
    }
  }
#pragma GCC unroll 8
  for (int c = 0; c < n; ++c) products[c] = hn::GetLane(hn::SumOfLanes(d, sum[c]));
}

template <class T, class Access>
void Reflect(const ReflectorPass<T>& pass, T* columns, Index ld, Index rows, T* products, Access access) {
  static_assert(leaf_columns == 8);
  constexpr void (*by[])(const ReflectorPass<T>&, T*, Index, Index, T*, Access) = {
      reflect_by<-1, T, Access>, reflect_by<0, T, Access>, reflect_by<1, T, Access>,
      reflect_by<2, T, Access>,  reflect_by<3, T, Access>, reflect_by<4, T, Access>,
      reflect_by<5, T, Access>,  reflect_by<6, T, Access>, reflect_by<7, T, Access>};
  by[pass.j + 1](pass, columns, ld, rows, products, access);
}

/// p x q inner products: 3 x 4 of them are 12 sums, enough to hide the latency of two units, on 7 loads.
template <int p, int q, class T, class Access>
void multiply_tile(Index k, const T* HWY_RESTRICT a, const T* HWY_RESTRICT b, Index ld, T* HWY_RESTRICT x,
                   Index ldx, Access access) {
  using V = hn::Vec<Tag<T>>;
  const Tag<T> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  V sum[p][q];
#pragma GCC unroll 4
  for (int r = 0; r < p; ++r)
#pragma GCC unroll 4
    for (int c = 0; c < q; ++c) sum[r][c] = hn::Zero(d);
  for (Index l = 0; l < k; l += lanes) {
    V of_b[q];
#pragma GCC unroll 4
    for (int c = 0; c < q; ++c) of_b[c] = hn::LoadU(d, load_n(access, b + c * ld + l, lanes));
#pragma GCC unroll 4
    for (int r = 0; r < p; ++r) {
      const V of_a = hn::LoadU(d, load_n(access, a + r * ld + l, lanes));
#pragma GCC unroll 4
      for (int c = 0; c < q; ++c) sum[r][c] = hn::MulAdd(of_a, of_b[c], sum[r][c]);
    }
  }
#pragma GCC unroll 4
  for (int r = 0; r < p; ++r)
#pragma GCC unroll 4
    for (int c = 0; c < q; ++c) access.at(x + r * ldx + c) = hn::GetLane(hn::SumOfLanes(d, sum[r][c]));
}

/// `q` rows of B by all rows of A.
template <int q, class T, class Access>
void multiply_columns(Index m, Index k, const T* a, const T* b, Index ld, T* x, Index ldx, Access access) {
  Index i = 0;
  for (; i + 3 <= m; i += 3) multiply_tile<3, q, T, Access>(k, a + i * ld, b, ld, x + i * ldx, ldx, access);
  if (m - i == 2) multiply_tile<2, q, T, Access>(k, a + i * ld, b, ld, x + i * ldx, ldx, access);
  if (m - i == 1) multiply_tile<1, q, T, Access>(k, a + i * ld, b, ld, x + i * ldx, ldx, access);
}

template <class T, class Access>
void MultiplyRows(Index m, Index n, Index k, const T* a, const T* b, Index ld, T* x, Index ldx,
                  Access access) {
  Index j = 0;
  for (; j + 4 <= n; j += 4) multiply_columns<4>(m, k, a, b + j * ld, ld, x + j, ldx, access);
  for (; j < n; ++j) multiply_columns<1>(m, k, a, b + j * ld, ld, x + j, ldx, access);
}

template <class T, class Access>
constexpr PanelText<T, Access> text{&Reflect<T, Access>, &MultiplyRows<T, Access>};

template <class T>
const PanelKernel<T>* Kernel() {
  static constexpr PanelKernel<T> kernel{{text<T, Plain>, text<T, Traced<AnySink>>}};
  return &kernel;
}
const PanelKernel<double>* KernelDouble() { return Kernel<double>(); }
const PanelKernel<float>* KernelFloat() { return Kernel<float>(); }

}  // namespace tallcache::cpu::qr::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tallcache::cpu::qr {

HWY_EXPORT(KernelDouble);
HWY_EXPORT(KernelFloat);

template <>
const PanelKernel<double>& panel_kernel<double>() {
  return *HWY_DYNAMIC_DISPATCH(KernelDouble)();
}
template <>
const PanelKernel<float>& panel_kernel<float>() {
  return *HWY_DYNAMIC_DISPATCH(KernelFloat)();
}

}  // namespace tallcache::cpu::qr
#endif
