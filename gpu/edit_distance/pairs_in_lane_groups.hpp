// The distances of many pairs of strings by bits, a pair in a group of lanes.
#pragma once

#include "common/ops/string_distance_batched.hpp"
#include "gpu/edit_distance/lane_pipeline.hpp"
#include "gpu/tuning/tuned.hpp"

namespace tallcache::gpu::edit_distance {

/// The borders between stripes of a pair's rows that follow one another, in place: a piece of the border
/// above a stripe is read before that below it is written.
template <class Column, class Elements>
struct StripeBorders {
  Elements at;  ///< two words a piece
  Index begin;  ///< of the pair
  bool has_above, has_below;

  template <class Thread>
  TALLCACHE_INLINE void prepare(const Thread&, int) const {}
  TALLCACHE_INLINE Border above(int piece) const {
    if (!has_above) return {Column::top_rise, 0};
    return {at[begin + 2 * piece], at[begin + 2 * piece + 1]};
  }
  TALLCACHE_INLINE void below(int piece, const Border& border) const {
    if (!has_below) return;
    at[begin + 2 * piece] = border.rise;
    at[begin + 2 * piece + 1] = border.fall;
  }
};

/// out[p] for the pairs of a warp, a group of `lanes` lanes a pair, in `stripes` stripes of a group's rows.
/// The letters of a warp's pairs decide by how many bits it tells them apart. `borders` has 2 * `pieces`
/// words for each pair where there are several stripes.
template <class Column, int width>
struct SolvePairs {
  static constexpr int warps = 4, max_threads = warps * warp, min_blocks = 4;
  static constexpr int words = Column::words, lane_rows = words * word_bits;

  template <class Thread, class Out, class Letters, class Begins, class Borders>
  TALLCACHE_DEVICE void operator()(const Thread& t, Out out, Letters a, Letters b, Begins a_begin,
                                   Begins b_begin, Borders borders, int lanes, int stripes,
                                   int pieces) const {
    auto&& seen = shared<0, std::uint8_t[warps][LetterSet::words * word_bits]>(t);
    const Index pairs = out.size, groups = warp / lanes;
    const Index first = (Index{t.block().x} * warps + t.thread().x / warp) * groups;
    if (first >= pairs) return;  // the whole warp
    const Index last = first + groups < pairs ? first + groups : pairs;
    auto&& own = seen[t.thread().x / warp];
    const int lane = t.thread().x % warp;
    for (int i = lane; i < LetterSet::words * word_bits; i += warp) own[i] = 0;
    t.sync_warp();
    mark(own, a, a_begin[first], a_begin[last], lane);
    mark(own, b, b_begin[first], b_begin[last], lane);
    t.sync_warp();
    LetterSet set;
#pragma unroll
    for (int i = 0; i < LetterSet::words; ++i)
      set.has[i] = t.ballot(static_cast<std::uint8_t>(own[i * word_bits + lane]) != 0);
    const unsigned distinguishing = set.distinguishing_bits();
    const Index pair = first + lane / lanes;
    Pair own_pair{pair < pairs ? pair : Index{-1}, 0, 0, 0, 0};
    if (pair < pairs) {
      own_pair.a = a_begin[pair], own_pair.m = static_cast<int>(a_begin[pair + 1] - own_pair.a);
      own_pair.b = b_begin[pair], own_pair.n = static_cast<int>(b_begin[pair + 1] - own_pair.b);
    }
    const auto solve_by = [&]<int planes>(std::integral_constant<int, planes>) {
      solve(t, LetterCodes<planes>(t, distinguishing), out, a, b, borders, own_pair, lanes, stripes, pieces);
    };
    with_planes(t.popcount(distinguishing), solve_by);
  }

 private:
  struct Pair {
    Index number;  ///< -1: none
    std::uint32_t a, b;
    int m, n;
  };

  template <class Seen, class Letters>
  static TALLCACHE_DEVICE void mark(Seen&& seen, const Letters& letters, std::uint32_t begin,
                                    std::uint32_t end, int lane) {
    // Whoever stores, stores the same.
#pragma unroll 4
    for (Index i = Index{begin} + lane; i < end; i += warp) seen[static_cast<std::uint8_t>(letters[i])] = 1;
  }

