// The whole tableau of edit distances: its bits first, a stripe of rows a warp, and then all cells at once.
#pragma once

#include "common/ops/edit_distance.hpp"
#include "gpu/edit_distance/diagonals_of_tiles.hpp"
#include "gpu/edit_distance/stripe_pipeline.cuh"

namespace tallcache::gpu::edit_distance {

/// 32 rows of a column: the cell above them, and whether each cell is one more or one less than that above
/// it.
struct alignas(16) ColumnPart {
  std::int32_t above;
  Bits rise, fall, unused;
};

/// Keeps each column of the words of 32 rows before row `m`, `n` columns a word.
struct KeepParts {
  ColumnPart* parts;
  Index m, n;
  std::int32_t above = 0;

  __device__ void begin(Index top) {
    above = static_cast<std::int32_t>(top);
    parts = top < m ? parts + top / word_bits * n : nullptr;
  }
  __device__ void enter(const Border& in) {
    above += static_cast<std::int32_t>(in.rise >> (word_bits - 1)) -
             static_cast<std::int32_t>(in.fall >> (word_bits - 1));
  }
  __device__ void leave(const DistanceColumn<1>& column, Index j) const {
    if (parts) parts[j] = {above, column.rise[0], column.fall[0], 0};
  }
};

template <int width, int ahead>
struct KeepStripes {
  static constexpr int max_threads = warp;

  template <class Thread>
  __device__ void operator()(const Thread& t, PipelineStrings strings, PipelineState* state,
                             StripeRange range, ColumnPart* parts) const {
    KeepParts watcher{parts, strings.m, strings.n};
    Stripe<DistanceColumn<1>, width, ahead>::run(t, strings, state, range, watcher,
                                                 [](const DistanceColumn<1>&, int) {});
  }
};

/// Writes the cells of 32 rows of a column, a thread.
struct WriteCells {
  static constexpr int max_threads = 256;

  template <class Thread, class Out>
  __device__ void operator()(const Thread& t, Out out, const ColumnPart* parts, Index blocks_of_row) const {
    const Index word = t.block().x / blocks_of_row, n = out.cols - 1,
                j = t.block().x % blocks_of_row * max_threads + t.thread().x;
    if (j >= n) return;
    const ColumnPart part = parts[word * n + j];
    const Index top = word * word_bits + 1, left = out.rows - top;
    std::int32_t cell = part.above;
#pragma unroll
    for (int r = 0; r < word_bits; ++r) {
      cell += static_cast<std::int32_t>(part.rise >> r & 1) - static_cast<std::int32_t>(part.fall >> r & 1);
      if (r < left) out(top + r, j + 1) = cell;
    }
  }
};

struct tableau_from_bits : OnGpu {
  static constexpr std::string_view idea =
      "bits of the differences between cells first, a stripe of rows a warp of one launch, then all cells at "
      "once; applies tiling, coalescing";
  static constexpr std::string_view source = "Myers 1999; Hyyrö 2003";
  using operations = OperationList<EditDistance>;

  template <class Device = const Launch, class Op>
  static std::size_t scratch(Op, const Shape& shape, const Params&) {
    return scratch_bytes({sizeof(PipelineState), plan_of(shape["m"], shape["n"]).border_bytes(),
                          checked_product(ceil_div(shape["m"], word_bits) * shape["n"], sizeof(ColumnPart),
                                          "parts of columns")});
  }

  template <class Args>
  static void call(const Launch& launch, const Args& args, const Params&) {
    constexpr int threads = WriteCells::max_threads;
    const Index m = args.a.size, n = args.b.size, words = ceil_div(m, word_bits);
    const PipelineStrings strings{args.a.data, args.b.data, static_cast<int>(m), static_cast<int>(n)};
    launch_kernel(launch, FillEdges{}, {{grid_of(ceil_div(std::max(m, n) + 1, threads))}, {threads}},
                  args.out);
    if (m == 0 || n == 0) return;
    auto scratch = args.scratch;
    auto behind = scratch;
    const PipelinePlan plan = plan_of(m, n);
    behind.template vector<PipelineState>(1);
    behind.template vector<Bits>(static_cast<Index>(plan.border_bytes() / sizeof(Bits)));
    const auto parts = behind.template vector<ColumnPart>(words * n);
    plan.run(launch, strings, scratch, [&](const StripeRange& range, PipelineState* state, Index stripes) {
      launch_kernel(launch, KeepStripes<width, ahead>{}, {{grid_of(stripes)}, {warp}}, strings, state, range,
                    parts.data);
    });
    const Index blocks = ceil_div(n, threads);
    launch_kernel(launch, WriteCells{}, {{grid_of(words * blocks)}, {threads}}, args.out,
                  static_cast<const ColumnPart*>(parts.data), blocks);
  }

 private:
  static constexpr int width = 8, ahead = 8;
  static PipelinePlan plan_of(Index m, Index n) {
    return {ceil_div(m, warp * word_bits), ceil_div(n, width)};
  }
};

}  // namespace tallcache::gpu::edit_distance
