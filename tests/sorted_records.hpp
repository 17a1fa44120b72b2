// Records to be sorted that say where they came from, families of inputs, and checks of what a sort did.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/element.hpp"
#include "common/keys.hpp"

namespace tallcache::test {

/// Compared by its key alone.
struct Numbered {
  std::int64_t key;
  Index position;
  friend bool operator<(const Numbered& a, const Numbered& b) { return a.key < b.key; }
  friend bool operator==(const Numbered&, const Numbered&) = default;
};

/// Inputs of keys, and two that are no points of a family.
inline constexpr std::string_view families[] = {
    "uniform",  "few:v=50",    "few:v=4",     "all_equal",   "sorted",
    "reversed", "equal_steps", "organ_pipe",  "zipf_1.0",    "mixture:q=0.01(uniform)(sorted)",
    "appended", "runs:r=10",   "runs:r=1000", "heavy:p=0.7", "runs:r=6,direction=alternating"};

/// n records of a family.
inline std::vector<Numbered> records_of(std::string_view family, Index n, std::uint64_t seed) {
  const bool steps = family == "equal_steps", appended = family == "appended";
  const Keys keys(steps || appended ? "uniform" : family, seed, static_cast<std::uint64_t>(n), 0xffffffff);
  const Index old = n - n / 50;
  std::vector<Numbered> records(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) {
    const std::int64_t key = steps      ? -(i / 10)
                             : appended ? (i < old ? i : (i - old) * 50 + 25)
                                        : std::int64_t{keys(static_cast<std::uint64_t>(i))};
    records[static_cast<std::size_t>(i)] = {key, i};
  }
  return records;
}

/// The same records as two other types: those that can only be moved, and pointers to their keys as texts.
struct OtherRecords {
  std::vector<MoveOnly> records;
  std::vector<std::string> texts;
  std::vector<StringPointer> pointers;
};
inline OtherRecords other_records(const std::vector<Numbered>& input) {
  OtherRecords other;
  for (const Numbered& r : input) {
    other.records.emplace_back(static_cast<std::uint64_t>(r.key), static_cast<std::uint64_t>(r.position));
    other.texts.push_back(std::to_string(r.key));
  }
  for (const std::string& text : other.texts) other.pointers.push_back({text.c_str()});
  return other;
}

/// Records that can only be moved as those of the input.
inline std::vector<Numbered> numbered(const std::vector<MoveOnly>& records) {
  std::vector<Numbered> all;
  for (const MoveOnly& record : records)
    all.push_back({static_cast<std::int64_t>(record.key), static_cast<Index>(record.position)});
  return all;
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
