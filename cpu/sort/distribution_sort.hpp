// A distribution sort, stable, of any records by any comparator, as one recursion: a segment that is small is
// a leaf; any other is spread into parts, from the range to a buffer or back, and each part is a segment.
//
//   store   where records lie and how they move                          (records.hpp)
//   spread  a sample of the segment gives the parts and each record's;
//           a value that dominates the sample is peeled into a part of its own, which is finished
//                                                                        (splitters.hpp)
//   leaf    sorts a small segment, and any that has been spread often    (merge_leaf.hpp, vector_leaf.hpp)
//
// Before that, few natural runs are merged (natural_runs.hpp). Records are spread out of place in chunks: the
// records of each part are counted in each chunk, the counts are added up, part by part and in each by
// chunks, and then each chunk moves its records. So chunks are independent, and equal records keep their
// order (Blelloch, Gibbons, Simhadri, "Low depth cache-oblivious algorithms", SPAA 2010; the splitters of
// Sanders, Winkel, ESA 2004). The result, and the order of the moves in memory, is the same on any number of
// threads.
#pragma once

#include <bit>

#include "common/cache/ideal_misses.hpp"
#include "common/ceil_div.hpp"
#include "common/fork/fork.hpp"
#include "common/ops/sort.hpp"
#include "common/variant.hpp"
#include "common/view.hpp"
#include "cpu/sort/comparator.hpp"
#include "cpu/sort/natural_runs.hpp"
#include "cpu/sort/splitters.hpp"
#include "cpu/sort/vector_leaf.hpp"

namespace tallcache::cpu::sort {

/// Up to so many records are a leaf, and a part gets about `part` of them; 0: as the kind of leaf says. A
/// chunk has at least `chunk`.
struct DistributionSizes {
  Index leaf = 0, part = 0, chunk = 1 << 15;
};

/// Working memory of a sort: a place and the number of a part for each record, and rows of counters.
template <class T, class Access>
struct DistributionScratch {
  T* buffer;
  VectorView<PartId, Access> ids;
  VectorView<Index, Access> rows;
};

namespace detail {
inline Index counters_of(Index n, const DistributionSizes& sizes) {
  return max_parts * (n / sizes.chunk + 2);
}
}  // namespace detail

/// The bytes of scratch that a sort of n records takes: about (sizeof(T) + 1) n.
template <class T>
std::size_t distribution_scratch_bytes(Index n, const DistributionSizes& sizes = {}) {
  return scratch_bytes({checked_product(n, sizeof(T), "records"), static_cast<std::size_t>(n),
                        static_cast<std::size_t>(detail::counters_of(n, sizes)) * sizeof(Index)});
}

/// The scratch of a sort of n records, taken from memory of distribution_scratch_bytes<T>(n, sizes).
template <class T, class Access>
DistributionScratch<T, Access> take_distribution_scratch(Scratch<Access>& scratch, Index n,
                                                         const DistributionSizes& sizes = {}) {
  T* const buffer = scratch.template vector<T>(n).data;
  const auto ids = scratch.template vector<PartId>(n);
  return {buffer, ids, scratch.template vector<Index>(detail::counters_of(n, sizes))};
}

/// Spread_: constructed from (store, less, segment, part size), with parts(), finished(part), count(),
/// move() and most_levels, the number of times that it is tried.
/// Leaf_: sorts a segment in whatever place, to its home; most() is the largest one, part() the size of a
/// part, most_runs the number of natural runs that are merged sooner, and insert() sorts one that is nearly
/// in order.
template <class Store, class Less, template <class, class> class Spread_ = Splitters,
          template <class, class> class Leaf_ = LeafOf>
class DistributionSort {
 public:
  using T = typename Store::Record;
  using Access = decltype(Store::access);
  using Spread = Spread_<Store, Less>;
  using Leaf = Leaf_<Store, Less>;

  /// `less` does not throw (Caught).
  DistributionSort(Store store, Less less, T* range, const DistributionScratch<T, Access>& scratch,
                   const DistributionSizes& sizes = {})
      : store_(store), less_(less), range_(range), scratch_(scratch), sizes_(sizes) {}

