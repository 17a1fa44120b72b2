// tbb::parallel_sort.
#pragma once

#include <oneapi/tbb/parallel_sort.h>

#include "common/fork/one_tbb.hpp"
#include "cpu/peers/sort_in_place.hpp"

namespace tallcache::cpu::peers {

struct tbb_parallel_sort : sort_in_place<tbb_parallel_sort, std::uint64_t, double, MoveOnly, StringPointer> {
  static constexpr std::string_view idea =
      "parallel quicksort; records by key and position; after a copy into the output";
  static constexpr std::string_view source = "oneTBB";
  static constexpr bool parallel = true;

  template <class T>
  static void sort(const Launch& launch, T* keys, Index n) {
    in_arena(launch.threads, [=] { tbb::parallel_sort(keys, keys + n, StableOrder<T>()); });
  }
};

}  // namespace tallcache::cpu::peers
