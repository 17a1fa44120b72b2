// The vqsort of the installed Highway, at its fastest target.
//
// vqsort dispatches by a table that all of a process shares, to the widest vectors of the processor, and the
// kernels of this suite dispatch by the same one. The peer therefore runs in a copy of Highway that is loaded
// into a namespace of its own (dlmopen): its target is set there, and no other code in the process sees it.
#pragma once

#include <hwy/contrib/sort/vqsort.h>
#include <hwy/targets.h>

#include <concepts>
#include <cstdint>
#include <string>
#include <vector>

#include "common/view.hpp"

namespace tallcache::cpu::peers {

/// The types of keys that are sorted.
template <class T, class... Keys>
concept IsOneOf = (std::same_as<T, Keys> || ...);
template <class T>
concept VqsortKey = IsOneOf<T, std::uint32_t, std::uint64_t, std::int32_t, std::int64_t, double>;

/// A copy of vqsort for one type of keys. It stays loaded until the process ends. Any number of threads may
/// sort at a time; use() comes before.
template <VqsortKey Key>
class Vqsort {
 public:
  Vqsort();
  Vqsort(const Vqsort&) = delete;
  Vqsort& operator=(const Vqsort&) = delete;

  /// Why there is no copy; empty when there is. Then sort() is hwy::Sorter, and use() does nothing.
  const std::string& reason() const { return reason_; }
  /// The targets (HWY_AVX2, ...) of vqsort that this processor can execute, the widest first.
  const std::vector<std::int64_t>& targets() const { return targets_; }
  /// Sorts by no wider target than this from now on.
  void use(std::int64_t target);
  /// Sorts ascending, in place.
  void sort(Key* keys, Index n) const;

 private:
  void load();
  using Call = void (*)(const void* sorter, Key*, std::size_t, hwy::SortAscending);
  std::string reason_;
  std::vector<std::int64_t> targets_;
  std::int64_t supported_ = 0;
  hwy::ChosenTarget* chosen_ = nullptr;
  Call call_ = nullptr;
  alignas(hwy::Sorter) unsigned char sorter_[sizeof(hwy::Sorter)] = {};  ///< made by the copy
};

/// Sorts by the target that was the fastest for 2^15 random keys; the first call measures them, once a
/// process and type. No double is NaN, and zeros of either sign come in any order.
template <VqsortKey Key>
void vqsort_keys(Key* keys, Index n);

/// That target and how the others did: "AVX2 (AVX3 takes 7.6x, SSE4 2.9x)"; it measures as vqsort_keys()
/// does.
template <VqsortKey Key>
const std::string& vqsort_target();

}  // namespace tallcache::cpu::peers
