// The product with a column-major B. Its warps read 32 elements that are a column apart.
#pragma once

#include "common/ops/matmul_bt.hpp"
#include "gpu/matmul/thread_per_element.hpp"

namespace tallcache::gpu::matmul_bt {

/// Element (l, j) of B from its columns, which are the rows of B^T.
template <class View>
struct ColumnMajor {
  View bt;
  TALLCACHE_DEVICE auto operator()(Index l, Index j) const { return bt(j, l); }
};
template <class View>
ColumnMajor(View) -> ColumnMajor<View>;  // which clang++ 14 does not deduce

struct uncoalesced : OnGpu {
  static constexpr std::string_view idea =
      "one thread an element, B column-major: the lanes of a warp read a column apart; applies occupancy";
  static constexpr std::string_view source = "P1: Column Major (fig. 6.3)";
  using operations = OperationList<MatmulBt<float>, MatmulBt<double>, MatmulBt<std::int32_t>>;

  template <class Device, class Args>
  static void call(Device& device, const Args& args, const Params&) {
    matmul::multiply_elements(device, args.c, args.a, ColumnMajor{args.bt}, 8, 32);
  }
};

}  // namespace tallcache::gpu::matmul_bt
