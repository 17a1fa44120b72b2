// C-GEP for shortest paths on the device (Chowdhury and Ramachandran 2006): the host halves the vertices, and
// each of the four functions' blocks is one launch for all that lie side by side.
//
//   eliminate(k)   the rows and the columns of k by all vertices of k, in order
//     one leaf:    its diagonal tile, then its rows and columns
//     otherwise:   eliminate(low); the cross of high by low; eliminate(high); the cross of low by high
//
// The cross of a range is its rows and its columns. What is updated of the cross of high has its steps in one
// product, as long as low is: most of the work is in long products. Vertices come in groups, whose products
// with the rest of the matrix are the longest: that bounds the scratch.
#pragma once

#include <algorithm>
#include <tuple>

#include "gpu/chunk.hpp"
#include "gpu/gep/min_plus.hpp"

namespace tallcache::gpu::gep {

/// The launches of one run. u, v and q have a row for each vertex of a group.
template <class Device, class Args, class A, class P>
class PathRecursion {
  using T = typename Args::Number;
  static constexpr bool trees = Args::has_predecessors;
  using Leaf = RelaxLeaf<trees>;
  using Product = MinPlusProduct<T, trees>;

  /// Of leaves.
  struct Range {
    Index begin, end;
    Index size() const { return end - begin; }
  };

 public:
  PathRecursion(Device& device, const A& a, const P& p, const A& u, const A& v, const P& q)
      : device_(device), a_(a), p_(p), u_(u), v_(v), q_(q) {}

  void run(Index leaves_of_group) {
    const Index leaves = ceil_div(a_.rows, Leaf::side);
    for (group_ = 0; group_ < leaves; group_ += leaves_of_group) {
      const Range k{group_, std::min(group_ + leaves_of_group, leaves)};
      eliminate(k);
      if (k.size() < leaves) multiply({0, 0}, k, k);
    }
  }

 private:
  void eliminate(Range k) {
    if (k.size() == 1) return eliminate_leaf(k.begin);
    Index half = 1;
    while (2 * half < k.size()) half *= 2;
    const Range low{k.begin, k.begin + half}, high{low.end, k.end};
    eliminate(low);
    multiply(high, low, low);
    eliminate(high);
    multiply(low, high, high);
  }

  void eliminate_leaf(Index leaf) {
    const Index first = leaf * Leaf::side, at = first - group_ * Leaf::side, strips = u_.cols / Leaf::side;
    const auto of_leaf = [&](const auto& panel) {
      return panel.data ? panel.block(at, 0, Leaf::side, panel.cols) : panel;
    };
    const auto launch = [&](unsigned blocks) {
      launch_kernel(device_, Leaf{}, {{blocks}, {Leaf::max_threads}}, a_, p_, of_leaf(u_), of_leaf(v_),
                    of_leaf(q_), first, is_wide());
    };
    launch(1);
    if (strips > 1) launch(grid_of(2 * strips));
  }

  /// The cross of `target`, or all where that is empty, but for the cross of `done`, by vertices k.
  void multiply(Range target, Range done, Range k) {
    const auto tiles = [](Range leaves, int side) {
      const Index begin = leaves.begin * Leaf::side, end = leaves.end * Leaf::side;
      return std::pair{static_cast<int>(begin / side), static_cast<int>(ceil_div(end, Index{side}))};
    };
    // A tile that is done in part is updated once more: nothing falls.
    const auto whole_tiles = [](Range leaves, int side) {
      const Index begin = leaves.begin * Leaf::side, end = leaves.end * Leaf::side;
      return std::pair{static_cast<int>(ceil_div(begin, Index{side})), static_cast<int>(end / side)};
    };
    CrossTiling tiling{};
    tiling.down = static_cast<int>(ceil_div(a_.rows, Index{Product::rows}));
    tiling.across = static_cast<int>(ceil_div(a_.cols, Index{Product::cols}));
    if (target.size() > 0) {
      std::tie(tiling.begin, tiling.end) = tiles(target, Product::rows);
      std::tie(tiling.col_begin, tiling.col_end) = tiles(target, Product::cols);
    }
    tiling.end = std::min(tiling.end, tiling.down);
    tiling.col_end = std::min(tiling.col_end, tiling.across);
    std::tie(tiling.done_begin, tiling.done_end) = whole_tiles(done, Product::rows);
    std::tie(tiling.done_col_begin, tiling.done_col_end) = whole_tiles(done, Product::cols);
    const Index at = (k.begin - group_) * Leaf::side, steps = k.size() * Leaf::side;
    const auto of_steps = [&](const auto& panel) {
      return panel.data ? panel.block(at, 0, steps, panel.cols) : panel;
    };
    launch_kernel(device_, Product{},
                  {{grid_of(tiling.blocks())}, {Product::max_threads}, Product::max_dynamic_shared_bytes}, a_,
                  p_, of_steps(u_), of_steps(v_), of_steps(q_), static_cast<int>(steps), tiling, is_wide());
  }

  bool is_wide() const { return rows_are_chunks(a_) && (!trees || rows_are_chunks(p_)); }

  Device& device_;
  A a_;
  P p_;
  A u_, v_;
  P q_;
  Index group_ = 0;  ///< the first leaf of the group
};

struct cgep_recursive : OnGpu {
  static constexpr std::string_view idea =
      "C-GEP: vertices halved, leaves of 64 in registers, all that follows as long min-plus products of "
      "128 x 128 in registers; applies tiling, coarsening, coalescing";
  static constexpr std::string_view source = "Chowdhury and Ramachandran 2006";
  using operations = OperationList<ShortestPaths<float>, ShortestPaths<std::int32_t>,
                                   ShortestPathTrees<float>, ShortestPathTrees<std::int32_t>>;
  static constexpr Index groups[] = {64, 128, 256, 512, 1024, 2048};
  static constexpr ParamSpec params[] = {{"group", 1024, "vertices whose panels are kept", 64, groups}};

  template <class Device = const Launch, class T, bool trees>
  static std::size_t scratch(ShortestPathsOf<T, trees>, const Shape& shape, const Params& params) {
    const std::size_t panel =
        checked_product(rows_of(shape["n"], params["group"]), padded(shape["n"]), "panels");
    const std::size_t bytes = checked_product(panel, sizeof(T), "panels");
    return scratch_bytes({bytes, bytes, trees ? bytes : 0});
  }

  template <class Device, class Args>
  static void call(Device& device, const Args& args, const Params& params) {
    using T = typename Args::Number;
    const Index n = args.a.rows;
    if (n == 0) return;
    const Index rows = rows_of(n, params["group"]);
    auto scratch = args.scratch;
    const auto u = scratch.template matrix<T>(rows, padded(n));
    const auto v = scratch.template matrix<T>(rows, padded(n));
    auto q = args.p;
    if constexpr (Args::has_predecessors) q = scratch.template matrix<std::int32_t>(rows, padded(n));
    enter_weights(device, args);
    PathRecursion<Device, Args, decltype(u), decltype(q)> recursion(device, args.a, args.p, u, v, q);
    recursion.run(params["group"] / leaf);
    leave_weights(device, args);
  }

 private:
  static constexpr Index leaf = RelaxLeaf<false>::side, tile = MinPlusProduct<float, false>::rows;
  static Index padded(Index n) { return ceil_div(n, tile) * tile; }
  static Index rows_of(Index n, Index group) { return std::min(group, ceil_div(n, leaf) * leaf); }
};

}  // namespace tallcache::gpu::gep
