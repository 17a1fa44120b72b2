// The device's thread context (common/warp/kernel.hpp), and the launch of a kernel's text on the device.
#pragma once

#include "common/variant.hpp"
#include "common/view.hpp"
#include "common/warp/kernel.hpp"
#include "gpu/asynchronous_copy.cuh"
#include "gpu/check.hpp"
#include "gpu/kernel_limits.hpp"

namespace tallcache::gpu {

// Views are the kernels' arguments: host and device agree on their layout.
static_assert(sizeof(MatrixView<float>) == 32 && sizeof(VectorView<float>) == 16);

struct DeviceThread {
  __device__ static Dim thread() { return {threadIdx.x, threadIdx.y, threadIdx.z}; }
  __device__ static Dim block() { return {blockIdx.x, blockIdx.y, blockIdx.z}; }
  __device__ static Dim block_dim() { return {blockDim.x, blockDim.y, blockDim.z}; }
  __device__ static Dim grid_dim() { return {gridDim.x, gridDim.y, gridDim.z}; }

  __device__ static void sync() { __syncthreads(); }
  __device__ static bool sync_and(bool vote) { return __syncthreads_and(vote); }
  __device__ static bool sync_or(bool vote) { return __syncthreads_or(vote); }
  __device__ static unsigned sync_count(bool vote) { return __syncthreads_count(vote); }
  __device__ static void sync_warp() { __syncwarp(); }
  template <class T>
  __device__ static T shuffle(T value, int lane) {
    return __shfl_sync(~0u, value, lane);
  }
  template <class T>
  __device__ static T shuffle_down(T value, unsigned distance) {
    return __shfl_down_sync(~0u, value, distance);
  }
  __device__ static unsigned ballot(bool value) { return __ballot_sync(~0u, value); }
  template <class T>
  __device__ static unsigned match_any(T value) {
    return __match_any_sync(~0u, value);
  }

  template <class T>
  __device__ static T reduce_add(T value) {
    return __reduce_add_sync(~0u, value);
  }
  template <class T>
  __device__ static T reduce_min(T value) {
    return __reduce_min_sync(~0u, value);
  }
  template <class T>
  __device__ static T reduce_max(T value) {
    return __reduce_max_sync(~0u, value);
  }
  __device__ static unsigned reduce_or(unsigned value) { return __reduce_or_sync(~0u, value); }

  template <class T>
  __device__ static T atomic_add(T& element, std::type_identity_t<T> value) {
    return atomicAdd(&element, value);
  }
  __device__ static int popcount(unsigned mask) { return __popc(mask); }
  __device__ static int first_set(unsigned mask) { return __ffs(mask) - 1; }

  __device__ static void commit_copies() { gpu::commit_copies(); }
  template <class... Values>
  __device__ static void keep(Values&... values) {
    (..., [&] { asm volatile("" : "+r"(values)); }());
  }
};

template <int n, class T, int alignment = alignof(T)>
__device__ T& shared(DeviceThread) {
  __shared__ __align__(alignment) T array;
  return array;
}
template <class T>
__device__ T* dynamic_shared(DeviceThread) {
  extern __shared__ __align__(16) std::byte array_of_launch[];
  return reinterpret_cast<T*>(array_of_launch);
}
template <class T>
__device__ std::uint32_t shared_address(DeviceThread, const T& element) {
  return shared_address(&element);
}
template <class T>
__device__ void copy_asynchronously(DeviceThread, std::uint32_t to, const T& from, int bytes) {
  copy_asynchronously<sizeof(T)>(to, &from, bytes);
}
template <int pending>
__device__ void wait_for_copies(DeviceThread) {
  wait_for_copies<pending>();
}

template <int n, class T>
__device__ auto& vector_at(T& element) {
  using Elements = Vector<std::remove_const_t<T>, n>;
  return reinterpret_cast<std::conditional_t<std::is_const_v<T>, const Elements, Elements>&>(element);
}
template <class T>
__device__ T& element_at(T& element, Index e) {
  return (&element)[e];
}

template <class Kernel, class... Args>
__global__ void run_kernel(Args... args) {
  Kernel{}(DeviceThread{}, args...);
}
/// For a kernel that declares the maximum number of threads of its blocks, and the minimum number of blocks
/// on a multiprocessor.
template <class Kernel, class... Args>
__global__ void __launch_bounds__(Kernel::max_threads) run_bounded_kernel(Args... args) {
  Kernel{}(DeviceThread{}, args...);
}
template <class Kernel, class... Args>
__global__ void __launch_bounds__(Kernel::max_threads, Kernel::min_blocks) run_resident_kernel(Args... args) {
  Kernel{}(DeviceThread{}, args...);
}
/// Its one argument stays where the launch puts it, so that a kernel may index its arrays.
template <class Kernel, class Argument>
__global__ void __launch_bounds__(Kernel::max_threads, Kernel::min_blocks)
    run_constant_kernel(const __grid_constant__ Argument argument) {
  Kernel{}(DeviceThread{}, argument);
}

template <class Kernel, class... Args>
constexpr auto entry_of() {
  if constexpr (sizeof...(Args) == 1 && requires { Kernel::min_blocks; })
    return &run_constant_kernel<Kernel, Args...>;
  else if constexpr (requires { Kernel::min_blocks; })
    return &run_resident_kernel<Kernel, Args...>;
  else if constexpr (requires { Kernel::max_threads; })
    return &run_bounded_kernel<Kernel, Args...>;
  else
    return &run_kernel<Kernel, Args...>;
}

}  // namespace tallcache::gpu

namespace tallcache {

/// Starts kernel(t, args...) for every thread of `shape` in the stream of `launch`. Throws Error when it
/// could not be started.
template <class Kernel, class... Args>
void launch_kernel(const Launch& launch, const Kernel&, const LaunchShape& shape, const Args&... args) {
  const auto entry = gpu::entry_of<Kernel, Args...>();
  if constexpr (requires { Kernel::max_dynamic_shared_bytes; })
    gpu::allow_dynamic_shared(reinterpret_cast<const void*>(entry), Kernel::max_dynamic_shared_bytes,
                              shape.file, shape.line);
  entry<<<dim3(shape.grid.x, shape.grid.y, shape.grid.z), dim3(shape.block.x, shape.block.y, shape.block.z),
          shape.dynamic_shared, gpu::stream_of(launch)>>>(args...);
  gpu::check_launch(shape.file, shape.line);
}

/// Asynchronous, in the stream of `launch`.
template <class T>
void set_zero(const Launch& launch, VectorView<T> v) {
  TALLCACHE_CUDA(cudaMemsetAsync(v.data, 0, v.size * sizeof(T), gpu::stream_of(launch)));
}
template <class T>
void copy_elements(const Launch& launch, VectorView<T> to, VectorView<const T> from) {
  TALLCACHE_CUDA(cudaMemcpyAsync(to.data, from.data, from.size * sizeof(T), cudaMemcpyDeviceToDevice,
                                 gpu::stream_of(launch)));
}

}  // namespace tallcache
