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

#include "gpu/chunk.hpp"
#include "gpu/gep/min_plus.hpp"
#include "gpu/tuning/tuned.hpp"

namespace tallcache::gpu::gep {

/// The launches of one run. u, v and q have a row for each vertex of a group.
template <class Device, class Args, class A, class P>
class PathRecursion {
  using T = typename Args::Number;
  static constexpr bool trees = Args::has_predecessors;
  using Leaf = RelaxLeaf<trees>;
  using Large = MinPlusProduct<T, trees, 128>;
  using Small = MinPlusProduct<T, trees, 64>;

  /// Of leaves.
  struct Range {
    Index begin, end;
    Index size() const { return end - begin; }
  };

 public:
  /// `tile` is the rows of the products' tiles; 0: as many of them as there are decide.
  PathRecursion(Device& device, const A& a, const P& p, const A& u, const A& v, const P& q, Index tile)
      : device_(device), a_(a), p_(p), u_(u), v_(v), q_(q), tile_(tile) {}

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

  /// The cross of `target`, or all where that is empty, but for the cross of `done`, by vertices k: in large
  /// tiles where they occupy the device, and registers hold no predecessors.
  void multiply(Range target, Range done, Range k) {
    const CrossTiling large = tiling_of<Large>(target, done);
    const Index many = tuning_of(device_).paths_large_tiles * Index{multiprocessors_of(device_)};
    const bool is_large =
        tile_ > 0 ? tile_ == Large::rows : !trees && target.size() != 1 && 100 * large.blocks() >= many;
    if (is_large) return multiply_by<Large>(large, k);
    multiply_by<Small>(tiling_of<Small>(target, done), k);
  }

  /// A tile that is done in part is updated once more: nothing falls.
  template <class Product>
  CrossTiling tiling_of(Range target, Range done) const {
    CrossTiling tiling{};
    tiling.down = static_cast<int>(ceil_div(a_.rows, Index{Product::rows}));
    tiling.across = static_cast<int>(ceil_div(a_.cols, Index{Product::cols}));
    if (target.size() > 0) {
      tiling.begin = tile_at<Product::rows>(target.begin);
      tiling.end = std::min(tile_from<Product::rows>(target.end), tiling.down);
      tiling.col_begin = tile_at<Product::cols>(target.begin);
      tiling.col_end = std::min(tile_from<Product::cols>(target.end), tiling.across);
    }
    tiling.done_begin = tile_from<Product::rows>(done.begin);
    tiling.done_end = tile_at<Product::rows>(done.end);
    tiling.done_col_begin = tile_from<Product::cols>(done.begin);
    tiling.done_col_end = tile_at<Product::cols>(done.end);
    return tiling;
  }
  /// The tile in which a leaf begins, and the first that begins with it or behind it.
  template <int side>
  static int tile_at(Index leaf) {
    return static_cast<int>(leaf * Leaf::side / side);
  }
  template <int side>
  static int tile_from(Index leaf) {
    return static_cast<int>(ceil_div(leaf * Leaf::side, Index{side}));
  }

  template <class Product>
  void multiply_by(const CrossTiling& tiling, Range k) {
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
  Index tile_, group_ = 0;  ///< the first leaf of the group
};

struct cgep_recursive : OnGpu {
  static constexpr std::string_view idea =
      "C-GEP: vertices halved, leaves of 64 in registers, all that follows as long min-plus products of "
      "128 x 128 in registers; applies tiling, coarsening, coalescing";
  static constexpr std::string_view source = "Chowdhury and Ramachandran 2006";
  using operations = OperationList<ShortestPaths<float>, ShortestPaths<std::int32_t>,
                                   ShortestPathTrees<float>, ShortestPathTrees<std::int32_t>>;
  static constexpr Index groups[] = {0, 64, 128, 256, 512, 1024, 2048}, tiles[] = {0, 64, 128};
  static constexpr ParamSpec params[] = {
      {"group", 0, "vertices whose panels are kept; 0: as suits their number and the device", 0, groups},
      {"tile", 0,
       "rows of a product's tiles; 0: 128 where those occupy the device, else 64, as with "
       "predecessors",
       0, tiles}};

  template <class Device = const Launch, class T, bool trees>
  static std::size_t scratch(ShortestPathsOf<T, trees>, const Shape& shape, const Params& params) {
    const std::size_t panel =
        checked_product(group_of<Device>(shape["n"], params), padded(shape["n"]), "panels");
    const std::size_t bytes = checked_product(panel, sizeof(T), "panels");
    return scratch_bytes({bytes, bytes, trees ? bytes : 0});
  }

  template <class Device, class Args>
  static void call(Device& device, const Args& args, const Params& params) {
    using T = typename Args::Number;
    const Index n = args.a.rows;
    if (n == 0) return;
    const Index rows = group_of<Device>(n, params);
    auto scratch = args.scratch;
    const auto u = scratch.template matrix<T>(rows, padded(n));
    const auto v = scratch.template matrix<T>(rows, padded(n));
    auto q = args.p;
    if constexpr (Args::has_predecessors) q = scratch.template matrix<std::int32_t>(rows, padded(n));
    enter_weights(device, args);
    PathRecursion<Device, Args, decltype(u), decltype(q)> recursion(device, args.a, args.p, u, v, q,
                                                                    params["tile"]);
    recursion.run(rows / leaf);
    leave_weights(device, args);
  }

 private:
  static constexpr Index leaf = RelaxLeaf<false>::side, tile = MinPlusProduct<float, false, 128>::rows;
  static Index padded(Index n) { return ceil_div(n, tile) * tile; }
  /// Of vertices, whole leaves.
  template <class Device>
  static Index group_of(Index n, const Params& params) {
    const Tuning& tuning = tuning_of<Device>();
    const Index suits =
        n <= tuning.paths_narrow_vertices ? tuning.paths_narrow_group : tuning.paths_wide_group;
    const Index chosen = params["group"] > 0 ? params["group"] : suits;
    return std::min(chosen, ceil_div(n, leaf) * leaf);
  }
};

}  // namespace tallcache::gpu::gep
