// The distance of two strings by quadrants of a tableau whose borders are bits.
#pragma once

#include "common/ops/string_distance.hpp"
#include "cpu/edit_distance/bit_tableau.hpp"

namespace tallcache::cpu::edit_distance {

/// The recurrence of an operation.
template <class Op>
using RecurrenceOf = std::conditional_t<Op::is_common_subsequence, CommonSubsequence, Levenshtein>;

/// Writes what the operation asks of the distance that is found, of common subsequences without
/// substitutions. `walk`: as for distance_in_band().
template <class Fork, class Args, class Walk>
void write_distance(Fork& fork, const Args& args, const Walk& walk) {
  const Index distance =
      distance_in_band<RecurrenceOf<typename Args::Of>>(fork, args.a, args.b, args.scratch, walk);
  args.out[0] = static_cast<std::int32_t>(
      Args::Of::is_common_subsequence ? (args.a.size + args.b.size - distance) / 2 : distance);
}

/// The scratch of distance_in_band().
template <class Op>
std::size_t distance_scratch(const Shape& shape) {
  return BitTableau<RecurrenceOf<Op>, Plain>::bytes(std::max(shape["m"], shape["n"]),
                                                    std::min(shape["m"], shape["n"]));
}

struct bits_recursive {
  static constexpr std::string_view idea =
      "differences of cells as bits, by quadrants, in a band that widens";
  static constexpr std::string_view source =
      "Myers 1999; Hyyrö 2003; Ukkonen 1985; Chowdhury and Ramachandran 2006";
  using operations = OperationList<LevenshteinDistance, LongestCommonSubsequence>;
  static constexpr ParamSpec params[] = {{"base", 4096, "a block with no larger side is a leaf"}};
  static constexpr bool parallel = true;
  static constexpr double ns_per_unit = 1.0 / 64;

  template <class Op>
  static std::size_t scratch(Op, const Shape& shape, const Params&) {
    return distance_scratch<Op>(shape);
  }

  template <class Fork, class Args>
  static void run(Fork& fork, const Args& args, const Params& params) {
    const Index base = params["base"];
    write_distance(fork, args, [&](const auto& tableau, const Band& band) {
      by_quadrants(fork, tableau, band, base, 0, 0, tableau.m, tableau.n);
    });
  }
};

}  // namespace tallcache::cpu::edit_distance
