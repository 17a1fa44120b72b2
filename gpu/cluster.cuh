// Blocks of a cluster that write to each other's shared memory. PTX ISA, "mapa", "st.async",
// "barrier.cluster"; compute capability 9.0.
#pragma once

#include <cstdint>

#include "gpu/mbarrier.cuh"

namespace tallcache::gpu {

/// The block's number in its cluster. A launch without clusters has a cluster for each block, as have devices
/// without them.
__device__ __forceinline__ unsigned cluster_rank() {
  unsigned rank = 0;
#if __CUDA_ARCH__ >= 900
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
#endif
  return rank;
}
/// The number of the block's cluster in a grid along x.
__device__ __forceinline__ unsigned cluster_number() {
  unsigned number = blockIdx.x;
#if __CUDA_ARCH__ >= 900
  asm volatile("mov.u32 %0, %%clusterid.x;" : "=r"(number));
#endif
  return number;
}

/// A barrier of all threads of the cluster. What they wrote before it can be read behind it.
__device__ __forceinline__ void sync_cluster() {
  asm volatile(
      "barrier.cluster.arrive.release.aligned;\n"
      "barrier.cluster.wait.acquire.aligned;\n" ::
          : "memory");
}

/// The place in the shared memory of block `rank` that `address` is in that of this block.
__device__ __forceinline__ std::uint32_t of_block(std::uint32_t address, unsigned rank) {
  std::uint32_t remote;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(address), "r"(rank));
  return remote;
}

/// The same of a generic address, which loads and stores take.
template <class T>
__device__ __forceinline__ T* of_block(T* place, unsigned rank) {
  std::uint64_t remote;
  asm volatile("mapa.u64 %0, %1, %2;" : "=l"(remote) : "l"(place), "r"(rank));
  return reinterpret_cast<T*>(remote);
}

/// Loads 16 bytes of a block of the cluster, from the address of_block() gives.
__device__ __forceinline__ uint4 load_of_block(std::uint32_t from) {
  uint4 value;
  asm volatile("ld.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
               : "r"(from)
               : "memory");
  return value;
}

/// Sends 16 bytes to another block; its barrier counts them when they have arrived.
__device__ __forceinline__ void send(std::uint32_t to, const uint4& value, std::uint32_t barrier) {
  asm volatile(
      "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %2, %3, %4}, [%5];" ::"r"(
          to),
      "r"(value.x), "r"(value.y), "r"(value.z), "r"(value.w), "r"(barrier)
      : "memory");
}

/// Sends one number.
__device__ __forceinline__ void send(std::uint32_t to, double value, std::uint32_t barrier) {
  asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b64 [%0], %1, [%2];" ::"r"(to),
               "l"(__double_as_longlong(value)), "r"(barrier)
               : "memory");
}
__device__ __forceinline__ void send(std::uint32_t to, float value, std::uint32_t barrier) {
  asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(to),
               "r"(__float_as_uint(value)), "r"(barrier)
               : "memory");
}

}  // namespace tallcache::gpu
