// The distances of many pairs of strings by the plain table, a pair for each thread.
#pragma once

#include "common/ops/string_distance_batched.hpp"
#include "gpu/edit_distance/cell_tiles.hpp"

namespace tallcache::gpu::edit_distance {

/// A thread has a row of the table of its pair, and goes from row to row in place. Cells j of all threads'
/// rows lie side by side.
template <bool common>
struct SolveByRows {
  template <class Thread, class Out, class Letters, class Begins, class Cells>
  TALLCACHE_DEVICE void operator()(const Thread& t, Out out, Letters a, Letters b, Begins a_begin,
                                   Begins b_begin, Cells row) const {
    using Rule = CellRule<common>;
    const Index threads = Index{t.grid_dim().x} * t.block_dim().x,
                own = Index{t.block().x} * t.block_dim().x + t.thread().x;
    for (Index pair = own; pair < out.size; pair += threads) {
      const Index a_first = a_begin[pair], m = Index{a_begin[pair + 1]} - a_first;
      const Index b_first = b_begin[pair], n = Index{b_begin[pair + 1]} - b_first;
      for (Index j = 0; j < n; ++j) row[j * threads + own] = Rule::edge(j + 1);
      std::int32_t last = Rule::edge(n);
      for (Index i = 0; i < m; ++i) {
        const std::uint8_t letter = a[a_first + i];
        std::int32_t diagonal = Rule::edge(i);
        last = Rule::edge(i + 1);
        for (Index j = 0; j < n; ++j) {
          const std::int32_t above = row[j * threads + own];
          last = Rule::cell(above, last, diagonal, letter == static_cast<std::uint8_t>(b[b_first + j]));
          row[j * threads + own] = last;
          diagonal = above;
        }
      }
      out[pair] = last;
    }
  }
};

struct row_per_thread : OnGpu {
  static constexpr std::string_view idea =
      "a pair a thread: a row of its table in memory, beside those of its neighbours; applies coalescing";
  static constexpr std::string_view source = "Wagner and Fischer 1974";
  using operations = OperationList<LevenshteinBatched, LongestCommonSubsequenceBatched>;

  template <class Device = const Launch, class Op>
  static std::size_t scratch(Op, const Shape& shape, const Params&) {
    return scratch_bytes({checked_product(
        blocks_of(shape["pairs"]) * threads * static_cast<Index>(sizeof(std::int32_t)), shape["n"], "rows")});
  }

  template <class Device, class Args>
  static void call(Device& device, const Args& args, const Params&) {
    if (args.out.size == 0) return;
    const Index blocks = blocks_of(args.out.size);
    auto scratch = args.scratch;
    const auto row = scratch.template vector<std::int32_t>(blocks * threads * args.n);
    launch_kernel(device, SolveByRows<Args::Of::is_common_subsequence>{}, {{grid_of(blocks)}, {threads}},
                  args.out, args.a, args.b, args.a_begin, args.b_begin, row);
  }

 private:
  static constexpr int threads = 64;
  /// Rows of so many blocks are in scratch; more pairs than that take turns.
  static constexpr Index most_blocks = 1024;
  static Index blocks_of(Index pairs) { return std::min(ceil_div(pairs, threads), most_blocks); }
};

}  // namespace tallcache::gpu::edit_distance
