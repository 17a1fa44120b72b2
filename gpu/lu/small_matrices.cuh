// Decompositions of matrices that lie whole in a warp, a block or a cluster: one launch.
#pragma once

#include "gpu/lu/matrix_in_cluster.cuh"

namespace tallcache::gpu::lu {

/// The first of the kernels that has room for a matrix has it.
template <class T, class... Kernels>
struct FirstWithRoom {
  static constexpr bool has_room(Index m, Index n) { return (Kernels::has_room(m, n) || ...); }

  /// Factors each of the matrices of m x n that lie one below the other in `a`; there is room for one.
  static void start(cudaStream_t stream, const MatrixView<T>& a, std::int32_t* exchanges, Index m) {
    const auto starts = [&]<class Kernel>(std::type_identity<Kernel>) {
      if (!Kernel::has_room(m, a.cols)) return false;
      Kernel::start(stream, a, exchanges, m);
      return true;
    };
    (starts(std::type_identity<Kernels>{}) || ...);
  }
};

/// Of a kernel, the matrices of which a multiprocessor has two.
template <class Kernel>
struct TwoAtOnce : Kernel {
  static constexpr bool has_room(Index m, Index n) {
    constexpr Index of_block = 1024;  // of shared memory, for the system
    return Kernel::has_room(m, n) &&
           2 * (Kernel::shared_bytes(static_cast<int>(m), static_cast<int>(n)) + of_block) <=
               shared_of_block + of_block;
  }
};

template <class T>
using OneMatrix = FirstWithRoom<T, WholeMatrix<T, 16, 32, 4>, MatrixInCluster<T>>;
/// Wider panels leave less in shared memory.
template <class T>
using ManyMatrices =
    FirstWithRoom<T, WholeMatrix<T, 8, 8, 1>, WholeMatrix<T, 16, 16, 1>, WholeMatrix<T, 24, 32, 1>,
                  WholeMatrix<T, 32, 32, 1>, TwoAtOnce<WholeMatrix<T, 16, 32, 4>>,
                  TwoAtOnce<WholeMatrix<T, sizeof(T) == 8 ? 24 : 16, 32, 4>>, OneMatrix<T>>;

}  // namespace tallcache::gpu::lu
