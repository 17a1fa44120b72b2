// Code for one architecture in a translation unit of its own.
#pragma once

#include "gpu/on_gpu.hpp"

namespace tallcache::test {

using OnHopper = gpu::OnCapability<9, 0>;

/// The result of a kernel for 90a alone: 900. Throws Error when CUDA does.
int hopper_answer();

}  // namespace tallcache::test
