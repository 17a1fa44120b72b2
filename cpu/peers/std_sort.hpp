// std::sort.
#pragma once

#include <algorithm>

#include "cpu/peers/sort_in_place.hpp"

namespace tallcache::cpu::peers {

struct std_sort : sort_in_place<std_sort, std::uint64_t, double, MoveOnly, StringPointer> {
  static constexpr std::string_view idea =
      "introsort, on one thread; records by key and position; after a copy into the output";
  static constexpr std::string_view source = "the C++ standard library";

  template <class T>
  static void sort(const Launch&, T* keys, Index n) {
    std::sort(keys, keys + n, StableOrder<T>());
  }
};

}  // namespace tallcache::cpu::peers
