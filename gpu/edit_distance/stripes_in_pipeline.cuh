// The distance of two long strings by bits, or the length of their longest common subsequence.
#pragma once

#include "common/ops/string_distance.hpp"
#include "gpu/edit_distance/stripe_pipeline.cuh"

namespace tallcache::gpu::edit_distance {

struct BeginSum {
  template <class Thread>
  __device__ void operator()(const Thread&, std::int32_t* out, std::int32_t top) const {
    *out = top;
  }
};

/// Adds the heights of the last column's stripes to `out`, a stripe a warp.
template <class Column, int width, int ahead>
struct SumStripes {
  static constexpr int max_threads = warp;
  using OwnStripe = Stripe<Column, width, ahead>;

  struct Watcher : NoWatcher {
    __device__ void begin(Index) {}
  };

  template <class Thread>
  __device__ void operator()(const Thread& t, std::int32_t* out, PipelineStrings strings,
                             PipelineState* state, StripeRange range) const {
    Watcher watcher;
    OwnStripe::run(t, strings, state, range, watcher, [&](const Column& column, int rows) {
      const auto sum = static_cast<std::int32_t>(t.reduce_add(static_cast<unsigned>(column.height(0, rows))));
      if (t.thread().x == 0) atomicAdd(out, sum);
    });
  }
};

struct stripes_in_pipeline : OnGpu {
  static constexpr std::string_view idea =
      "bits of the differences between cells in registers, a stripe of rows a warp of one launch, which "
      "waits for the pieces of the border above it; applies tiling, coarsening";
  static constexpr std::string_view source = "Myers 1999; Hyyrö 2003";
  using operations = OperationList<LevenshteinDistance, LongestCommonSubsequence>;

  template <class Device = const Launch, class Op>
  static std::size_t scratch(Op, const Shape& shape, const Params&) {
    const Index rows = std::max(shape["m"], shape["n"]), columns = std::min(shape["m"], shape["n"]);
    return scratch_bytes({sizeof(PipelineState), plan_of(rows, columns).border_bytes()});
  }

  template <class Args>
  static void call(const Launch& launch, const Args& args, const Params&) {
    // The longer string is cut into stripes: they are what runs at once.
    const bool swapped = args.b.size > args.a.size;
    const auto rows = swapped ? args.b : args.a, columns = swapped ? args.a : args.b;
    const PipelineStrings strings{rows.data, columns.data, static_cast<int>(rows.size),
                                  static_cast<int>(columns.size)};
    words_of(rows.size) == 1 ? start<1>(launch, args, strings) : start<2>(launch, args, strings);
  }

 private:
  static constexpr int width = 16, ahead = 2;
  /// More stripes than that have two words a lane: fewer instructions a word, but fewer warps.
  static constexpr Index most_narrow = 512;
  static constexpr Index word_rows = warp * word_bits;

  static int words_of(Index rows) { return ceil_div(rows, word_rows) > most_narrow ? 2 : 1; }
  static PipelinePlan plan_of(Index rows, Index columns) {
    return {ceil_div(rows, words_of(rows) * word_rows), ceil_div(columns, width)};
  }

  template <int words, class Args>
  static void start(const Launch& launch, const Args& args, const PipelineStrings& strings) {
    using Column =
        std::conditional_t<Args::Of::is_common_subsequence, SubsequenceColumn<words>, DistanceColumn<words>>;
    auto scratch = args.scratch;
    launch_kernel(launch, BeginSum{}, {{1}, {1}}, args.out.data, std::int32_t{Column::top(strings.n)});
    plan_of(strings.m, strings.n)
        .run(launch, strings, scratch, [&](const StripeRange& range, PipelineState* state, Index stripes) {
          launch_kernel(launch, SumStripes<Column, width, ahead>{}, {{grid_of(stripes)}, {warp}},
                        args.out.data, strings, state, range);
        });
  }
};

}  // namespace tallcache::gpu::edit_distance
