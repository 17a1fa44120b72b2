// Texts of inputs of keys, and draws from their families.
//
//   INPUT    NAME, one of key_inputs
//            FAMILY[:PARAM,...]                 runs:r=12,direction=down    zipf:s=1.3,scattered
//            FAMILY[:PARAM,...](INPUT)(INPUT)   mixture:q=0.3(zipf:s=1)(sorted)
//   PARAM    name=NUMBER, name=WORD or the name of a flag; range=NUMBER in every family
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "common/key_families.hpp"
#include "common/operation.hpp"

namespace tallcache {

/// The point that a text names. Throws Error, one line with the nearest name, on an unknown family, parameter
/// or word, on a number out of its range, on one that is missing or given twice, and on a mixture of a
/// mixture.
KeyPoint parse_key_input(std::string_view text);

/// The text of a point: parse_key_input() of it is the point again.
std::string to_string(const KeyPoint&);

/// Every family with its parameters and their ranges, a line each, for a user.
std::string key_grammar();

/// Whether an operation's inputs are keys, so that it takes any point of the families.
bool takes_keys(const Operation&);

/// Throws Error, with the nearest name, unless the operation takes the input.
void require_input(const Operation&, std::string_view input);

/// A problem of a sort.
struct KeyDraw {
  KeyPoint point;
  Index n;
  Index range;  ///< the largest key allowed

  /// Of an operation that takes keys.
  Shape shape(const Operation&) const;
  /// The text of the point. It says the range where the operation's shape does not.
  std::string input(const Operation&) const;
};

inline constexpr Index least_drawn_n = Index{1} << 8, most_drawn_n = Index{1} << 26;

/// Draw number `index` of a seed, a function of these alone: any family as probable, its parameters as
/// KeyParam says, n log-uniform from `min_n` to `max_n`, which may be less, the range n, n / 16 or 2^32 - 1.
/// Drawn numbers have three digits.
KeyDraw draw_keys(std::uint64_t seed, std::uint64_t index, Index max_n = most_drawn_n,
                  Index min_n = least_drawn_n);

}  // namespace tallcache
