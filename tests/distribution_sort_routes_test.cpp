// Which route the distribution sort takes on inputs that are made for each; a sort with one of them switched
// off is found.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tallcache/sort.hpp>
#include <vector>

#include "tests/adversary.hpp"
#include "tests/sort_in_parts.hpp"
#include "tests/sorted_records.hpp"

namespace tallcache::test {

/// Policies of the sort: those that note what they are asked for, and those with a route switched off.
namespace policies {

using namespace cpu::sort;

/// What the policies of a sort on one thread were asked for.
struct Taken {
  Index spreads, peels, leaves, largest_leaf, inserted;
};
inline Taken taken;

template <template <class, class> class Spread>
struct Noting {
  template <class Store, class Less>
  struct Of : Spread<Store, Less> {
    Of(const Store& store, const Less& less, const Segment<typename Store::Record>& s, Index part)
        : Spread<Store, Less>(store, less, s, part) {
      ++taken.spreads;
      taken.peels += this->peels();
    }
  };
};
template <template <class, class> class Leaf>
struct NotingLeaf {
  template <class Store, class Less>
  struct Of : Leaf<Store, Less> {
    Of(const Store& store, const Less& less) : Leaf<Store, Less>{store, less} {}
    void operator()(const Segment<typename Store::Record>& s) const {
      ++taken.leaves;
      taken.largest_leaf = std::max(taken.largest_leaf, s.size);
      Leaf<Store, Less>::operator()(s);
    }
    bool insert(const Segment<typename Store::Record>& s) const {
      const bool sorted = Leaf<Store, Less>::insert(s);
      taken.inserted += sorted;
      return sorted;
    }
  };
};

template <class Store, class Less>
struct WithoutRuns : LeafOf<Store, Less> {
  static constexpr Index most_runs = 0;
};
template <class Store, class Less>
struct WithoutInsertion : LeafOf<Store, Less> {
  bool insert(const Segment<typename Store::Record>&) const { return false; }
};
template <class Store, class Less>
struct WithoutSpread : LeafOf<Store, Less> {
  static constexpr Index most(Index n, Index) { return n; }
};
template <class Store, class Less>
struct WithoutLeaf : LeafOf<Store, Less> {
  static constexpr Index most(Index, Index) { return 1; }
};
template <class Store, class Less>
struct WithoutPeel : Splitters<Store, Less> {
  using Splitters<Store, Less>::Splitters;
  bool peels() const { return false; }
  static bool finished(Index, Index, bool) { return false; }
};
template <class Store, class Less>
struct WithoutEnd : Splitters<Store, Less> {
  using Splitters<Store, Less>::Splitters;
  static constexpr int most_levels = 40;
};

}  // namespace policies
namespace {

using namespace policies;

/// By what the policies were asked for. A merged leaf has 1024 records at most.
std::string route() {
  if (!taken.spreads && !taken.leaves) return taken.inserted ? "insertion" : "natural runs";
  const bool is_large = taken.largest_leaf > 1024;
  if (!taken.spreads) return taken.leaves > 1 ? "?" : is_large ? "vqsort" : "leaf";
  if (is_large) return taken.spreads <= 8 ? "levels used up" : "?";
  return taken.peels ? "peel" : "spread";
}

template <template <class, class> class Spread, template <class, class> class Leaf, class T, class Less>
std::string route_of(std::vector<T> records, Less less) {
  taken = {};
  Serial fork;
  sort_by_fork<Noting<Spread>::template Of, NotingLeaf<Leaf>::template Of>(fork, records, less, {});
  return route();
}

constexpr Index many = 40009;

/// Whatever is less than all else has runs of two records, and no splitter divides them.
bool no_order(const Numbered& a, const Numbered& b) {
  const bool are_neighbours = a.position - b.position == 1 || b.position - a.position == 1;
  return !are_neighbours || std::min(a.position, b.position) % 2 == 0 || a.position < b.position;
}

/// The route of each input that is made for one.
template <template <class, class> class Spread = Splitters, template <class, class> class Leaf = LeafOf>
std::map<std::string, std::string> routes() {
  std::map<std::string, std::string> list;
  for (const std::string_view family :
       {"sorted", "reversed", "all_equal", "organ_pipe", "appended", "runs:r=10",
        "runs:r=10,direction=down,range=500", "runs:r=500", "few:v=4", "heavy:p=0.7", "uniform"})
    list[std::string(family)] = route_of<Spread, Leaf>(records_of(family, many, 1), std::less<>{});
  list["displaced:d=2"] = route_of<Spread, Leaf>(records_of("displaced:d=2", 3000, 1), std::less<>{});
  list["500 records"] = route_of<Spread, Leaf>(records_of("uniform", 500, 1), std::less<>{});
  list["no order"] = route_of<Spread, Leaf>(records_of("uniform", many, 1), no_order);
  std::vector<std::uint32_t> keys(many);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<std::uint32_t>(random_bits(1, i));
  list["numbers"] = route_of<Spread, Leaf>(keys, std::less<>{});
  return list;
}

const std::map<std::string, std::string> expected{{"sorted", "natural runs"},
                                                  {"reversed", "natural runs"},
                                                  {"all_equal", "natural runs"},
                                                  {"organ_pipe", "natural runs"},
                                                  {"appended", "natural runs"},
                                                  {"runs:r=10", "natural runs"},
                                                  {"runs:r=10,direction=down,range=500", "natural runs"},
                                                  {"displaced:d=2", "insertion"},
                                                  {"runs:r=500", "natural runs"},
                                                  {"few:v=4", "peel"},
                                                  {"heavy:p=0.7", "peel"},
                                                  {"uniform", "spread"},
                                                  {"500 records", "leaf"},
                                                  {"no order", "levels used up"},
                                                  {"numbers", "vqsort"}};

TEST(DistributionSortRoutes, EachIsTaken) { EXPECT_EQ(routes(), expected); }

/// The inputs whose routes are not those expected.
template <template <class, class> class Spread = Splitters, template <class, class> class Leaf = LeafOf>
std::vector<std::string> found() {
  std::vector<std::string> inputs;
  for (const auto& [input, taken_route] : routes<Spread, Leaf>())
    if (taken_route != expected.at(input)) inputs.push_back(input);
  return inputs;
}

using Inputs = std::vector<std::string>;

TEST(DistributionSortRoutes, OneThatIsOffIsFound) {
  EXPECT_EQ((found<Splitters, WithoutRuns>()),
            (Inputs{"all_equal", "appended", "organ_pipe", "reversed", "runs:r=10",
                    "runs:r=10,direction=down,range=500", "runs:r=500", "sorted"}));
  EXPECT_EQ((found<Splitters, WithoutInsertion>()), Inputs{"displaced:d=2"});
  EXPECT_EQ((found<Splitters, WithoutSpread>()), (Inputs{"few:v=4", "heavy:p=0.7", "no order", "uniform"}));
  EXPECT_EQ((found<Splitters, WithoutLeaf>()), (Inputs{"500 records", "numbers"}));
  EXPECT_EQ((found<WithoutPeel>()), (Inputs{"few:v=4", "heavy:p=0.7"}));
  EXPECT_EQ((found<WithoutEnd>()), Inputs{"no order"});
  EXPECT_EQ((found<Splitters, MergeLeaf>()), Inputs{"numbers"});
}

// --- What a route saves ---------------------------------------------------------------------------------

Index comparisons(std::string_view family) {
  Index count = 0;
  auto records = records_of(family, 100003, 1);
  Serial fork;
  sort_by_fork(fork, records, [&](const Numbered& a, const Numbered& b) { return ++count, a < b; }, {});
  return count;
}

TEST(DistributionSortRoutes, TakeFewComparisons) {
  constexpr Index n = 100003;
  EXPECT_EQ(comparisons("sorted"), n - 1);
  EXPECT_EQ(comparisons("all_equal"), n - 1);
  EXPECT_EQ(comparisons("reversed"), n - 1);
  EXPECT_LE(comparisons("organ_pipe"), 2 * n + 1000);
  EXPECT_LE(comparisons("appended"), 3 * n + 1000);
  EXPECT_LE(comparisons("runs:r=10"), 5 * n + 1000);
  // Two tell equal ones, and one more turns them back.
  EXPECT_LE(comparisons("runs:r=1,direction=down,range=1000"), 3 * n);
  // Two bits of a key, its equality, and the sample.
  EXPECT_LE(comparisons("few:v=4"), 4 * n + 20000);
  EXPECT_LE(comparisons("heavy:p=0.7"), comparisons("uniform"));
  EXPECT_LE(comparisons("zipf_1.0"), comparisons("uniform"));
  EXPECT_LE(static_cast<double>(comparisons("uniform")), 1.25 * n * std::log2(n));
}

/// What is spread in vain is a leaf, so that an adversary has no square of n to make. A quicksort's is found.
TEST(DistributionSortRoutes, EndAgainstAnAdversary) {
  constexpr Index n = 20000;
  constexpr double most = 100.0 * n;
  const auto items_of = [](auto items) { return std::vector(items.data, items.data + items.size); };
  const auto keys = Adversary::keys(n, [&](auto items) {
    auto records = items_of(items);
    Serial fork;
    sort_by_fork(fork, records, std::less<>{}, {});
  });
  EXPECT_LE(Adversary::compared(), most);
  auto sorted = keys, expected_keys = keys;
  std::ranges::sort(expected_keys);
  tallcache::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(sorted, expected_keys);
  Adversary::keys(n, [](auto items) {
    Serial fork;
    sample_qsort(fork, items);
  });
  EXPECT_GT(Adversary::compared(), most);
  Index count = 0;
  auto records = records_of("uniform", n, 1);
  Serial fork;
  sort_by_fork(fork, records, [&](const Numbered& a, const Numbered& b) { return ++count, no_order(a, b); },
               {});
  EXPECT_EQ(lost_of(records, records_of("uniform", n, 1)), "");
  EXPECT_LE(static_cast<double>(count), most);
}

/// A record whose moves are counted.
struct Large {
  Large(Index key_, Index position_) : key(key_), position(position_) {}
  Large(Large&& other) noexcept : key(other.key), position(other.position) { ++moves; }
  Large& operator=(Large&& other) noexcept {
    return key = other.key, position = other.position, ++moves, *this;
  }
  friend bool operator<(const Large& a, const Large& b) { return a.key < b.key; }
  Index key, position;
  char rest[200] = {};
  static inline Index moves = 0;
};

TEST(DistributionSortRoutes, LargeRecordsAreMovedOnceByTheirIndex) {
  constexpr Index n = 5003;
  const auto moves_of = [](auto sort) {
    std::vector<Large> records;
    records.reserve(n);
    for (Index i = 0; i < n; ++i) records.emplace_back(static_cast<Index>(random_bits(2, i) % 300), i);
    Large::moves = 0;
    sort(records);
    EXPECT_TRUE(std::ranges::is_sorted(records, {}, [](const Large& l) {
      return std::pair{l.key, l.position};
    }));
    return Large::moves;
  };
  EXPECT_LE(moves_of([](auto& records) { tallcache::sort(records.begin(), records.end()); }), n + n / 10);
  // Without that route each level moves them.
  EXPECT_GT(moves_of([](auto& records) {
              std::less<> less;
              tallcache::detail::sort_records(std::span(records), less, 1);
            }),
            3 * n);
}

}  // namespace
}  // namespace tallcache::test
