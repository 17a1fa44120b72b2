// Highway's vectorised quicksort.
#pragma once

#include "cpu/peers/sort_in_place.hpp"
#include "cpu/peers/vqsort_library.hpp"

namespace tallcache::cpu::peers {

struct vqsort : sort_in_place<vqsort> {
  static constexpr std::string_view idea =
      "quicksort in vector registers by the fastest target, on one thread; after a copy into the output";
  static constexpr std::string_view source = "Highway; Blacher et al. 2022, arXiv:2205.05982";

  static void prepare() { vqsort_target<std::uint32_t>(); }
  static std::string runs_as() { return vqsort_target<std::uint32_t>(); }

  static void sort(const Launch&, std::uint32_t* keys, Index n) { vqsort_keys(keys, n); }
};

}  // namespace tallcache::cpu::peers