  /// Sorts the first n records of the range.
  template <class Fork>
  void operator()(Fork& fork, Index n) const {
    const Segment<T> all{range_, range_, scratch_.buffer, n};
    const NaturalRuns runs(store_, less_, all, Leaf::most_runs);
    if (runs.few) {
      if (runs.count > 1) merge_natural(fork, store_, less_, all, runs, 0, runs.count, true);
    } else {
      sort(fork, all, Spread::most_levels, sizes_.leaf ? sizes_.leaf : Leaf::most(n, fork.width()), true);
    }
  }

 private:
  /// Where the parts of a spread segment end.
  struct Parts {
    Index end[max_parts];
    int count;
    bool peeled, counted;  ///< as in Spread: peels(), counts_finished()

    Segment<T> part_of(const Segment<T>& s, Index part) const {
      const Index begin = part ? end[part - 1] : 0;
      return s.moved(begin, end[part] - begin);
    }
  };

  /// `whole`: not cut from a segment of a chunk or less, whose records were not near their places.
  template <class Fork>
  void sort(Fork& fork, const Segment<T>& s, int levels, Index leaf, bool whole) const {
    const bool is_chunk = s.size <= sizes_.chunk;
    if (less_.failed() || (whole && is_chunk && Leaf{store_, less_}.insert(s))) return go_home(fork, s);
    if (s.size <= leaf || levels == 0) return Leaf{store_, less_}(s);
    Parts parts;
    spread(fork, s, parts);
    fork.loop(0, parts.count, 1, [&, levels, leaf, is_chunk](Index part) {
      const Segment<T> next = parts.part_of(s, part);
      if (Spread::finished(part, parts.count, parts.peeled))
        go_home(fork, next, parts.counted);
      else
        sort(fork, next, levels - 1, leaf, !is_chunk);
    });
  }

  /// Moves the records of a segment to their parts. A function of its own, so that the sample and the
  /// splitters are on the stack no longer when the parts are sorted.
  template <class Fork>
  [[gnu::noinline]] void spread(Fork& fork, const Segment<T>& s, Parts& parts) const {
    const Spread splitters(store_, less_, s, sizes_.part ? sizes_.part : Leaf::part(s.size));
    parts.count = splitters.parts();
    parts.peeled = splitters.peels(), parts.counted = splitters.counts_finished();
    const Index begin = s.home - range_, chunks = std::max<Index>(1, s.size / sizes_.chunk);
    const auto ids = scratch_.ids.block(begin, s.size);
    Index own[max_parts];
    const auto each_chunk = [&](auto body) {
      fork.loop(0, chunks, 1, [&, body](Index chunk) {
        const Index first = block_begin(s.size, chunks, chunk);
        const Index size = block_begin(s.size, chunks, chunk + 1) - first;
        body(chunk, s.from + first, size, ids.block(first, size));
      });
    };
    each_chunk([&](Index chunk, T* records, Index size, auto ids_of) {
      const auto counts = counters(s, own, chunk);
      for (Index part = 0; part < parts.count; ++part) counts[part] = 0;
      splitters.count(records, size, ids_of, counts);
    });
    Index next = 0;
    for (Index part = 0; part < parts.count; ++part) {
      for (Index chunk = 0; chunk < chunks; ++chunk) {
        const auto counts = counters(s, own, chunk);
        const Index count = counts[part];
        counts[part] = next;
        next += count;
      }
      parts.end[part] = next;
    }
    each_chunk([&, to = s.free()](Index chunk, T* records, Index size, auto ids_of) {
      const auto end_of = [&](Index part) -> Index {
        return chunk + 1 < chunks ? counters(s, own, chunk + 1)[part] : parts.end[part];
      };
      splitters.move(records, size, ids_of, counters(s, own, chunk), end_of, to);
    });
  }

