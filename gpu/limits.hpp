// Measured limits of a GPU. No CUDA header here.
#pragma once

#include "common/measure/machine_limits.hpp"

namespace tallcache {

/// Multiply-adds, 32-bit logic of three operands, and additions with minima from registers on the CUDA cores;
/// multiply-adds of the tensor cores from registers and shared memory (all factors 1, so that power does not
/// limit the clock); and the device's own copy ("copy"). The best of several rounds. Measures device number
/// `device` in under a second. Throws Error with the reason when it cannot be used.
Limits measure_gpu_limits(int device = 0);

}  // namespace tallcache
