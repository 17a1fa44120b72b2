// A product by one thread block, one thread for each element of C.
#pragma once

#include <algorithm>

#include "gpu/matmul/thread_per_element.hpp"

namespace tallcache::gpu::matmul {

struct one_block : OnGpu {
  static constexpr std::string_view idea =
      "one block of m x n threads, at most 32 x 32: one multiprocessor works, the others idle";
  static constexpr std::string_view source = "H1: Review: GPU version";
  using operations = OperationList<Matmul<std::int32_t>, Matmul<float>, Matmul<double>>;

  static bool supports(const Shape& shape) { return shape["m"] <= 32 && shape["n"] <= 32; }

  template <class Device, class Args>
  static void call(Device& device, const Args& args, const Params&) {
    multiply_elements(device, args.c, args.a, RowMajor{args.b},
                      static_cast<unsigned>(std::max<Index>(args.c.rows, 1)),
                      static_cast<unsigned>(std::max<Index>(args.c.cols, 1)));
  }
};

}  // namespace tallcache::gpu::matmul