  /// The counters of a chunk of a segment. Those of more than one chunk are in the rows of the multiples of
  /// the chunks' size in the segment, which no other one has.
  VectorView<Index, Access> counters(const Segment<T>& s, Index* own, Index chunk) const {
    if (s.size < sizes_.chunk) return VectorView<Index>{own, max_parts}.with(store_.access);
    return scratch_.rows.block(max_parts * (ceil_div(s.home - range_, sizes_.chunk) + chunk), max_parts);
  }

  /// Moves records home, of which `first_alone` may be there, where all are copies of it.
  template <class Fork>
  void go_home(Fork& fork, const Segment<T>& s, [[maybe_unused]] bool first_alone = false) const {
    if (s.size == 0) return;
    if constexpr (is_number_order<T, Less>)
      if (const T first = store_.read(s.from); first_alone && Spread::has_copies(first))
        return loop_blocks(fork, s.size, sizes_.chunk,
                           [&](Index begin, Index end) { store_.fill(s.home + begin, first, end - begin); });
    if (s.from == s.home) return;
    loop_blocks(fork, s.size, sizes_.chunk, [&](Index begin, Index end) {
      store_.move_all(s.home + begin, s.from + begin, end - begin);
    });
  }

  Store store_;
  Less less_;
  T* range_;
  DistributionScratch<T, Access> scratch_;
  DistributionSizes sizes_;
};

struct distribution_sort {
  static constexpr std::string_view idea =
      "spread stably by sampled splitters, equal keys apart, down to merged leaves; few runs are merged";
  static constexpr std::string_view uses = "Highway: numbers in leaves (vqsort)";
  static constexpr std::string_view source = "Sanders, Winkel 2004; Blelloch, Gibbons, Simhadri 2010";
  using operations = OperationList<Sort, SortOf<std::uint64_t>, SortOf<double>, SortOf<KeyAndPosition>,
                                   SortOf<MoveOnly>, SortOf<StringPointer>>;
  static constexpr ParamSpec params[] = {
      {"leaf", 0,
       "up to so many records are a leaf; 0: 1024 that are merged, and on one thread all if they are numbers",
       0},
      {"part", 0, "a sample gives parts of about so many records; 0: 128, and 8 parts of numbers", 0},
      {"chunk", 1 << 15, "records that are counted and moved on one thread"}};
  static constexpr bool parallel = true;
  static constexpr double ns_per_byte = 0.45;
  static constexpr Pages scratch_pages = Pages::huge;

  template <class T>
  static std::size_t scratch(SortOf<T>, const Shape& shape, const Params& params) {
    return distribution_scratch_bytes<T>(shape["n"], sizes_of(params));
  }

  template <class Fork, class Args>
  static void run(Fork& fork, const Args& args, const Params& params) {
    using Keys = decltype(args.keys);
    using T = typename Keys::value_type;
    const Index n = args.keys.size;
    auto scratch = args.scratch;
    const auto taken = take_distribution_scratch<T>(scratch, n, sizes_of(params));
    Failure failure;
    std::less<> less;
    const DistributionSort sort(Records<T, typename Keys::access_type>{args.keys.access()},
                                Caught<std::less<>>{&less, &failure}, args.keys.data, taken,
                                sizes_of(params));
    sort(fork, n);
  }

  template <class T>
  static std::optional<cache::Prediction> predicted_misses(SortOf<T>, const Shape& shape,
                                                           const Params& params, cache::IdealCache ideal) {
    constexpr bool numbers = std::is_arithmetic_v<T>;
    const int parts = numbers && params["part"] == 0 ? few_parts : max_parts;
    if (ideal.Z < 2 * parts * ideal.L) return {};   // not even a line of each part fits
    if (numbers && params["leaf"] == 0) return {};  // all of them are a leaf
    return cache::distribution_misses(ideal, static_cast<double>(shape["n"]), parts);
  }

 private:
  static DistributionSizes sizes_of(const Params& params) {
    return {params["leaf"], params["part"], params["chunk"]};
  }
};

}  // namespace tallcache::cpu::sort
