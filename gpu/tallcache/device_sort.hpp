// Stable sorts of keys and records in the memory of a GPU, by any order.
//
//   struct ByCost {  // a class: a kernel's type cannot be made of a host's lambda
//     constexpr bool operator()(const Edge& a, const Edge& b) const { return a.cost < b.cost; }
//   };
//
// is an order of records of 4, 8 or 16 bytes, and
//
//   Launch launch{1, stream};
//   device_sort(launch, {edges, n}, scratch, ByCost{});  // n of them in the device's memory
//
// sorts them. The order is constexpr, for nvcc's --expt-relaxed-constexpr. In a program without nvcc, the
// device may be a warp::HostDevice, the model of <tallcache/kernel.hpp>.
#pragma once

#include <functional>
#include <string>
#include <type_traits>

#include "common/error.hpp"
#include "gpu/sort/sample_sort.hpp"

namespace tallcache {

namespace detail {
/// What one load of a kernel's takes.
template <class T>
concept DeviceSortable = std::is_trivially_copyable_v<T> &&
    (sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16);

/// Buckets of a level, at most (gpu/sort/TUNING.md).
inline constexpr Index device_sort_ways = 256;

/// Whether `Less` is `<` of numbers, of which nobody sees whether equal ones have changed places.
template <class Less, class T>
inline constexpr bool is_ascending = std::is_arithmetic_v<T> && (std::is_same_v<Less, std::less<>> ||
                                                                 std::is_same_v<Less, std::less<T>>);
}  // namespace detail

/// The bytes of scratch that device_sort() takes for n keys: n keys more, and tables of their buckets, for
/// any order. Throws Error where they overflow, or for more than 2^32 - 1 keys.
///
/// Source: Sanders, Winkel 2004.
template <detail::DeviceSortable T>
std::size_t device_sort_scratch(Index n) {
  return gpu::sort::sample_sort_scratch<gpu::sort::LeafOf<sizeof(T)>, T>(n, detail::device_sort_ways);
}

/// Sorts the n `keys` stably by `less`, in the stream of `device`, a Launch, which is not waited for. Kernels
/// and their number follow from n alone. By std::less<>, doubles come in the total order of IEEE 754: -0
/// before 0, and NaNs at the ends, by their signs; floats with NaNs last. A `less` that is no strict weak
/// order leaves a permutation of the keys. Throws Error where keys do not begin at a multiple of their size,
/// `scratch` is smaller than device_sort_scratch() says, or n is larger than 2^32 - 1.
///
/// Source: Sanders, Winkel 2004.
template <class Device, detail::DeviceSortable T, class Access, class Less = std::less<>>
void device_sort(Device& device, VectorView<T, Access> keys, Scratch<std::type_identity_t<Access>> scratch,
                 [[maybe_unused]] Less less = {}) {
  using Tile = gpu::sort::LeafOf<sizeof(T)>;
  const auto by = [&](const auto& view, const auto& order) {
    gpu::sort::sort_by_samples<Tile>(device, view, scratch, detail::device_sort_ways, order);
  };
  if constexpr (!detail::is_ascending<Less, T>)
    by(keys, less);
  else if constexpr (std::is_same_v<T, double>)
    by(gpu::sort::codes_of(keys), gpu::sort::AscendingCodes{});
  else
    by(keys, gpu::sort::Ascending{});
}

}  // namespace tallcache
