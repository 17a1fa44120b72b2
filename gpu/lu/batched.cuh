// Decompositions of batches of matrices.
#pragma once

#include "common/ops/lu_batched.hpp"
#include "gpu/lu/small_matrices.cuh"
#include "gpu/on_gpu.hpp"

namespace tallcache::gpu::lu {

struct batched : OnCapability<9, 0> {
  static constexpr std::string_view idea =
      "one kernel: a group of lanes, a warp, a block or a cluster has a matrix, a thread a row, in registers "
      "and shared memory, no row moved before the end; applies coarsening, coalescing";
  static constexpr std::string_view source = "Golub and Van Loan 2013; Toledo 1997";
  using operations = OperationList<LuBatched<double>, LuBatched<float>>;

  static bool supports(const Shape& shape) { return ManyMatrices<double>::has_room(shape["m"], shape["n"]); }

  template <class Args>
  static void call(const Launch& launch, const Args& args, const Params&) {
    using T = typename std::decay_t<decltype(args.a)>::value_type;
    if (args.exchanges.size == 0) return;
    ManyMatrices<T>::start(stream_of(launch), args.a, args.exchanges.data, args.m());
  }
};

}  // namespace tallcache::gpu::lu
