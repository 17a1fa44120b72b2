// n = n1 n2 in two passes over memory, where a cluster of blocks shares a tile of long columns: its blocks
// exchange the outputs of their first stage through each other's shared memory. CUDA C++ Programming Guide,
// "Thread Block Clusters" and "Distributed Shared Memory"; compute capability 9.0.
#pragma once

#include "gpu/dependent_launch.cuh"
#include "gpu/fft/any_size.hpp"

namespace tallcache::gpu::fft {

/// A block that has a tile to itself, of a kernel that may start early.
template <bool is_second>
struct EarlyBlock : OwnBlock {
  __device__ static void begin(DeviceThread) {
    if constexpr (is_second) wait_for_last_kernel();
  }
  /// The input is read in pieces, the rows of a tile. What lies beside one is fetched to the second-level
  /// cache, for the next tile.
  template <Pass pass>
  __device__ static Complex load(const VectorView<const Complex>& from, Index i) {
    if constexpr (pass != Pass::columns) return from[i];
    Complex z;
    asm volatile("ld.global.L2::128B.v2.f64 {%0, %1}, [%2];"
                 : "=d"(z.re), "=d"(z.im)
                 : "l"(from.data + i)
                 : "memory");
    return z;
  }
  __device__ static void before_last_stage(DeviceThread) {
    if constexpr (!is_second) let_next_kernel_start();
  }
};

/// The blocks of a cluster of 2^lg_p.
template <int lg_p, bool is_second>
struct ClusterBlock : EarlyBlock<is_second> {
  static constexpr int lg_blocks = lg_p;

  __device__ static void begin(DeviceThread t) {
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
    EarlyBlock<is_second>::begin(t);
  }
  __device__ static unsigned rank(DeviceThread) {
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
  }
  __device__ static unsigned tile(DeviceThread t) { return t.block().x >> lg_p; }
  /// All blocks of the cluster have begun, so that there is memory to write to.
  __device__ static void before_exchange(DeviceThread) {
    asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
  }
  __device__ static void after_exchange(DeviceThread) {
    asm volatile(
        "barrier.cluster.arrive.release.aligned;\n"
        "barrier.cluster.wait.acquire.aligned;" ::
            : "memory");
  }
  __device__ static void store(DeviceThread, Complex* memory, int rank, int i, Complex z) {
    unsigned there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(shared_address(memory + i)), "r"(rank));
    asm volatile("st.shared::cluster.v2.f64 [%0], {%1, %2};" ::"r"(there), "d"(z.re), "d"(z.im) : "memory");
  }
};

/// Starts a kernel of clusters of 2^lg_p blocks. One that is `second` may start before the last one has
/// ended.
template <class Kernel, int lg_p, bool second, class... Args>
void launch_clusters(const Launch& launch, Index blocks, const Args&... args) {
  static_assert(lg_p <= 3, "a device may have no clusters of more than 8 blocks");
  const auto entry = entry_of<Kernel, Args...>();
  if constexpr (Kernel::max_dynamic_shared_bytes > 0)
    allow_dynamic_shared(reinterpret_cast<const void*>(entry), Kernel::max_dynamic_shared_bytes);
  cudaLaunchAttribute attributes[2]{};
  attributes[0].id = cudaLaunchAttributeClusterDimension;
  attributes[0].val.clusterDim = {1u << lg_p, 1, 1};
  attributes[1].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attributes[1].val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = grid_of(blocks);
  config.blockDim = Kernel::max_threads;
  config.dynamicSmemBytes = Kernel::max_dynamic_shared_bytes;
  config.stream = stream_of(launch);
  config.attrs = attributes;
  config.numAttrs = second ? 2 : 1;
  TALLCACHE_CUDA(cudaLaunchKernelEx(&config, entry, args...));
}

/// Columns of length 2^lg_l in tiles of `lg_c` columns, of which clusters of 2^lg_p blocks have one each.
template <Pass pass, int lg_l, int lg_c, int lg_p, class Data>
void run_clusters(const Launch& launch, Index columns, const Data& data) {
  constexpr bool second = pass == Pass::rows;
  using Blocks = std::conditional_t<lg_p == 0, EarlyBlock<second>, ClusterBlock<lg_p, second>>;
  using Kernel = TransformTile<pass, lg_l, lg_c, lg_each(lg_l), Blocks>;
  launch_clusters<Kernel, lg_p, second>(launch, columns >> lg_c << lg_p, data.to, data.from, data.powers,
                                        data.low, data.tables, data.layout);
}

struct ClusterTiles {
  static constexpr int max_lg_n = 28;

  static constexpr int lg_cols(int) { return 2; }
  static constexpr int lg_blocks(int lg_l) { return lg_l <= 10 ? 0 : lg_l == 11 ? 2 : 3; }

  template <Pass pass, int lg_l, class Data>
  static void run(const Launch& launch, Index columns, const Data& data) {
    if constexpr (pass == Pass::whole)
      run_clusters<pass, lg_l, 0, 0>(launch, columns, data);
    else
      run_clusters<pass, lg_l, lg_cols(lg_l), lg_blocks(lg_l)>(launch, columns, data);
  }
};

struct clusters : OnCapability<9, 0> {
  static constexpr std::string_view idea =
      "two passes, tiles of long columns shared by the blocks of a cluster, exchanged through "
      "distributed shared memory; the second kernel starts as the first ends; any n to 2^27, "
      "powers of two to 2^28; applies coalescing, tiling, coarsening, occupancy";
  static constexpr std::string_view source =
      "Bailey 1990; Govindaraju, Lloyd, Dotsenko, Smith, Manferdelli 2008; Bluestein 1970";
  using operations = OperationList<Fft>;
  static constexpr PhaseSpec phases[] = {{"roots", false, true}, {"transform"}};

  static bool supports(const Shape& shape) { return AnySize<ClusterTiles, Plain>::supports(shape["n"]); }

  static std::size_t scratch(Fft, const Shape& shape, const Params&) {
    return AnySize<ClusterTiles, Plain>::scratch(shape["n"]);
  }

  template <int phase, class Args>
  static void call(const Launch& launch, const Args& args, const Params&) {
    AnySize<ClusterTiles, Plain>::template call<phase>(launch, args);
  }
};

}  // namespace tallcache::gpu::fft
