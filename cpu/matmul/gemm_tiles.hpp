// The packed product in tiles of C that any threads, or processes which see its memory, compute in any order.
#pragma once

#include <algorithm>

#include "cpu/matmul/gemm.hpp"

namespace tallcache::cpu::matmul {

/// C = A B + beta C in row-major order, with gemm()'s packed factors and kernels. Its tiles are what REC-MULT
/// (Frigo, Leiserson, Prokop, Ramachandran 1999) makes of C by halving the larger of its two dimensions; each
/// is then computed by the whole recursion, so that the result is gemm()'s to the last bit.
template <class T>
class GemmTiles {
 public:
  /// The matrices are valid and do not overlap. `scratch` is of gemm_scratch_bytes(); another process gives
  /// views of the same memory at its own addresses. `most`: a bound on the number of tiles, a power of two.
  /// Tiles are not halved below a leaf of the recursion.
  GemmTiles(MatrixView<const T> a, MatrixView<const T> b, SumOf<T> beta, MatrixView<SumOf<T>> c,
            Scratch<> scratch, Index most)
      : run_(detail::gemm_run<T, Plain>(plan_of(c, a), Trans::no, Trans::no, 1, a, b, beta, c, scratch)) {
    const auto& plan = run_.plan;
    Index rows = plan.panels_m, cols = plan.panels_n;
    while (count() < most && (rows > plan.mc || cols > plan.nc) && plan.halve_larger(rows, cols, 1, 1))
      ++halvings_;
  }

  /// Packs the factors, once, before any tile is computed.
  template <class Fork>
  void pack(Fork& fork) const {
    run_.pack(fork);
  }

  Index count() const { return Index{1} << halvings_; }

  /// Computes one tile, 0 <= tile < count().
  void multiply(Index tile) const {
    const Tile part = at(tile);
    if (part.c.rows <= 0 || part.c.cols <= 0) return;  // half of a single panel
    Serial fork;
    run_.multiply(fork, part.c, part.a, part.b, {part.a, part.b});
  }

  /// The elements of A, B and C that a tile reads and writes.
  Index words(Index tile) const {
    const auto c = at(tile).c;
    return c.rows * run_.plan.k + run_.plan.k * c.cols + c.rows * c.cols;
  }

 private:
  struct Tile {
    MatrixView<SumOf<T>> c;
    detail::FactorPart<T, Plain> a, b;
  };

  Tile at(Index tile) const {
    const auto& plan = run_.plan;
    detail::FactorPart<T, Plain> a{&run_.a, 0, plan.panels_m, 0, plan.k_blocks};
    detail::FactorPart<T, Plain> b{&run_.b, 0, plan.panels_n, 0, plan.k_blocks};
    for (int halving = halvings_; halving-- > 0;) {
      const auto cut = halve<Index>({a.end - a.begin, b.end - b.begin}, {run_.a.width, run_.b.width}, {1, 1});
      auto& larger = cut.side == 1 ? b : a;
      const auto [first, second] = larger.split_panels(cut.first);
      larger = tile >> halving & 1 ? second : first;
    }
    const Index row = a.begin * run_.a.width, col = b.begin * run_.b.width;
    const Index rows = std::min(a.end * run_.a.width, plan.m) - row;
    const Index cols = std::min(b.end * run_.b.width, plan.n) - col;
    return {run_.c.block(row, col, rows, cols), a, b};
  }

  static detail::GemmPlan<T> plan_of(const MatrixView<SumOf<T>>& c, const MatrixView<const T>& a) {
    const detail::Packing<T> packing(register_kernel<T>(), c.rows, c.cols, a.cols, true, 1, {});
    return detail::GemmPlan<T>::in_blocks(c.rows, c.cols, a.cols, packing, {});
  }

  detail::GemmRun<T, Plain> run_;
  int halvings_ = 0;
};

}  // namespace tallcache::cpu::matmul
