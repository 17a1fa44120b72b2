// The recursion of the distribution sort, with sizes and policies of a test's own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "common/fork/parallel.hpp"
#include "cpu/sort/distribution_sort.hpp"

namespace tallcache::test {

inline constexpr cpu::sort::DistributionSizes small_sizes{.leaf = 16, .part = 4, .chunk = 64};

/// Sorts by the recursion itself.
template <template <class, class> class Spread = cpu::sort::Splitters,
          template <class, class> class Leaf = cpu::sort::LeafOf, class Fork, class T, class Less>
void sort_by_fork(Fork& fork, std::vector<T>& records, Less less, cpu::sort::DistributionSizes sizes) {
  using namespace cpu::sort;
  const Index n = static_cast<Index>(records.size());
  const std::size_t bytes = distribution_scratch_bytes<T>(n, sizes);
  const auto memory = std::make_unique_for_overwrite<std::byte[]>(bytes + 64);
  auto* const aligned = memory.get() + (64 - reinterpret_cast<std::uintptr_t>(memory.get()) % 64);
  Scratch<> scratch({aligned, bytes});
  Failure failure;
  const DistributionSort<Records<T>, Caught<Less>, Spread, Leaf> sort(
      Records<T>{}, Caught<Less>{&less, &failure}, records.data(),
      take_distribution_scratch<T>(scratch, n, sizes), sizes);
  sort(fork, n);
  failure.rethrow();
}

template <class T, class Less>
void sort_in_parts(std::vector<T>& records, Less less, cpu::sort::DistributionSizes sizes = small_sizes,
                   int threads = 1) {
  run_parallel(threads, [&](auto& fork) { sort_by_fork(fork, records, less, sizes); });
}

}  // namespace tallcache::test
