// Wrongly sorted keys, with and without a payload.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

#include "common/ops/counting_sort.hpp"
#include "common/ops/counting_sort_in_place.hpp"
#include "common/ops/sort.hpp"
#include "tests/checkers/checker.hpp"

namespace tallcache {

// Sorts by `less(i, j)` on positions of the input.
static void place(const auto& args, auto less) {
  std::vector<Index> order(args.in.size);
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::stable_sort(order, less);
  for (Index i = 0; i < args.in.size; ++i) {
    args.out[i] = args.in[order[i]];
    if (args.payload_out.size) args.payload_out[i] = args.payload_in[order[i]];
  }
}
template <bool payload>
static void solve(CountingSort<payload>, const auto& args) {
  place(args, [&](Index i, Index j) { return args.in[i] < args.in[j]; });
}
template <class T>
static void solve(SortOf<T>, const auto& args) {
  std::stable_sort(args.keys.data, args.keys.data + args.keys.size);
}
static void solve(CountingSortInPlace, const auto& args) { solve(Sort{}, args); }

namespace test {
namespace {

struct descending {
  static void run(auto op, const auto& args) {
    if constexpr (requires { args.in; }) {
      place(args, [&](Index i, Index j) { return args.in[i] > args.in[j]; });
    } else {
      solve(op, args);
      std::reverse(args.keys.data, args.keys.data + args.keys.size);
    }
  }
};
struct unstable {
  static constexpr std::string_view where = "payload";
  static void run(auto, const auto& args) {
    place(args, [&](Index i, Index j) { return args.in[i] != args.in[j] ? args.in[i] < args.in[j] : i > j; });
  }
};
struct unsorted_end {
  static void run(auto op, const auto& args) {
    const auto& out = output(args);
    solve(op, args);
    Index other = out.size - 2;
    while (out[other] == out[out.size - 1]) --other;
    std::swap(out[other], out[out.size - 1]);
    if constexpr (requires { args.payload_out; })
      if (args.payload_out.size) std::swap(args.payload_out[other], args.payload_out[out.size - 1]);
  }
};
// The smaller of the middle keys twice, and a later one not at all: still sorted.
struct key_lost {
  static void run(auto op, const auto& args) {
    const auto& out = output(args);
    solve(op, args);
    Index i = out.size / 2;
    while (out[i] == out[i - 1]) ++i;
    out[i] = out[i - 1];
    if constexpr (requires { args.payload_out; })
      if (args.payload_out.size) args.payload_out[i] = args.payload_out[i - 1];
  }
};
struct payload_duplicated {
  static constexpr std::string_view where = "payload";
  static void run(auto op, const auto& args) {
    solve(op, args);
    Index i = 1;
    while (args.out[i] != args.out[i - 1]) ++i;
    args.payload_out[i] = args.payload_out[i - 1];
  }
};
struct payload_foreign {
  static constexpr std::string_view where = "payload";
  static void run(auto op, const auto& args) {
    solve(op, args);
    args.payload_out[args.out.size / 2] = 1;  // of a position far behind the last
  }
};
struct payload_swapped {  // between two different keys
  static void run(auto op, const auto& args) {
    solve(op, args);
    std::swap(args.payload_out[0], args.payload_out[args.out.size - 1]);
  }
};
struct last_key_missing {
  static void run(auto op, const auto& args) {
    const auto& out = output(args);
    const auto before = out[out.size - 1];
    solve(op, args);
    out[out.size - 1] = before;
  }
};
// Counts for [0, range) only: the largest key is counted as the one below it.
struct range_one_short {
  static void run(auto op, const auto& args) {
    solve(op, args);
    for (Index i = 0; i < args.out.size; ++i) args.out[i] = std::min(args.out[i], args.range - 1);
  }
};
struct equal_records_swapped {
  static void run(auto op, const auto& args) {
    solve(op, args);
    Index i = 1;
    while (args.keys[i - 1] < args.keys[i]) ++i;
    std::swap(args.keys[i - 1], args.keys[i]);
  }
};
// The one before it is there twice.
struct record_lost {
  static void run(auto op, const auto& args) {
    solve(op, args);
    auto& lost = args.keys[args.keys.size / 2];
    std::memcpy(static_cast<void*>(&lost), &args.keys[args.keys.size / 2 - 1], sizeof lost);
  }
};
// The first record is the last one as well.
struct record_duplicated {
  static void run(auto op, const auto& args) {
    solve(op, args);
    auto& lost = args.keys[args.keys.size - 1];
    std::memcpy(static_cast<void*>(&lost), &args.keys[0], sizeof lost);
  }
};
struct key_of_another_record {
  static void run(auto op, const auto& args) {
    solve(op, args);
    args.keys[1].key = args.keys[0].key;
  }
};
struct moved_from {
  static void run(auto op, const auto& args) {
    solve(op, args);
    [[maybe_unused]] const auto lost = std::move(args.keys[1]);
  }
};
struct string_from_elsewhere {
  static void run(auto op, const auto& args) {
    solve(op, args);
    args.keys[1].text += 1;
  }
};
struct string_lost {
  static void run(auto op, const auto& args) {
    solve(op, args);
    args.keys[args.keys.size / 2].text = nullptr;
  }
};
struct string_changed {
  static constexpr std::string_view where = "input";
  static void run(auto op, const auto& args) {
    solve(op, args);
    const_cast<char&>(args.texts.data[1]) += 1;
  }
};
// Sorted, with the sum and the number of the keys right.
struct sum_kept {
  static void run(auto op, const auto& args) {
    const auto& out = output(args);
    solve(op, args);
    out[0] += 1;
    out[out.size - 1] -= 1;
    for (Index i = 1; i < out.size; ++i) out[i] = std::max(out[i], out[0]);
  }
};

const std::vector<Shape> key_shapes{
    {{"n", 100}, {"range", 60}}, {{"n", 4097}, {"range", 4097}}, {{"n", 200003}, {"range", 1 << 20}}};

TEST_F(Checker, CountingSort) {
  for (std::string_view kind : {"uniform", "max_key", "zipf_1.0"})
    rejected<CountingSort<false>, no_op, all_zero, changes_input, writes_before, writes_behind, descending,
             unsorted_end, key_lost, last_key_missing, sum_kept>(key_shapes, kind);
  rejected<CountingSort<false>, range_one_short>(key_shapes, "max_key");
}

TEST_F(Checker, CountingSortOfPairs) {
  for (std::string_view kind : {"uniform", "max_key", "zipf_1.0"})
    rejected<CountingSort<true>, no_op, all_zero, changes_input, writes_before, writes_behind, descending,
             unsorted_end, key_lost, last_key_missing, sum_kept, unstable, payload_duplicated,
             payload_foreign, payload_swapped>(key_shapes, kind);
  rejected<CountingSort<true>, range_one_short>(key_shapes, "max_key");
  rejected<CountingSort<true>, unstable, payload_duplicated>(key_shapes, "two_values");
}

TEST_F(Checker, CountingSortInPlace) {
  for (std::string_view kind : {"uniform", "max_key", "zipf_1.0"})
    rejected<CountingSortInPlace, no_op, all_zero, writes_before, writes_behind, descending, unsorted_end,
             key_lost, sum_kept>(key_shapes, kind);
}

TEST_F(Checker, Sort) {
  for (std::string_view kind : {"uniform", "max_key", "shuffled"})
    rejected<Sort, no_op, all_zero, writes_before, writes_behind, descending, unsorted_end, key_lost,
             sum_kept>({{{"n", 100}}, {{"n", 4097}}, {{"n", 200003}}}, kind);
}

TEST_F(Checker, SortOfLongKeysAndRecords) {
  const std::vector<Shape> shapes{{{"n", 100}}, {{"n", 4097}}, {{"n", 200003}}};
  rejected<SortOf<std::uint64_t>, no_op, all_zero, writes_before, writes_behind, descending, unsorted_end,
           key_lost, sum_kept>(shapes, "uniform");
  rejected<SortOf<double>, no_op, all_zero, writes_before, writes_behind, descending, unsorted_end, key_lost,
           sum_kept>(shapes, "uniform");
  rejected<SortOf<KeyAndPosition>, no_op, writes_before, writes_behind, descending, record_lost,
           key_of_another_record>(shapes, "uniform");
  rejected<SortOf<KeyAndPosition>, equal_records_swapped, record_lost, record_duplicated>(shapes,
                                                                                          "two_values");
  rejected<SortOf<MoveOnly>, no_op, writes_before, writes_behind, descending, record_lost, record_duplicated,
           key_of_another_record, moved_from>(shapes, "uniform");
  rejected<SortOf<MoveOnly>, equal_records_swapped, record_lost, record_duplicated>(shapes, "two_values");
  rejected<SortOf<StringPointer>, no_op, string_changed, writes_before, writes_behind, descending,
           record_lost, record_duplicated, string_lost, string_from_elsewhere>(shapes, "uniform");
  rejected<SortOf<StringPointer>, equal_records_swapped, record_lost, record_duplicated>(shapes,
                                                                                         "two_values");
}

}  // namespace
}  // namespace test
}  // namespace tallcache
