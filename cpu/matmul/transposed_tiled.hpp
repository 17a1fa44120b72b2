// C = A B through a transposed copy of B, in tiles: spatial and temporal locality together.
#pragma once

#include "common/cache/ideal_misses.hpp"
#include "common/ops/matmul.hpp"
#include "common/variant.hpp"
#include "cpu/matmul/tiled.hpp"
#include "cpu/matmul/transposed.hpp"
#include "cpu/transpose/naive.hpp"

namespace tallcache::cpu::matmul {

struct transposed_tiled {
  static constexpr std::string_view idea = "transpose B, then 64 x 64 x 64 tiles";
  static constexpr std::string_view source = "M1: Transposing and blocking for optimizing data locality";
  using operations = transposed::operations;
  static constexpr std::span<const ParamSpec> params = tile_params;

  template <class Op>
  static std::size_t scratch(Op op, const Shape& shape, const Params& params) {
    return transposed::scratch(op, shape, params);
  }

  /// M5: Cache complexity of the naive and tiled matrix multiplications; M6 for the copy.
  template <class T>
  static cache::Prediction predicted_misses(Matmul<T>, const Shape& shape, const Params& params,
                                            cache::IdealCache ideal) {
    const auto sizes = cache::product_sizes(shape);
    return transposed_product_misses(
        ideal, sizes, tiled_product_misses(ideal, sizes, params, cache::product_of_rows_misses));
  }

  template <class Fork, class Args>
  static void run(Fork& fork, const Args& args, const Params& params) {
    auto scratch = args.scratch;
    const auto bt = scratch.template matrix<typename decltype(args.b)::value_type>(args.b.cols, args.b.rows);
    transpose::transpose_naive(bt, args.b);
    multiply_tiled(
        fork, args.c, args.a.cols, params,
        [c = args.c, a = args.a, bt](Index i, Index j, Index k) { c(i, j) += a(i, k) * bt(j, k); });
  }
};

}  // namespace tallcache::cpu::matmul
