// The kernels of products in blocks (block_product.hpp), and their launch.
#pragma once

#include <algorithm>
#include <type_traits>

#include "common/ops/matmul.hpp"
#include "gpu/chunk.hpp"
#include "gpu/matmul/block_order.hpp"
#include "gpu/matmul/block_product.hpp"
#include "gpu/matmul/stream_plan.hpp"
#include "gpu/on_gpu.hpp"

namespace tallcache::gpu::matmul {

/// A block for each of the first tiles of C. Apart from MultiplyShared, whose loop around the product takes
/// registers from it (TUNING.md).
template <class T, class Tiles, bool wide_b>
struct MultiplyWhole {
  static constexpr int max_threads = Tiles::threads, min_blocks = Tiles::min_blocks;
  static constexpr std::size_t max_dynamic_shared_bytes = BlockProduct<T, Tiles, wide_b>::shared_bytes;

  template <class Thread, class C, class A>
  TALLCACHE_DEVICE void operator()(const Thread& t, C c, A a, A b, TileOrder order, bool wide_c) const {
    const auto at = order.at(static_cast<int>(t.block().x));
    const Index row = static_cast<Index>(at.row) * Tiles::rows,
                col = static_cast<Index>(at.col) * Tiles::cols;
    auto product = block_product<Tiles, wide_b>(t, a, b, row, col);
    product.multiply(0, a.cols);
    product.store(c.block(row, col, c.rows - row, c.cols - col), wide_c);
  }
};

/// Each block does its part of the shared tiles of `plan`. `parts` has a tile for each of the plan's slots.
template <class T, class Tiles, bool wide_b>
struct MultiplyShared {
  static constexpr int max_threads = Tiles::threads, min_blocks = Tiles::min_blocks;
  static constexpr std::size_t max_dynamic_shared_bytes = BlockProduct<T, Tiles, wide_b>::shared_bytes;

  template <class Thread, class C, class A>
  TALLCACHE_DEVICE void operator()(const Thread& t, C c, A a, A b, TileOrder order, StreamPlan plan, C parts,
                                   bool wide_c) const {
    parts.ld = Tiles::cols;  // as it is: now the compiler knows
    const int block = static_cast<int>(t.block().x);
    int step = plan.first_step(block);
    const int end = plan.first_step(block + 1);
    do {
      const int tile = step / plan.steps, begin = tile * plan.steps;
      const int stop = end < begin + plan.steps ? end : begin + plan.steps;
      const auto at = order.at(plan.whole + tile);
      const Index row = static_cast<Index>(at.row) * Tiles::rows;
      const Index col = static_cast<Index>(at.col) * Tiles::cols;
      auto product = block_product<Tiles, wide_b>(t, a, b, row, col);
      const Index last = static_cast<Index>(stop - begin) * Tiles::depth;
      product.multiply(static_cast<Index>(step - begin) * Tiles::depth, last < a.cols ? last : a.cols);
      if (stop - step == plan.steps)
        product.store(c.block(row, col, c.rows - row, c.cols - col), wide_c);
      else
        product.store(parts.block(static_cast<Index>(plan.slot(block, tile)) * Tiles::rows, 0, Tiles::rows,
                                  Tiles::cols),
                      true);
      step = stop;
    } while (step < end);
  }
};

/// Adds the parts of shared tile block().x, 32 columns a block. The 8 rows of threads of a block are groups
/// of `lanes`, which have every lanes-th part of the elements of a row; their sums are added in order.
template <class T, class Tiles>
struct AddParts {
  static constexpr int max_threads = 256;

