// The distance of two strings by blocks of blocks of a tableau whose borders are bits.
#pragma once

#include "common/ops/string_distance.hpp"
#include "cpu/edit_distance/bit_tableau.hpp"

namespace tallcache::cpu::edit_distance {

/// The recurrence of an operation.
template <class Op>
using RecurrenceOf = std::conditional_t<Op::is_common_subsequence, CommonSubsequence, Levenshtein>;

/// Writes what the operation asks of the distance that is found, of common subsequences without
/// substitutions.
template <class Fork, class Args>
void write_distance(Fork& fork, const Args& args, const Blocks& blocks) {
  const Index distance =
      distance_in_band<RecurrenceOf<typename Args::Of>>(fork, args.a, args.b, args.scratch, blocks);
  args.out[0] = static_cast<std::int32_t>(
      Args::Of::is_common_subsequence ? (args.a.size + args.b.size - distance) / 2 : distance);
}

/// The scratch of distance_in_band().
template <class Op>
std::size_t distance_scratch(const Shape& shape) {
  return BothEnds<RecurrenceOf<Op>, Plain>::bytes(std::max(shape["m"], shape["n"]),
                                                  std::min(shape["m"], shape["n"]));
}

struct bits_recursive {
  static constexpr std::string_view idea =
      "differences of cells as bits, from both ends, by blocks of blocks, in a band that widens";
  static constexpr std::string_view source =
      "Myers 1999; Hyyrö 2003; Ukkonen 1985; Hirschberg 1975; Chowdhury and Ramachandran 2008";
  using operations = OperationList<LevenshteinDistance, LongestCommonSubsequence>;
  static constexpr ParamSpec params[] = {{"base", 2048, "a block with no larger side is a leaf"},
                                         {"ways", 1024, "a larger side is cut into so many"}};
  static constexpr bool parallel = true;
  static constexpr double ns_per_unit = 1.0 / 64;

  template <class Op>
  static std::size_t scratch(Op, const Shape& shape, const Params&) {
    return distance_scratch<Op>(shape);
  }

  template <class Fork, class Args>
  static void run(Fork& fork, const Args& args, const Params& params) {
    write_distance(fork, args, {.base = params["base"], .ways = params["ways"]});
  }
};

}  // namespace tallcache::cpu::edit_distance
