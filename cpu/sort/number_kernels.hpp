// Numbers by vectors: whether they are in order, and spread to a few parts. A vector is compared with every
// splitter, and those of its numbers that are of a part are compressed and stored behind those before them.
#pragma once

#include <cstdint>
#include <tuple>

#include "common/traced.hpp"
#include "common/view.hpp"

namespace tallcache::cpu::sort {

/// So many splitters, and the mask of each, stay in registers.
inline constexpr int few_levels = 3, few_splitters = (1 << few_levels) - 1, few_parts = few_splitters + 1;

/// Part i has the numbers in (s_(i - 1), s_i] of the splitters s. Where `equality`, part 2 i has those below
/// s_i, and part 2 i + 1 those that equal it, whose number is all that there is to know.
template <class T>
struct FewSplitters {
  T splitter[few_splitters];  ///< in order
  bool equality;
};

template <class T, class Access>
struct NumberKernels {
  using Numbers = VectorView<const T, Access>;

  /// Whether none is less than the one before it or, where `falling`, none is greater.
  bool (*in_order)(Numbers numbers, bool falling);
  /// Adds the number of each part's numbers to its counter.
  void (*count)(Numbers numbers, const FewSplitters<T>& splitters, Index (&counts)[2 * few_parts]);
  /// Writes the numbers of each part, but of those that equal a splitter, in their order, to [begin, end) of
  /// `to`, which has room for them alone.
  void (*move)(Numbers numbers, const FewSplitters<T>& splitters, VectorView<T, Access> to,
               const Index (&begin)[few_parts], const Index (&end)[few_parts]);
};

template <class Access>
using NumberTexts = std::tuple<NumberKernels<std::uint32_t, Access>, NumberKernels<std::uint64_t, Access>,
                               NumberKernels<std::int32_t, Access>, NumberKernels<std::int64_t, Access>,
                               NumberKernels<double, Access>>;
const CompiledTexts<NumberTexts>& number_texts();

template <class T, class Access>
const NumberKernels<T, Access>& number_kernels(Access access) {
  return std::get<NumberKernels<T, Access>>(number_texts().under(access));
}

/// Calls body(kernels, numbers as they take them), under any access policy.
template <class T, class Access, class Body>
void by_number_kernels(T* numbers, Index size, Access access, Body body) {
  CompiledApart<Access> apart(access);
  const auto view = VectorView<const T>{numbers, size}.with(apart.policy());
  body(number_kernels<T>(view.access()), view);
}

}  // namespace tallcache::cpu::sort