  template <class Thread, class C>
  TALLCACHE_DEVICE void operator()(const Thread& t, C c, TileOrder order, StreamPlan plan, C parts,
                                   int lanes) const {
    auto&& sums = shared<0, T[8][32]>(t);
    parts.ld = Tiles::cols;
    const int tile = static_cast<int>(t.block().x);
    const int x = static_cast<int>(t.thread().x), y = static_cast<int>(t.thread().y);
    const int first = plan.owner(tile * plan.steps), last = plan.owner((tile + 1) * plan.steps - 1);
    if (first == last) return;
    const auto at = order.at(plan.whole + tile);
    const int groups = 8 / lanes, lane = y % lanes;
    const int j = static_cast<int>(t.block().y) * 32 + x;
    const Index col = static_cast<Index>(at.col) * Tiles::cols + j;
    // The first block alone may have begun in the tile before this one.
    const int of_first = (plan.slot(first, tile) - 2 * first) * Tiles::rows;
    const auto part = parts.block(Index{2} * first * Tiles::rows, j, parts.rows, 1);
    for (int i = static_cast<int>(t.block().z) * groups + y / lanes; i < Tiles::rows;
         i += static_cast<int>(t.grid_dim().z) * groups) {
      const Index row = static_cast<Index>(at.row) * Tiles::rows + i;
      const bool inside = row < c.rows && col < c.cols;
      T sum{};
      if (inside) {
#pragma unroll 4
        for (int p = lane; p <= last - first; p += lanes)
          sum += part((p == 0 ? of_first : 2 * p * Tiles::rows) + i, 0);
      }
      if (lanes > 1) {
        sums[y][x] = sum;
        t.sync();
        if (lane == 0)
          for (int other = 1; other < lanes; ++other) sum += sums[y + other][x];
        t.sync();
      }
      if (lane == 0 && inside) c(row, col) = sum;
    }
  }
};

/// The parts of shared tiles, one below the other.
template <class Tiles, class T, class Access>
MatrixView<T, Access> parts_of(Scratch<Access>& scratch, const StreamPlan& plan) {
  return scratch.template matrix<T>(static_cast<Index>(plan.slots()) * Tiles::rows, Tiles::cols);
}

/// Starts the kernel that adds the parts of the plan's shared tiles.
template <class Tiles, class Device, class C>
void add_parts(Device& device, const C& c, const TileOrder& order, const StreamPlan& plan, const C& parts) {
  const int lanes = plan.max_parts() < 16 ? 1 : 8;
  // To find the parts takes a block as long as to add those of some rows: few blocks, of many rows.
  constexpr int columns = Tiles::cols / 32, blocks = 1024;
  const int rows_at_once = 8 / lanes;
  const int down = std::min(Tiles::rows / rows_at_once, ceil_div(blocks, plan.shared_tiles * columns));
  launch_kernel(device, AddParts<typename C::value_type, Tiles>{},
                {{static_cast<unsigned>(plan.shared_tiles), columns, static_cast<unsigned>(down)}, {32, 8}},
                c, order, plan, parts, lanes);
}

/// Calls use with `flag` where it is a constant, else with std::true_type or std::false_type: kernels are
/// compiled for what can be.
template <class Flag, class Use>
void with_constant(Flag flag, const Use& use) {
  if constexpr (!std::is_same_v<Flag, bool>)
    use(flag);
  else if (flag)
    use(std::true_type{});
  else
    use(std::false_type{});
}

/// Starts the product on `device`. `parts` are the plan's (parts_of). Where `wide`, rows of B, and of A where
/// the tiles want it, start at multiples of 16 bytes (with_constant). Where not `shares`, plans are of whole
/// tiles.
template <class Tiles, bool shares = true, class Device, class C, class A, class Wide>
void multiply_in_blocks(Device& device, const C& c, const A& a, const A& b, const TileOrder& order,
                        const StreamPlan& plan, const C& parts, Wide wide) {
  using T = typename C::value_type;
  if (c.rows == 0 || c.cols == 0) return;
  const bool wide_c = rows_are_chunks(c);
  with_constant(wide, [&]<bool wide_b>(std::bool_constant<wide_b>) {
    using Whole = MultiplyWhole<T, Tiles, wide_b>;
    const auto launch = [&](auto kernel, int blocks, const auto&... args) {
      launch_kernel(device, kernel,
                    {{static_cast<unsigned>(blocks)}, {Tiles::threads}, kernel.max_dynamic_shared_bytes}, c,
                    a, b, order, args...);
    };
    if (plan.whole > 0) launch(Whole{}, plan.whole, wide_c);
    if constexpr (shares)
      if (plan.sharing > 0) launch(MultiplyShared<T, Tiles, wide_b>{}, plan.sharing, plan, parts, wide_c);
  });
  if constexpr (shares)
    if (plan.sharing > 0) add_parts<Tiles>(device, c, order, plan, parts);
}

/// The product with a block for each tile.
template <class Tiles, class Device, class Args>
void multiply_whole_tiles(Device& device, const Args& args, const TileOrder& order) {
  const Index steps = ceil_div<Index>(args.a.cols, Tiles::depth);
  multiply_in_blocks<Tiles, false>(device, args.c, args.a, args.b, order,
                                   StreamPlan::of_whole_tiles(order.tiles(), steps), args.c,
                                   rows_are_chunks(args.b));
}

}  // namespace tallcache::gpu::matmul
