// Highway's vectorised quicksort.
#pragma once

#include "cpu/peers/sort_in_place.hpp"
#include "cpu/peers/vqsort_library.hpp"

namespace tallcache::cpu::peers {

struct vqsort : sort_in_place<vqsort, std::uint64_t, double> {
  static constexpr std::string_view idea =
      "quicksort in vector registers by the fastest target, on one thread; after a copy into the output";
  static constexpr std::string_view source = "Highway; Blacher et al. 2022, arXiv:2205.05982";

  static void prepare() {
    vqsort_target<std::uint32_t>(), vqsort_target<std::uint64_t>(), vqsort_target<double>();
  }
  static std::string runs_as() { return vqsort_target<std::uint32_t>(); }

  template <class Key>
  static void sort(const Launch&, Key* keys, Index n) {
    vqsort_keys(keys, n);
  }
};

}  // namespace tallcache::cpu::peers
