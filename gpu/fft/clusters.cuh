// n = n1 n2 in two passes over memory, where a cluster of blocks shares a tile of long columns: its blocks
// exchange the outputs of their first stage through each other's shared memory. CUDA C++ Programming Guide,
// "Thread Block Clusters" and "Distributed Shared Memory"; compute capability 9.0.
#pragma once

#include "gpu/dependent_launch.cuh"
#include "gpu/fft/any_size.hpp"

namespace tallcache::gpu::fft {

/// Loads of 128 bytes into the second-level cache, and stores into the shared memory of a cluster's block.
__device__ inline Complex<double> load_with_neighbours(const Complex<double>* from) {
  Complex<double> z;
  asm volatile("ld.global.L2::128B.v2.f64 {%0, %1}, [%2];" : "=d"(z.re), "=d"(z.im) : "l"(from) : "memory");
  return z;
}
__device__ inline Complex<float> load_with_neighbours(const Complex<float>* from) {
  Complex<float> z;
  asm volatile("ld.global.L2::128B.v2.f32 {%0, %1}, [%2];" : "=f"(z.re), "=f"(z.im) : "l"(from) : "memory");
  return z;
}
__device__ inline void store_in_cluster(unsigned there, Complex<double> z) {
  asm volatile("st.shared::cluster.v2.f64 [%0], {%1, %2};" ::"r"(there), "d"(z.re), "d"(z.im) : "memory");
}
__device__ inline void store_in_cluster(unsigned there, Complex<float> z) {
  asm volatile("st.shared::cluster.v2.f32 [%0], {%1, %2};" ::"r"(there), "f"(z.re), "f"(z.im) : "memory");
}

/// A block that has a tile to itself, of a kernel that may start early.
template <bool is_second>
struct EarlyBlock : OwnBlock {
  __device__ static void begin(DeviceThread) {
    if constexpr (is_second) wait_for_last_kernel();
  }
  /// The input is read in pieces, the rows of a tile. What lies beside one is fetched to the second-level
  /// cache, for the next tile.
  template <Pass pass, class T>
  __device__ static Complex<T> load(const VectorView<const Complex<T>>& from, Index i) {
    if constexpr (pass == Pass::whole || pass == Pass::rows) return from[i];
    return load_with_neighbours(from.data + i);
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
  template <class Number>
  __device__ static void store(DeviceThread, Number* memory, int rank, int i, Number z) {
    unsigned there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(shared_address(memory + i)), "r"(rank));
    store_in_cluster(there, z);
  }
};

/// Of columns of mixed radices, in either pass.
struct EarlyMixedBlock : EarlyBlock<true> {
  __device__ static void before_last_stage(DeviceThread) { let_next_kernel_start(); }
};

/// Starts a kernel of clusters of 2^lg_p blocks. One that `is_second` may start before the last one has
/// ended.
template <class Kernel, class... Args>
void launch_clusters(const Launch& launch, int lg_p, bool is_second, Index blocks, unsigned threads,
                     std::size_t shared_bytes, const Args&... args) {
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
  config.blockDim = threads;
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream_of(launch);
  config.attrs = attributes;
  config.numAttrs = is_second ? 2 : 1;
  TALLCACHE_CUDA(cudaLaunchKernelEx(&config, entry, args...));
}

/// Columns of length 2^lg_l in tiles of 2^lg_c columns, of which clusters of 2^lg_p blocks have one each, and
/// threads 2^lg_e numbers.
template <class T, Pass pass, int lg_l, int lg_c, int lg_p, int lg_e, class Data>
void run_clusters(const Launch& launch, const Data& data) {
  static_assert(lg_p <= 3, "a device may have no clusters of more than 8 blocks");
  constexpr bool second = pass == Pass::rows;
  using Blocks = std::conditional_t<lg_p == 0, EarlyBlock<second>, ClusterBlock<lg_p, second>>;
  using Kernel = TransformTile<T, pass, lg_l, lg_c, lg_e, Blocks>;
  launch_clusters<Kernel>(launch, lg_p, second, ceil_div(data.order.total(), Index{1} << lg_c) << lg_p,
                          Kernel::max_threads, Kernel::max_dynamic_shared_bytes, data);
}

/// A tile of 2^lg_cols columns is the tile of a cluster of 2^lg_blocks blocks, whose threads have 2^lg_each
/// numbers.
struct TileShape {
  int lg_cols, lg_blocks, lg_each;
  friend bool operator==(const TileShape&, const TileShape&) = default;
};

struct ClusterTiles {
  static constexpr int max_lg_n = 28, max_lg_across = 14;

  /// Few transforms of one pass leave multiprocessors idle, for longer than a second kernel takes to start.
  template <class T>
  static constexpr int max_lg_whole(bool batched, unsigned count) {
    return count > 8 ? 16 : batched || sizeof(T) == sizeof(float) ? 14 : 12;
  }

