// Families of keys to be sorted: a family is a kind of input with parameters. The families themselves stand
// in key_families.cpp, each with its parameters and its keys; texts, draws and tests enumerate them.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "common/keys.hpp"

namespace tallcache {

/// A parameter of a family: a number, one of some words, or a flag.
struct KeyParam {
  std::string_view name, what;
  double min = 0, max = 1;  ///< the numbers that are allowed
  /// The numbers that are drawn: log-uniformly; from 0 on uniformly, and each end in an eighth of the draws.
  double drawn_min = 0, drawn_max = 1;
  double drawn_share = 0;  ///< not 0: of n, which a drawn number does not exceed either
  bool whole = false;
  bool optional = false;                      ///< without it, the seed decides
  std::span<const std::string_view> words{};  ///< in place of numbers; the first where none is given
  bool flag = false;                          ///< its name alone, or nothing

  bool is_number() const { return words.empty() && !flag; }
};

/// What keys are made for: n of them in [0, range].
struct KeyProblem {
  std::uint64_t seed, n, range;
};

struct KeyPoint;

struct KeyFamily {
  std::string_view name, what;
  std::span<const KeyParam> params;
  int parts;  ///< the points that it combines
  std::unique_ptr<const KeyStream> (*keys)(const KeyPoint&, const KeyProblem&);
};

/// A point of a family: an input.
struct KeyPoint {
  const KeyFamily* family;
  /// Of the family's parameters, in their order; of a word its place in the list, of a flag 0 or 1.
  std::array<std::optional<double>, 4> values{};
  std::vector<KeyPoint> parts{};
  std::optional<double> range{};  ///< no key is above it, nor above what the problem allows

  /// The value of a parameter of the family.
  std::optional<double> operator[](std::string_view param) const;
  friend bool operator==(const KeyPoint&, const KeyPoint&) = default;
};

/// The parameter that a point of any family may have: KeyPoint::range.
inline constexpr KeyParam key_range{
    .name = "range", .what = "no key is above it", .max = 4294967295, .whole = true, .optional = true};

/// The keys of a point.
std::unique_ptr<const KeyStream> make_keys(const KeyPoint&, KeyProblem);

/// All families, in the order in which they are listed and drawn.
std::span<const KeyFamily> key_families();

/// A point that has a name.
struct NamedKeyPoint {
  std::string_view name, text;  ///< text: as parse_key_input() reads it
};

/// The points that key_inputs names, in that order.
std::span<const NamedKeyPoint> named_key_points();

}  // namespace tallcache
