// How a transform of n numbers that has small factors alone is one pass over memory or two: n = n1 n2 of
// mixed radices.
#pragma once

#include <limits>
#include <map>

#include "gpu/fft/mixed_tile.hpp"

namespace tallcache::gpu::fft {

/// How n is divided: columns of length n1 and rows of length n2, or the columns alone, one of length n.
struct MixedPlan {
  bool exists = false;
  MixedPass columns, rows;

  bool is_whole() const { return columns.pass == Pass::whole; }
  /// What lies between the passes, in numbers.
  Index between() const {
    const Index side = Index{1} << columns.lg_cols;
    return is_whole() ? 0 : ceil_div(Index{rows.columns}, side) * columns.out.row.group;
  }
};

/// One transform, transforms of a batch, or such as lie across each other (BatchSize).
enum class MixedKind { one, batch, across };

template <class T>
struct MixedPlanner {
  static constexpr Index number_bytes = sizeof(Complex<T>);
  static constexpr Index max_whole = 4096;
  /// Pieces of 64 bytes, where the tile has room for them, and else of 32.
  static constexpr int max_lg_cols = std::countr_zero(64u / static_cast<unsigned>(number_bytes));

  static bool fits(Index length, int lg_cols) {
    const Index numbers = (length + max_radix + 1) << (beyond_radices(length) > 1);  // and what pads
    return (numbers << lg_cols) * number_bytes <= Index{MixedTile<T>::max_dynamic_shared_bytes};
  }

  static bool has_stages(Index length) { return length == 1 || stages_of(length, 0).count > 0; }

  /// n1 near the root of n; rather with rows on both sides of memory that begin at whole pieces. 0: none.
  static Index columns_length(Index n) {
    Index best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (Index n1 = 2; n1 < n && fits(n1, max_lg_cols - 1); ++n1) {
      if (n % n1 || !fits(n / n1, max_lg_cols - 1) || !has_stages(n1) || !has_stages(n / n1)) continue;
      const Index n2 = n / n1, mask = (Index{1} << max_lg_cols) - 1;
      const double cost =
          static_cast<double>(std::max(n1, n2)) * (1 + 0.25 * ((n1 & mask) != 0) + 0.25 * ((n2 & mask) != 0));
      if (cost < least) best = n1, least = cost;
    }
    return best;
  }

  /// Pieces of 64 bytes, or of 32 where the tiles are else too long, or fewer than multiprocessors.
  static int lg_cols_of(Index n1, Index n2) {
    constexpr Index multiprocessors = 132;
    const bool fit = fits(n1, max_lg_cols) && fits(n2, max_lg_cols);
    return max_lg_cols - !(fit && std::min(n1, n2) >> max_lg_cols >= multiprocessors / 2);
  }

  /// The fewest threads that need the least time for a pass, of about `each` numbers or more.
  static int threads_of(const MixedPass& p, int each, int most_threads = MixedTile<T>::max_threads) {
    const Stages& stages = p.stages;
    const int most = std::min(most_threads >> p.lg_cols, ceil_div(stages.length, each));
    int best = 1, least = std::numeric_limits<int>::max();
    for (int groups = 1; groups <= std::max(1, most); ++groups) {
      int time = 0;
      for (int s = 0; s < stages.count; ++s)
        time += stages.is_summed(s)
                    ? ceil_div(stages.sum_groups(s), groups) * 20 * stages.radix[s]
                    : ceil_div(stages.length / stages.radix[s], groups) * stage_cost(stages.radix[s]);
      if (time < least) best = groups, least = time;
    }
    return best << p.lg_cols;
  }

  static MixedPlan plan(Index n, MixedKind kind) {
    MixedPlan plan;
    if (n < 1 || n > std::numeric_limits<int>::max() || beyond_radices(n) > max_summed_radix) return plan;
    if (n > max_whole || (kind == MixedKind::across && !fits(n, max_lg_cols - 1))) {
      plan_two(plan, n);
    } else {
      plan_whole(plan.columns, n, kind);
      plan.exists = has_stages(n);
    }
    return plan;
  }

 private:
  /// A block has several transforms of a batch, for at least so many threads.
  static constexpr int min_threads = 128;

  static void plan_whole(MixedPass& p, Index n, MixedKind kind) {
    p.stages = stages_of(n, 0);
    if (kind == MixedKind::across)
      p.lg_cols = max_lg_cols - !fits(n, max_lg_cols);
    else
      p.by_columns = true, p.apart = p.column_numbers() | 1;
    p.threads = threads_of(p, kind == MixedKind::one ? 1 : numbers_each);
    while (kind != MixedKind::one && p.threads < min_threads && fits(n, p.lg_cols + 1)) {
      ++p.lg_cols;
      p.threads = threads_of(p, numbers_each);
    }
  }

  static void plan_two(MixedPlan& plan, Index n) {
    MixedPass &columns = plan.columns, &rows = plan.rows;
    const Index n1 = columns_length(n), n2 = n1 ? n / n1 : 0;
    if (!n1) return;
    columns.pass = Pass::columns, rows.pass = Pass::rows;
    columns.stages = stages_of(n1, static_cast<int>(n2)), rows.stages = stages_of(n2, 0);
    columns.n = rows.n = static_cast<int>(n);
    columns.columns = rows.stages.length, rows.columns = columns.stages.length;
    const int lg_cols = columns.lg_cols = rows.lg_cols = lg_cols_of(n1, n2);
    columns.in = Placement::strided(columns.columns, 1, lg_cols);
    rows.out = Placement::strided(rows.columns, 1, lg_cols);
    // Tiles of 2^lg_cols rows and columns lie between the passes.
    const Placement::Steps row{ceil_div(columns.columns, 1 << lg_cols) << 2 * lg_cols, 1 << lg_cols},
        col{1 << 2 * lg_cols, 1};
    columns.out = {lg_cols, row, col}, rows.in = {lg_cols, col, row};
    // Two blocks are on a multiprocessor, so that one loads while the other computes.
    constexpr int most_threads = MixedTile<T>::max_threads * MixedTile<T>::min_blocks / 2;
    for (MixedPass* pass : {&rows, &columns})
      pass->threads = threads_of(*pass, numbers_each / 2, most_threads);
    plan.exists = true;
  }

  static constexpr int numbers_each = 8;
};

/// The plan of n, which a thread makes once.
template <class T>
const MixedPlan& mixed_plan(Index n, MixedKind kind = MixedKind::one) {
  static thread_local std::map<std::pair<Index, MixedKind>, MixedPlan> plans;
  const auto found = plans.find({n, kind});
  return found != plans.end()
             ? found->second
             : plans.emplace(std::pair{n, kind}, MixedPlanner<T>::plan(n, kind)).first->second;
}

}  // namespace tallcache::gpu::fft