  /// Of a pass over `columns` columns of 2^lg_l numbers. Columns that are fewer than they are long belong to
  /// one transform, and would leave multiprocessors idle in tiles that are as wide as else.
  template <class T>
  static constexpr TileShape shape(Pass pass, int lg_l, Index columns) {
    constexpr bool is_float = sizeof(T) == sizeof(float);
    const bool few = pass == Pass::columns && columns < Index{1} << lg_l, rows = pass == Pass::rows;
    TileShape shape{2 + is_float, lg_l <= 10 ? 0 : lg_l == 11 ? 2 : 3, lg_each(lg_l)};
    if (lg_l == 10 && few) return {is_float ? 2 : 1, 0, 4};
    if (!is_float || pass == Pass::across) return shape;
    if (lg_l == 11 && few) return {3, 0, 4};
    if (lg_l == 10) shape.lg_each = 5;
    if (lg_l <= 9 || lg_l == 14 || (lg_l == 13 && !rows)) shape.lg_cols = 2;
    if (lg_l == 14 && rows) shape.lg_each = 5;
    return shape;
  }
  template <class T>
  static constexpr int lg_cols(Pass pass, int lg_l, Index columns) {
    return shape<T>(pass, lg_l, columns).lg_cols;
  }

  template <class T, Pass pass, int lg_l, class Data>
  static void run(const Launch& launch, const Data& data) {
    constexpr TileShape few = shape<T>(pass, lg_l, 0), many = shape<T>(pass, lg_l, Index{1} << 32);
    if constexpr (pass == Pass::whole) {
      run_whole<T, lg_l>(launch, data);
    } else if constexpr (pass == Pass::across) {
      run_clusters<T, pass, lg_l, lg_across_cols(lg_l, many.lg_cols), many.lg_blocks, many.lg_each>(launch,
                                                                                                    data);
    } else {
      if constexpr (few != many)
        if (shape<T>(pass, lg_l, data.order.total()) == few)
          return run_clusters<T, pass, lg_l, few.lg_cols, few.lg_blocks, few.lg_each>(launch, data);
      run_clusters<T, pass, lg_l, many.lg_cols, many.lg_blocks, many.lg_each>(launch, data);
    }
  }

  template <class T, class Data>
  static void run_mixed(const Launch& launch, bool is_second, const Data& data) {
    const MixedPass& pass = data.pass;
    launch_clusters<MixedTile<T, EarlyMixedBlock>>(launch, 0, is_second, pass.tiles(data.order),
                                                   static_cast<unsigned>(pass.threads),
                                                   pass.tile_numbers() * sizeof(Complex<T>), data);
  }

 private:
  /// So few clusters of 8 blocks do not fill the device. Then one has each transform that is long enough.
  static constexpr unsigned most_few = 16;

  template <class T, int lg_l, class Data>
  static void run_whole(const Launch& launch, const Data& data) {
    constexpr bool batched = is_batch<decltype(Data::from)>, is_float = sizeof(T) == sizeof(float);
    constexpr bool is_long = lg_l >= 12;
    constexpr int lg_e = is_float && lg_l >= 13 ? 5 : lg_whole_each<Data>(lg_l);
    if constexpr (is_long)
      if (!batched || data.order.count <= most_few)
        return run_clusters < T, Pass::whole, lg_l, 0, lg_l == 12 ? 2 : 3, lg_e > (launch, data);
    // Of many transforms blocks have 2^16 bytes, so that two or three are on a multiprocessor.
    constexpr int lg_p = std::clamp(lg_l - (is_float ? 13 : 12), 0, 3);
    if constexpr (batched || !is_long)
      run_clusters<T, Pass::whole, lg_l, lg_whole_cols<Data>(lg_l), lg_p, lg_e>(launch, data);
  }
};

struct clusters : OnCapability<9, 0> {
  static constexpr std::string_view idea =
      "two passes, tiles of long columns shared by the blocks of a cluster, exchanged through "
      "distributed shared memory; the second kernel starts as the first ends; any n to 2^27, "
      "powers of two to 2^28; applies coalescing, tiling, coarsening, occupancy";
  static constexpr std::string_view source =
      "Bailey 1990; Govindaraju, Lloyd, Dotsenko, Smith, Manferdelli 2008; Bluestein 1970";
  using operations = OperationList<Fft<double>, Fft<float>>;
  static constexpr PhaseSpec phases[] = {{"roots", false, true}, {"transform"}};

  static bool supports(const Shape& shape) {
    return AnySize<ClusterTiles, double, Plain>::supports(shape["n"]);
  }

  template <class T>
  static std::size_t scratch(Fft<T>, const Shape& shape, const Params&) {
    return scratch_of_any_size<ClusterTiles, T>(shape["n"]);
  }

  template <int phase, class Args>
  static void call(const Launch& launch, const Args& args, const Params&) {
    transform_any_size<ClusterTiles, phase>(launch, args);
  }
};

}  // namespace tallcache::gpu::fft
