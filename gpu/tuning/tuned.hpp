// What a launch is planned by, on a device and on its model: the tuning and the number of multiprocessors.
#pragma once

#include <type_traits>

#include "common/variant.hpp"
#include "gpu/tuning/tuning.hpp"
#ifdef __CUDACC__
#include "gpu/kernel_limits.hpp"
#endif

namespace tallcache::gpu {

/// Of a Launch that of the current CUDA device, of another that of the model.
template <class Device>
const Tuning& tuning_of() {
#ifdef __CUDACC__
  if constexpr (std::is_same_v<std::remove_const_t<Device>, Launch>) return device_tuning();
#endif
  return model_tuning();
}
template <class Device>
const Tuning& tuning_of(const Device&) {
  return tuning_of<Device>();
}

/// The multiprocessors that a launch may fill.
template <class Device>
int multiprocessors_of(const Device&) {
#ifdef __CUDACC__
  if constexpr (std::is_same_v<Device, Launch>) return multiprocessors();
#endif
  return 132;
}

/// The value of a field that doubles and floats have apart.
template <class T>
constexpr int by_element(int of_double, int of_float) {
  return sizeof(T) == 8 ? of_double : of_float;
}

}  // namespace tallcache::gpu
