// The QR factorisation of Elmroth and Gustavson.
#pragma once

#include "gpu/lu/block_columns.hpp"
#include "gpu/on_gpu.hpp"
#include "gpu/qr/recursion.cuh"

namespace tallcache::gpu::qr {

struct recursive_wy : OnCapability<9, 0> {
  static constexpr std::string_view idea =
      "blocks of columns, each halved down to panels that a cluster of blocks holds in registers; reflectors "
      "applied by products (compact WY) by tiles on tensor cores or CUDA cores, whose long sums a cluster "
      "shares; applies tiling, coarsening, coalescing";
  static constexpr std::string_view source =
      "Elmroth and Gustavson 2000; Schreiber and Van Loan 1989 (compact WY)";
  using operations = OperationList<Qr<double>, Qr<float>>;
  static constexpr ParamSpec params[] = {lu::block_columns};

  template <class T>
  static std::size_t scratch(Qr<T>, const Shape& shape, const Params&) {
    return Recursion<T>::scratch(shape["m"], shape["n"]);
  }

  template <class Args>
  static void call(const Launch& launch, const Args& args, const Params& params) {
    using T = typename std::decay_t<decltype(args.a)>::value_type;
    if (args.a.rows == 0 || args.a.cols == 0) return;
    const Index steps = std::min(args.a.rows, args.a.cols);
    const Tuning& tuning = device_tuning();
    const Index suitable = steps <= tuning.qr_narrow_steps              ? 32
                           : steps <= 2 * Index{tuning.qr_narrow_steps} ? 64
                                                                        : tuning.qr_wide_block;
    Recursion<T>(launch, args.a, args.tau.data, args.scratch)
        .factor(static_cast<int>(params["block"] ? params["block"] : suitable));
  }
};

}  // namespace tallcache::gpu::qr
