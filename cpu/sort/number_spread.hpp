// Numbers spread to a few parts by vectors: a vector is compared with every splitter, and those of its
// numbers that are of a part are compressed and stored behind those before them.
#pragma once

#include <cstdint>
#include <tuple>

#include "common/traced.hpp"
#include "common/view.hpp"

namespace tallcache::cpu::sort {

/// So many splitters, and the mask of each, stay in registers.
inline constexpr int few_levels = 3, few_splitters = (1 << few_levels) - 1, few_parts = few_splitters + 1;

/// Part i has the numbers in (s_(i - 1), s_i] of the splitters s. Where `equality`, there are but three of
/// them, and each has two parts: the numbers below it, and those that equal it.
template <class T>
struct FewSplitters {
  T splitter[few_splitters];  ///< in order; behind the last one, numbers that none is above
  bool equality;
};

/// `count` adds the number of a part's numbers to its counter. `move` writes those of each part, in their
/// order, to [begin, end) of `to`, which has room for them alone.
template <class T, class Access>
struct NumberSpread {
  void (*count)(VectorView<const T, Access> numbers, const FewSplitters<T>& splitters,
                Index (&counts)[few_parts]);
  void (*move)(VectorView<const T, Access> numbers, const FewSplitters<T>& splitters,
               VectorView<T, Access> to, const Index (&begin)[few_parts], const Index (&end)[few_parts]);
};

template <class Access>
using NumberSpreads = std::tuple<NumberSpread<std::uint32_t, Access>, NumberSpread<std::uint64_t, Access>,
                                 NumberSpread<std::int32_t, Access>, NumberSpread<std::int64_t, Access>,
                                 NumberSpread<double, Access>>;

const CompiledTexts<NumberSpreads>& number_spreads();

}  // namespace tallcache::cpu::sort
