// C = A B in tiles of the iteration space, as in the slides: i, j and k in steps of a tile, then within
// the tile.
#pragma once

#include <algorithm>

#include "common/cache/ideal_misses.hpp"
#include "common/variant.hpp"
#include "cpu/matmul/second_factor.hpp"

namespace tallcache::cpu::matmul {

inline constexpr ParamSpec tile_params[] = {{"tile_m", 64, "rows of a tile of C"},
                                            {"tile_n", 64, "columns of a tile of C"},
                                            {"tile_k", 64, "inner dimension of a tile"}};

/// The rows of tiles are independent; `product(i, j, k)` adds one product to c(i, j).
template <class Fork, class C, class Product>
void multiply_tiled(Fork& fork, C c, Index inner, const Params& tile, Product product) {
  const Index tile_m = tile["tile_m"], tile_n = tile["tile_n"], tile_k = tile["tile_k"];
  fork.loop(0, c.rows, tile_m, [&](Index i0) {
    const Index i1 = std::min(i0 + tile_m, c.rows);
    zero(c.block(i0, 0, i1 - i0, c.cols));
    for (Index j0 = 0; j0 < c.cols; j0 += tile_n)
      for (Index k0 = 0; k0 < inner; k0 += tile_k) {
        const Index j1 = std::min(j0 + tile_n, c.cols), k1 = std::min(k0 + tile_k, inner);
        for (Index i = i0; i < i1; ++i)
          for (Index j = j0; j < j1; ++j)
            for (Index k = k0; k < k1; ++k) product(i, j, k);
      }
  });
}

struct tiled {
  static constexpr std::string_view idea =
      "64 x 64 x 64 tiles, i-j-k inside each: three tiles fit in the cache";
  static constexpr std::string_view source = "M1: Blocking for optimizing temporal locality";
  using operations = OperationList<Matmul<double>, Matmul<float>, Matmul<std::int32_t>, MatmulBt<double>,
                                   MatmulBt<float>, MatmulBt<std::int32_t>>;
  static constexpr std::span<const ParamSpec> params = tile_params;
  static constexpr bool parallel = true;
  static constexpr double ns_per_unit = 0.25;

  /// M5: Cache complexity of the naive and tiled matrix multiplications.
  template <class T>
  static cache::Prediction predicted_misses(Matmul<T>, const Shape& shape, const Params& params,
                                            cache::IdealCache ideal) {
    return tiled_product_misses(ideal, cache::product_sizes(shape), params, cache::product_misses);
  }
  template <class T>
  static cache::Prediction predicted_misses(MatmulBt<T>, const Shape& shape, const Params& params,
                                            cache::IdealCache ideal) {
    return tiled_product_misses(ideal, cache::product_sizes(shape), params, cache::product_of_rows_misses);
  }

  template <class Fork, class Args>
  static void run(Fork& fork, const Args& args, const Params& params) {
    multiply_tiled(fork, args.c, args.a.cols, params,
                   [c = args.c, a = args.a, b = second_factor(args)](Index i, Index j, Index k) {
                     c(i, j) += a(i, k) * b(k, j);
                   });
  }
};

}  // namespace tallcache::cpu::matmul
