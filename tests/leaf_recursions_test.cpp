// Whole texts that fork, on one thread: the distribution sort, the counting sort in place, searches in
// graphs. What they say under Traced is what they load and store. Records and counters that they have on the
// stack are named too, and are no region here.
#include <gtest/gtest.h>

#include "common/fork/fork.hpp"
#include "cpu/bfs/bfs_bag.hpp"
#include "cpu/bfs/bfs_direction_optimizing.hpp"
#include "cpu/bfs/bfs_frontier.hpp"
#include "cpu/counting_sort/in_place_blocks.hpp"
#include "cpu/sort/distribution_sort.hpp"
#include "tests/each_target.hpp"
#include "tests/leaf_views.hpp"

namespace tallcache::test {
namespace {

using namespace cpu::sort;
using tallcache::test::Leaf;

template <class T>
T record(std::uint64_t key, std::uint64_t position) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(key);
  else
    return {key, position};
}

/// n records with keys below `values`.
template <class T>
std::vector<T> records(Index n, std::uint64_t values) {
  std::vector<T> list;
  for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(n); ++i)
    list.push_back(record<T>(random_up_to(1, i, values - 1), i));
  return list;
}
/// Runs of `length` that rise, and in between some that fall.
template <class T>
std::vector<T> runs(Index n, Index length) {
  std::vector<T> list;
  for (Index i = 0; i < n; ++i) {
    const Index run = i / length, at = i % length;
    list.push_back(record<T>(static_cast<std::uint64_t>(run % 3 == 1 ? length - at : at),
                             static_cast<std::uint64_t>(i)));
  }
  return list;
}

/// A place where records lie at first, which may keep what it has.
template <class T>
Region range_of(const std::vector<T>& values) {
  Region all = region(values);
  all.keeps = true;
  return all;
}
/// From the greatest key: numbers from the least are sorted by a library.
struct Falling {
  template <class T>
  bool operator()(const T& a, const T& b) const {
    if constexpr (std::is_integral_v<T>)
      return a > b;
    else
      return a.key > b.key;
  }
};
struct Comparator {
  Falling falling;
  Failure failure;
  Caught<Falling> less() { return {&falling, &failure}; }
};

/// A leaf that finds n records at home, or in the buffer.
template <class T>
void see_merged(See see, Index n, bool at_home) {
  const Region all = range_of(records<T>(n, 40)), place = own<T>(n);
  const auto run = [=](const auto& v) {
    Comparator of;
    using Store = Records<T, std::remove_cvref_t<decltype(v.access)>>;
    T *const home = v.template of<T>(0).data, *const other = v.template of<T>(1).data;
    MergeLeaf<Store, Caught<Falling>>{{v.access}, of.less()}({at_home ? home : other, home, other, n});
  };
  see(leaf_of(at_home ? std::vector{all, place} : std::vector{place, all}, run),
      {at_home ? std::size_t{1} : std::size_t{0}});
}

/// The recursion over its range, its buffer, the records' parts and the counters of chunks.
template <class T>
void see_sorted(See see, const std::vector<T>& values, const DistributionSizes& sizes) {
  const auto n = static_cast<Index>(values.size());
  const std::vector regions{range_of(values), own<T>(n), own<PartId>(n),
                            own<Index>(cpu::sort::detail::counters_of(n, sizes))};
  see(leaf_of(regions,
              [=](const auto& v) {
                Comparator of;
                using Access = std::remove_cvref_t<decltype(v.access)>;
                const DistributionScratch<T, Access> scratch{
                    v.template of<T>(1).data, v.template of<PartId>(2), v.template of<Index>(3)};
                const DistributionSort sort(Records<T, Access>{v.access}, of.less(), v.template of<T>(0).data,
                                            scratch, sizes);
                Serial fork;
                sort(fork, n);
              }),
      {1, 2, 3});
}

template <class T>
void see_sorts(See see) {
  constexpr DistributionSizes sizes{.leaf = 32, .part = 8, .chunk = 128};
  for (const Index n : {1, 7, 8, 65, 600})
    for (const bool at_home : {true, false}) {
      SCOPED_TRACE(testing::Message() << n << " records" << (at_home ? " at home" : ""));
      see_merged<T>(see, n, at_home);
    }
  for (const std::uint64_t values : {3, 1000}) {
    SCOPED_TRACE(testing::Message() << "keys of " << values << " values");
    see_sorted(see, records<T>(100, values), sizes);
    see_sorted(see, records<T>(700, values), sizes);
  }
  SCOPED_TRACE("runs");
  see_sorted(see, runs<T>(700, 110), sizes);
}
TEST(RecursionLeaf, SortOfNumbers) { see_sorts<std::uint64_t>(expect_exact); }
TEST(RecursionLeaf, SortOfRecords) { see_sorts<KeyAndPosition>(expect_exact); }

