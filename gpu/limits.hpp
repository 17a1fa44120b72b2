// Measured limits of a device: what the speed of its variants is held against. No CUDA header here.
#pragma once

namespace tallcache {

/// Rates of the best of several rounds: disturbances only take away.
struct GpuLimits {
  double float_gflop_per_s = 0, double_gflop_per_s = 0;  ///< multiply-adds from registers, on the CUDA cores
  double gb_per_s = 0;                                   ///< read plus written by the device's own copy
};

/// Measures device number `device` in under a second. Throws Error with the reason when it cannot be used.
GpuLimits measure_gpu_limits(int device = 0);

}  // namespace tallcache
