// The seeded strings of the operations on pairs of them.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "common/compare.hpp"
#include "common/random.hpp"
#include "common/view.hpp"

namespace tallcache {

/// A kind of pair, and behind it the letters of its alphabet where they are not four: 20 as proteins have, or
/// all 256 bytes. similar: one edit in twenty letters; disjoint: no letter in common.
inline constexpr std::string_view string_inputs[] = {"random",    "similar",    "equal",      "disjoint",
                                                     "random_20", "similar_20", "random_256", "similar_256"};

/// Writes the m and n letters of the pair that `input` and `seed` name.
inline void fill_strings(std::string_view input, std::uint64_t seed, std::uint8_t* a, Index m,
                         std::uint8_t* b, Index n) {
  const auto is = [&](std::string_view kind) { return input.substr(0, kind.size()) == kind; };
  const std::uint64_t letters = input.ends_with("_256") ? 256 : input.ends_with("_20") ? 20 : 4;
  const int first = letters == 256 ? 0 : 'A';
  const auto letter = [=](std::uint64_t stream, Index i) {
    return static_cast<std::uint8_t>(first + static_cast<int>(random_up_to(stream, i, letters - 1)));
  };
  for (Index i = 0; i < m; ++i) a[i] = letter(seed, i);
  Index from = 0;  // the position in the first string of the next letter of a similar one
  for (Index j = 0; j < n; ++j) {
    const std::uint8_t other = letter(seed + 1, j);
    if (is("random")) {
      b[j] = other;
    } else if (is("disjoint")) {
      b[j] = static_cast<std::uint8_t>(other + letters);
    } else if (is("equal")) {
      b[j] = letter(seed, j);
    } else {
      const std::uint64_t edit = random_up_to(seed + 2, j, 59);
      b[j] = edit < 2 ? other : letter(seed, from);  // 0: inserted, 1: substituted, 2: behind a deleted one
      from += edit == 0 ? 0 : edit == 2 ? 2 : 1;
    }
  }
}

/// Throws Error unless `letters` is a string that a view may show.
inline void validate_string(VectorView<const std::uint8_t> letters, std::string_view name) {
  constexpr Index max = std::numeric_limits<std::int32_t>::max() / 2;
  if (letters.size < 0) throw Error(std::string(name) + ": negative size " + std::to_string(letters.size));
  if (letters.size && !letters.data) throw Error(std::string(name) + ": no data");
  if (letters.size > max)
    throw Error(std::string(name) + ": " + std::to_string(letters.size) + " letters; at most " +
                std::to_string(max) + " are compared");
}

}  // namespace tallcache
