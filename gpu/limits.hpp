// Measured limits of a device, to which the speed of its variants is compared. No CUDA header is included
// here.
#pragma once

#include <string_view>
#include <vector>

namespace tallcache {

/// The best rates of several rounds, as disturbances only reduce them.
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
