// In-place super scalar samplesort.
#pragma once

#if __has_include(<ips4o.hpp>) && __has_include(<omp.h>)
#define TALLCACHE_HAS_IPS4O
#include <ips4o.hpp>
#endif

#include <functional>
#include <string>

#include "cpu/peers/sort_in_place.hpp"

namespace tallcache::cpu::peers {

struct ips4o_sort : sort_in_place<ips4o_sort, std::uint64_t, double, KeyAndPosition, StringPointer> {
  static constexpr std::string_view idea =
      "in-place samplesort, on one thread; records by key and position; after a copy into the output";
  static constexpr std::string_view source = "IPS4o; Axtmann et al. 2022";

#ifdef TALLCACHE_HAS_IPS4O
  static std::string unavailable() { return {}; }

  template <class T>
  static void sort(const Launch&, T* keys, Index n) {
    ips4o::sort(keys, keys + n, StableOrder<T>());
  }
#else
  static std::string unavailable() { return "built without IPS4o, whose headers are Debian's libips4o-dev"; }
  template <class T>
  static void sort(const Launch&, T*, Index) {}
#endif
};

}  // namespace tallcache::cpu::peers
