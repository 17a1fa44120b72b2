// B = A^T in square tiles. A tile of A and the tile of B that it becomes fit in the cache together.
#pragma once

#include <algorithm>

#include "common/cache/ideal_misses.hpp"
#include "common/ops/transpose.hpp"
#include "common/variant.hpp"
#include "cpu/transpose/naive.hpp"

namespace tallcache::cpu::transpose {

template <class Fork, class B, class A>
void transpose_tiled(Fork& fork, B b, A a, Index tile) {
  fork.loop(0, a.rows, tile, [&](Index i) {
    const Index rows = std::min(tile, a.rows - i);
    for (Index j = 0; j < a.cols; j += tile) {
      const Index cols = std::min(tile, a.cols - j);
      transpose_naive(b.block(j, i, cols, rows), a.block(i, j, rows, cols));
    }
  });
}

struct tiled {
  static constexpr std::string_view idea = "square tiles: a tile of A and its transpose fit in the cache";
  static constexpr std::string_view source = "M6, made cache-aware";
  using operations = OperationList<Transpose<float>, Transpose<double>, Transpose<std::int32_t>>;
  static constexpr ParamSpec params[] = {{"tile", 32, "rows and columns of a tile"}};
  static constexpr bool parallel = true;
  static constexpr double ns_per_unit = 0.06;

  /// M6, made cache-aware: a tile has rows of its own.
  template <class T>
  static cache::Prediction predicted_misses(Transpose<T>, const Shape& shape, const Params& params,
                                            cache::IdealCache ideal) {
    const auto m = static_cast<double>(shape["m"]), n = static_cast<double>(shape["n"]);
    return transposition_misses(ideal, m * n, std::min<double>(n, params["tile"]));
  }

  template <class Fork, class Args>
  static void run(Fork& fork, const Args& args, const Params& params) {
    transpose_tiled(fork, args.b, args.a, params["tile"]);
  }
};

}  // namespace tallcache::cpu::transpose
