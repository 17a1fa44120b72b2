// The table of the leaves of one element type, for each SIMD target.
#if defined(TALLCACHE_FFT_LEAF_TEXTS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TALLCACHE_FFT_LEAF_TEXTS_INL_H
#undef TALLCACHE_FFT_LEAF_TEXTS_INL_H
#else
#define TALLCACHE_FFT_LEAF_TEXTS_INL_H
#endif

#include <type_traits>

#include "cpu/fft/passes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tallcache::cpu::fft::HWY_NAMESPACE {

/// Calls leaf(radix as a constant). The passes have no radix of 16, which takes more registers than there
/// are.
template <bool in_passes = true, class Leaf>
void with_radix(int radix, const Leaf& leaf) {
  switch (radix) {
    case 1:
      return leaf(std::integral_constant<int, 1>());
    case 2:
      return leaf(std::integral_constant<int, 2>());
    case 3:
      return leaf(std::integral_constant<int, 3>());
    case 4:
      return leaf(std::integral_constant<int, 4>());
    case 5:
      return leaf(std::integral_constant<int, 5>());
    case 7:
      return leaf(std::integral_constant<int, 7>());
    case 8:
      return leaf(std::integral_constant<int, 8>());
    case 11:
      return leaf(std::integral_constant<int, 11>());
    case 13:
      return leaf(std::integral_constant<int, 13>());
    case 16:
      if constexpr (!in_passes) leaf(std::integral_constant<int, 16>());
      return;
    default:
      return;
  }
}

template <bool inverse, class T, class Access>
constexpr typename Leaves<T>::template Text<Access> text{
    .first_pass =
        [](int radix, const T* from, Index stride, Index count, T* to, Index width, Index m, const T* roots,
           Access access) {
          with_radix(radix, [=]<int R>(std::integral_constant<int, R>) {
            first_pass<R, inverse, T, Access>(from, stride, count, to, width, m, roots, access);
          });
        },
    .middle_pass =
        [](int radix, const T* from, T* to, Index s, Index m, const T* roots, Access access) {
          with_radix(radix, [=]<int R>(std::integral_constant<int, R>) {
            middle_pass<R, T, Access>(from, to, s, m, roots, access);
          });
        },
    .last_pass =
        [](int radix, const T* from, T* to, Index stride, Index count, Index width, Index groups,
           Access access) {
          with_radix(radix, [=]<int R>(std::integral_constant<int, R>) {
            last_pass<R, inverse, T, Access>(from, to, stride, count, width, groups, access);
          });
        },
    .split_columns =
        [](int radix, const T* from, T* work, Index width, Index block, Index m, const T* roots,
           Access access) {
          if (radix == 8)
            split_columns<8, inverse, T, Access>(from, work, width, block, m, roots, access);
          else
            split_columns<16, inverse, T, Access>(from, work, width, block, m, roots, access);
        },
    .twiddle_transposed = &twiddle_transposed<T, Access>,
    .whole =
        [](int radix, const T* from, T* to, Access access) {
          with_radix<false>(radix, [=]<int R>(std::integral_constant<int, R>) {
            whole<R, inverse, T, Access>(from, to, access);
          });
        }};

template <class T>
constexpr typename Leaves<T>::Texts texts{{text<false, T, Plain>, text<false, T, Traced<AnySink>>},
                                          text<true, T, Plain>};

}  // namespace tallcache::cpu::fft::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
