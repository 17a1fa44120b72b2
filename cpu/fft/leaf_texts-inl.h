// The table of the leaves of one element type, for each SIMD target.
#if defined(TALLCACHE_FFT_LEAF_TEXTS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TALLCACHE_FFT_LEAF_TEXTS_INL_H
#undef TALLCACHE_FFT_LEAF_TEXTS_INL_H
#else
#define TALLCACHE_FFT_LEAF_TEXTS_INL_H
#endif

#include <algorithm>
#include <array>
#include <iterator>
#include <type_traits>
#include <utility>

#include "cpu/fft/real-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tallcache::cpu::fft::HWY_NAMESPACE {

/// Calls leaf(size as a constant) for 1 and the sizes of a list.
template <const auto& sizes, class Leaf>
void with_size(int size, const Leaf& leaf) {
  if (size == 1) return leaf(std::integral_constant<int, 1>());
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    static_cast<void>(((size == sizes[i] && (leaf(std::integral_constant<int, sizes[i]>()), true)) || ...));
  }
  (std::make_index_sequence<std::size(sizes)>());
}

template <bool inverse, class D, class Access, class T = hn::TFromD<D>>
constexpr typename Leaves<T>::template Text<Access> text{
    .first_pass =
        [](int radix, const T* from, Index stride, Index count, T* to, Index width, Index m, const T* roots,
           Access access) {
          with_size<pass_radices>(radix, [=]<int R>(std::integral_constant<int, R>) {
            first_pass<R, inverse, D, T, Access>(from, stride, count, to, width, m, roots, access);
          });
        },
    .middle_pass =
        [](int radix, T* x, Index width, Index groups, Index m, Index count, const T* roots, Access access) {
          with_size<pass_radices>(radix, [=]<int R>(std::integral_constant<int, R>) {
            middle_pass<R, D, T, Access>(x, width, groups, m, count, roots, access);
          });
        },
    .last_pass =
        [](int radix, const T* from, T* to, Index stride, Index count, Index width, Index groups, Index all,
           const Index* order, Access access) {
          with_size<pass_radices>(radix, [=]<int R>(std::integral_constant<int, R>) {
            last_pass<R, inverse, D, T, Access>(from, to, stride, count, width, groups, all, order, access);
          });
        },
    .split_columns =
        [](int radix, const T* from, T* work, Index width, Index block, Index m, Index count, const T* roots,
           Access access) {
          with_size<radices>(radix, [=]<int R>(std::integral_constant<int, R>) {
            split_columns<R, inverse, D, T, Access>(from, work, width, block, m, count, roots, access);
          });
        },
    .twiddle_transposed = &twiddle_transposed<inverse, D, T, Access>,
    .rows_to_lanes = &rows_to_lanes<inverse, D, T, Access>,
    .lanes_to_rows = &lanes_to_rows<inverse, D, T, Access>,
    .short_rows =
        [](int radix, const T* from, T* to, Index distance, Index count, Access access) {
          with_size<short_sizes>(radix, [=]<int R>(std::integral_constant<int, R>) {
            short_rows<R, inverse, D, T, Access>(from, to, distance, count, access);
          });
        },
    .multiply =
        [](const T* from, const T* factors, T* to, Index count, bool exchanged, bool exchange,
           Access access) {
          (exchanged  ? exchange ? multiply<true, true, D, T, Access> : multiply<true, false, D, T, Access>
            : exchange ? multiply<false, true, D, T, Access>
                      : multiply<false, false, D, T, Access>)(from, factors, to, count, access);
        },
    .whole =
        [](int radix, const T* from, T* to, Access access) {
          with_size<whole_sizes>(radix, [=]<int R>(std::integral_constant<int, R>) {
            whole<R, inverse, T, Access>(from, to, access);
          });
        },
    .mirrored = &mirrored<inverse, D, T, Access>};

template <class T, int lanes>
constexpr auto texts_from() {
  using D = Tag<T, lanes>;
  constexpr int length = static_cast<int>(lanes_of<D>);
  const typename Leaves<T>::Texts texts{
      {text<false, D, Plain>, text<false, D, Traced<AnySink>>}, text<true, D, Plain>, length};
  if constexpr (length <= 4) {
    return std::array{texts};
  } else {
    constexpr auto shorter = texts_from<T, length / 2>();
    std::array<typename Leaves<T>::Texts, shorter.size() + 1> all{texts};
    std::ranges::copy(shorter, all.begin() + 1);
    return all;
  }
}
/// Of vectors of all lengths, the longest first.
template <class T>
constexpr auto texts = texts_from<T, 64 / sizeof(T)>();

}  // namespace tallcache::cpu::fft::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