  template <int planes, class Thread, class Out, class Letters, class Borders>
  static TALLCACHE_DEVICE void solve(const Thread& t, const LetterCodes<planes>& codes, const Out& out,
                                     const Letters& a, const Letters& b, const Borders& borders,
                                     const Pair& pair, int lanes, int stripes, int pieces) {
    const int place = t.thread().x % warp % lanes, group_rows = lanes * lane_rows;
    RowCodes<words, planes> rows;
    int sum = Column::top(pair.n);
    for (int stripe = 0; stripe < stripes; ++stripe) {
      const int top = stripe * group_rows + place * lane_rows;
      rows.load(t, a, pair.a + top, pair.m - top, codes);
      StripeBorders<Column, Borders> between{borders, pair.number * 2 * pieces, stripe > 0,
                                             stripe + 1 < stripes};
      Column column;
      column.begin();
      run_pipeline<width>(t, column, rows, codes, b, pair.b, pair.n, {lanes, place}, between);
      const int height = column.height(top, pair.m);
      int group_sum = height;
      for (int distance = lanes / 2; distance; distance /= 2)
        group_sum += t.shuffle_down(group_sum, distance);
      sum += group_sum;
      t.sync_warp();  // on the border below
    }
    if (pair.number >= 0 && place == 0) out[pair.number] = sum;
  }
};

struct pairs_in_lane_groups : OnGpu {
  static constexpr std::string_view idea =
      "bits of the differences between cells in registers, a pair in a group of lanes that hand the borders "
      "between their rows on by shuffles; applies tiling, coarsening";
  static constexpr std::string_view source = "Myers 1999; Hyyrö 2003";
  using operations = OperationList<LevenshteinBatched, LongestCommonSubsequenceBatched>;

  /// The words of a lane's rows, the lanes of a pair, and the stripes and pieces of the longest pair.
  struct Plan {
    int words, lanes;
    Index stripes, pieces;
  };

  template <class Device = const Launch, class Op>
  static std::size_t scratch(Op, const Shape& shape, const Params&) {
    const Plan plan = plan_of<Device>(shape["pairs"], shape["m"], shape["n"]);
    return scratch_bytes(
        {plan.stripes == 1 ? 0 : checked_product(shape["pairs"], 2 * plan.pieces * 4, "borders")});
  }

  template <class Device, class Args>
  static void call(Device& device, const Args& args, const Params&) {
    const Index pairs = args.out.size;
    if (pairs == 0) return;
    const Plan plan = plan_of<Device>(pairs, args.m, args.n);
    switch (plan.words) {
      case 1:
        return start<1>(device, args, plan);
      case 2:
        return start<2>(device, args, plan);
      case 4:
        return start<4>(device, args, plan);
      case 5:
        return start<5>(device, args, plan);
      default:
        return start<8>(device, args, plan);
    }
  }

 private:
  static constexpr int width = 8, most_words = 8;

  /// The fewest words for which a kernel is compiled that hold `words`.
  static int compiled_words(Index words) {
    for (const int compiled : {1, 2, 4, 5})
      if (words <= compiled) return compiled;
    return most_words;
  }

  /// Fewer lanes of more words take less time in all, more lanes of fewer words less time for one pair: the
  /// plan of the least sum (TUNING.md).
  template <class Device>
  static Plan plan_of(Index pairs, Index m, Index n) {
    const Index pairs_at_once = tuning_of<Device>().strings_at_once;
    const Index needed = ceil_div(m, word_bits);
    Plan plan{};
    Index least = 0;
    for (int lanes = 1; lanes <= warp; lanes *= 2) {
      const Index of_lane = ceil_div(needed, lanes);
      if (of_lane > most_words && lanes < warp) continue;
      const int words = compiled_words(of_lane);
      const Index time = (4 + words) * pairs_at_once + pairs * lanes * (1 + words);
      if (plan.lanes && time >= least) continue;
      least = time;
      plan = {words, lanes, std::max<Index>(1, ceil_div(needed, lanes * words)), ceil_div(n, width)};
    }
    return plan;
  }

  template <int words, class Device, class Args>
  static void start(Device& device, const Args& args, const Plan& plan) {
    using Column =
        std::conditional_t<Args::Of::is_common_subsequence, SubsequenceColumn<words>, DistanceColumn<words>>;
    using Kernel = SolvePairs<Column, width>;
    auto scratch = args.scratch;
    const Index pairs = args.out.size;
    const auto borders = scratch.template vector<Bits>(plan.stripes == 1 ? 0 : pairs * 2 * plan.pieces);
    const unsigned blocks = grid_of(ceil_div(ceil_div(pairs, warp / plan.lanes), Kernel::warps));
    launch_kernel(device, Kernel{}, {{blocks}, {Kernel::max_threads}}, args.out, args.a, args.b, args.a_begin,
                  args.b_begin, borders, plan.lanes, static_cast<int>(plan.stripes),
                  static_cast<int>(plan.pieces));
  }
};

}  // namespace tallcache::gpu::edit_distance
