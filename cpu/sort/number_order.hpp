// Numbers by their values: equal ones cannot be told apart, and vectors compare them.
#pragma once

#include <functional>

#include "cpu/peers/vqsort_library.hpp"
#include "cpu/sort/comparator.hpp"

namespace tallcache::cpu::sort {

/// Whether records of type T by `Less` are numbers by their values, and of a type that vqsort sorts.
template <class T, class Less>
inline constexpr bool is_number_order = false;
template <peers::VqsortKey T>
inline constexpr bool is_number_order<T, Caught<std::less<>>> = true;
template <peers::VqsortKey T>
inline constexpr bool is_number_order<T, Caught<std::less<T>>> = true;

}  // namespace tallcache::cpu::sort
