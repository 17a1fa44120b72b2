// Kernels that can repeat their work. The slides time a kernel without its launches in this way.
#pragma once

#include <type_traits>

#include "common/variant.hpp"

namespace tallcache::gpu {

inline constexpr ParamSpec repeats_param{
    .name = "repeats",
    .default_value = 1,
    .what = "times that the kernel does its work: the time holds them all"};

/// Calls launch_kernel(repeats). The argument is a compile-time constant when it is 1: a kernel that does its
/// work once has no loop around it.
template <class LaunchKernel>
void with_repeats(const Params& params, LaunchKernel launch_kernel) {
  const int repeats = static_cast<int>(params["repeats"]);
  if (repeats == 1)
    launch_kernel(std::integral_constant<int, 1>{});
  else
    launch_kernel(repeats);
}

}  // namespace tallcache::gpu
