// Measured limits of a device: what the speed of its variants is held against. No CUDA header here.
#pragma once

#include <string_view>
#include <vector>

namespace tallcache {

/// Rates of the best of several rounds: disturbances only take away.
struct GpuLimits {
  struct Peak {
    std::string_view element;
    double gflop_per_s = 0;
  };
  std::vector<Peak> peaks;  ///< multiply-adds from registers, on the CUDA cores
  double gb_per_s = 0;      ///< read plus written by the device's own copy
};

/// Measures device number `device` in under a second. Throws Error with the reason when it cannot be used.
GpuLimits measure_gpu_limits(int device = 0);

}  // namespace tallcache