/// Keys of one range, half of which are of few values.
void see_in_place(See see, Index n, std::uint64_t values) {
  namespace counting = cpu::counting_sort;
  using Key = counting::Word;
  constexpr std::uint64_t range = (1 << 13) - 1;
  std::vector<Key> keys(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < keys.size(); ++i)
    keys[i] = static_cast<Key>(random_up_to(3, 2 * i, i % 2 ? values - 1 : range));
  Region place = region(keys, 0);
  place.keeps = true;
  const counting::InPlaceCut cut(n, range, 1);
  const std::size_t bytes = counting::InPlaceBlocks<Plain>::scratch(n, cut);
  see(leaf_of({place, own<std::uint16_t>(static_cast<Index>(bytes / 2))},
              [=](const auto& v) {
                using Access = std::remove_cvref_t<decltype(v.access)>;
                Scratch<Access> scratch({v.at[1], bytes}, v.access);
                Serial fork;
                counting::InPlaceBlocks<Access>(v.template of<Key>(0), cut, scratch).sort(fork);
              }),
      {1});
}
void see_counting_in_place(See see) {
  for (const std::uint64_t values : {1, 1 << 13}) {
    SCOPED_TRACE(testing::Message() << "half of the keys of " << values << " values");
    see_in_place(see, 5001, values);
  }
}
TEST(RecursionLeaf, CountingSortInPlace) {
  for_each_target([] { see_counting_in_place(expect_exact); });
}

/// A text over a graph, whose edges may be changed to others of no graph, so that none is.
template <class Text>
void see_search(See see, std::string_view input, Index vertices, Index edges, std::size_t bytes,
                const Text& text) {
  using Vertex = Bfs::Vertex;
  std::vector<Vertex> offset(static_cast<std::size_t>(vertices + 1)), target(static_cast<std::size_t>(edges));
  build_graph(vertices, edges, Edges(input, 4, vertices), offset.data(), target.data());
  const auto given = [](const std::vector<Vertex>& values) {
    Region numbers = region(values);
    numbers.idle = [](std::size_t) { return true; };
    return numbers;
  };
  see(leaf_of({own<Bfs::Level>(vertices), given(offset), given(target),
               own<Vertex>(static_cast<Index>(bytes / sizeof(Vertex)))},
              [=](const auto& v) {
                using Access = std::remove_cvref_t<decltype(v.access)>;
                const Bfs::Args<Access> args{.out = v.template of<Bfs::Level>(0),
                                             .offset = v.template of<const Vertex>(1),
                                             .target = v.template of<const Vertex>(2),
                                             .source = 0,
                                             .scratch = Scratch<Access>({v.at[3], bytes}, v.access)};
                Serial fork;
                text(fork, args);
              }),
      {0, 3});
}

template <class Variant>
void see_variant(See see, const Params& params) {
  constexpr Index vertices = 300, edges = 2000;
  const std::size_t bytes = Variant::scratch(Bfs{}, Shape{{"vertices", vertices}, {"edges", edges}}, params);
  for (const std::string_view input : {"random", "power_law", "path"}) {
    SCOPED_TRACE(input);
    see_search(see, input, vertices, edges, bytes, [params](auto& fork, const auto& args) {
      if constexpr (requires { Variant::run(fork, args, params); }) {
        Variant::run(fork, args, params);
      } else {
        Variant::template run<0>(fork, args, params);
        Variant::template run<1>(fork, args, params);
      }
    });
  }
}
void see_searches(See see) {
  using namespace cpu::bfs;
  see_variant<bfs_queue>(see, {});
  see_variant<bfs_frontier>(see, {{"block", 64}});
  see_variant<bfs_bag>(see, {{"grain", 16}});
  see_variant<bfs_direction_optimizing>(see, {{"alpha", 15}, {"beta", 18}});
}
TEST(RecursionLeaf, Searches) { see_searches(expect_exact); }

}  // namespace
}  // namespace tallcache::test
