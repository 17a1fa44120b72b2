// Highway's vectorised quicksort.
#pragma once

#include <hwy/contrib/sort/vqsort.h>

#include "cpu/peers/sort_in_place.hpp"

namespace tallcache::cpu::peers {

struct vqsort : sort_in_place<vqsort> {
  static constexpr std::string_view idea =
      "quicksort in vector registers, on one thread; after a copy into the output";
  static constexpr std::string_view source = "Highway; Blacher et al. 2022, arXiv:2205.05982";

  static void sort(const Launch&, std::uint32_t* keys, Index n) {
    if (n > 1) hwy::Sorter()(keys, static_cast<std::size_t>(n), hwy::SortAscending());
  }
};

}  // namespace tallcache::cpu::peers
