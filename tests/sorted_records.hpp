// Records to be sorted that say where they came from, families of inputs, and checks of what a sort did.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/random.hpp"
#include "common/view.hpp"

namespace tallcache::test {

/// Compared by its key alone.
struct Numbered {
  std::int64_t key;
  Index position;
  friend bool operator<(const Numbered& a, const Numbered& b) { return a.key < b.key; }
  friend bool operator==(const Numbered&, const Numbered&) = default;
};

inline constexpr std::string_view families[] = {"uniform",  "few_values",  "four_values", "all_equal",
                                                "sorted",   "descending",  "equal_steps", "organ_pipe",
                                                "zipf",     "displaced",   "appended",    "ten_runs",
                                                "sawtooth", "heavy_value", "runs_of_both"};

/// Key i of n of a family.
inline std::int64_t key_of(std::string_view family, Index i, Index n, std::uint64_t seed) {
  const auto bits = static_cast<std::int64_t>(random_bits(seed, static_cast<std::uint64_t>(i)) >> 2);
  const double u = random_unit(seed + 7, static_cast<std::uint64_t>(i));
  if (family == "few_values") return bits % 50;
  if (family == "four_values") return bits % 4;
  if (family == "all_equal") return 3;
  if (family == "sorted") return i;
  if (family == "descending") return -i;
  if (family == "equal_steps") return -(i / 10);
  if (family == "organ_pipe") return std::min(i, n - 1 - i);
  if (family == "zipf") return static_cast<std::int64_t>(std::min(std::pow(n + 1.0, u), 1e18));
  if (family == "displaced") return u < 0.01 ? bits % (n + 1) : i;
  if (family == "appended") return i < n - n / 50 ? i : (i - n + n / 50) * 50 + 25;
  if (family == "ten_runs") return i % (n / 10 + 1);
  if (family == "sawtooth") return i % 23;
  if (family == "heavy_value") return u < 0.7 ? 1000 : bits % 100000;
  if (family == "runs_of_both") return i / (n / 6 + 1) % 2 ? -i : i;
  return bits;
}

inline std::vector<Numbered> records_of(std::string_view family, Index n, std::uint64_t seed) {
  std::vector<Numbered> records(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) records[static_cast<std::size_t>(i)] = {key_of(family, i, n, seed), i};
  return records;
}

/// Empty when the records are those of the input in some order.
inline std::string lost_of(const std::vector<Numbered>& records, const std::vector<Numbered>& input) {
  std::vector<bool> seen(input.size());
  for (const Numbered& record : records) {
    const auto position = static_cast<std::size_t>(record.position);
    if (position >= input.size() || seen[position] || !(input[position] == record)) return "a record is lost";
    seen[position] = true;
  }
  return records.size() == input.size() ? "" : "a record is lost";
}

/// Empty when the records are those of the input, sorted stably.
inline std::string problem_of(const std::vector<Numbered>& records, const std::vector<Numbered>& input) {
  for (std::size_t i = 1; i < records.size(); ++i) {
    if (records[i] < records[i - 1]) return "out of order at " + std::to_string(i);
    if (!(records[i - 1] < records[i]) && records[i].position < records[i - 1].position)
      return "not stable at " + std::to_string(i);
  }
  return lost_of(records, input);
}

}  // namespace tallcache::test
