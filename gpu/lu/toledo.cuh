// LU decomposition with partial pivoting by Toledo's recursion.
#pragma once

#include "gpu/lu/block_columns.hpp"
#include "gpu/lu/recursion.cuh"
#include "gpu/lu/small_matrices.cuh"
#include "gpu/on_gpu.hpp"

namespace tallcache::gpu::lu {

struct toledo : OnCapability<9, 0> {
  static constexpr std::string_view idea =
      "blocks of columns, each halved down to panels that a cluster of blocks holds in registers, no row "
      "moved before a panel's end; products by tiles on tensor cores or CUDA cores; a matrix that a cluster "
      "holds whole in one launch; applies tiling, coarsening, coalescing";
  static constexpr std::string_view source = "Toledo 1997";
  using operations = OperationList<LuPivot<double>, LuPivot<float>>;
  static constexpr ParamSpec params[] = {block_columns};

  template <class T>
  static std::size_t scratch(LuPivot<T>, const Shape& shape, const Params&) {
    return Recursion<T>::scratch(shape["m"], shape["n"]);
  }

  template <class Args>
  static void call(const Launch& launch, const Args& args, const Params& params) {
    using T = typename std::decay_t<decltype(args.a)>::value_type;
    if (args.a.rows == 0 || args.a.cols == 0) return;
    // Beyond, kernel by kernel is quicker (TUNING.md).
    constexpr Index max_bytes = 1 << 20;
    const Index m = args.a.rows, n = args.a.cols, bytes = m * n * Index{sizeof(T)};
    if (!params["block"] && bytes <= max_bytes && OneMatrix<T>::has_room(m, n))
      return OneMatrix<T>::start(stream_of(launch), args.a, args.exchanges.data, m);
    const Index block = params["block"] ? params["block"] : Recursion<T>::suitable_block(m, n);
    Recursion<T>(launch, args.a, args.exchanges.data, args.scratch).factor(static_cast<int>(block));
  }
};

}  // namespace tallcache::gpu::lu
