// The product whose warps read 32 neighbouring elements of a row of B at once.
#pragma once

#include "gpu/matmul/thread_per_element.hpp"

namespace tallcache::gpu::matmul {

struct coalesced : OnGpu {
  static constexpr std::string_view idea =
      "one thread an element, B row-major: the lanes of a warp read neighbours; applies occupancy, "
      "coalescing";
  static constexpr std::string_view source = "P1: Row Major (fig. 6.2); M15: mat_mul";
  using operations = OperationList<Matmul<float>, Matmul<double>, Matmul<std::int32_t>, Matmul<Bfloat16>>;

  template <class Device, class Args>
  static void call(Device& device, const Args& args, const Params&) {
    multiply_elements(device, args.c, args.a, RowMajor{args.b}, 8, 32);
  }
};

}  // namespace tallcache::gpu::matmul
