// Quicksort with a parallel partition (Blelloch, "Prefix sums and their applications", 1990). Blocks of the
// keys are counted in parallel, the counts are added up in a tree, and each block moves its keys behind those
// of the blocks before it. Span Theta(lg^2 n) instead of Theta(n): lg n partitions, each as deep as its tree.
// The price is a second pass over the keys, and memory for a copy of them.
#pragma once

#include <bit>

#include "common/ceil_div.hpp"
#include "cpu/sort/quicksort.hpp"

namespace tallcache::cpu::sort {

/// The number of keys that are less than the pivot, and of those that equal it; as positions, those of the
/// next such keys.
struct Sides {
  std::uint64_t less = 0, equal = 0;
  friend Sides operator+(Sides a, Sides b) { return {a.less + b.less, a.equal + b.equal}; }
};

/// The keys of one partition, in blocks of `block`. `counts` holds, at [b], the keys in the left subtree of
/// the inner node that splits the blocks before block b: one element less than there are blocks.
template <class Keys, class Counts>
struct Partition {
  using Key = typename Keys::value_type;

  Keys from, to;
  Counts counts;
  Index block;
  Key pivot;

  Index blocks() const { return ceil_div(from.size, block); }

  template <class Fork>
  Sides count(Fork& fork, Index first, Index last) const {
    if (last - first == 1) {
      Sides sum;
      for (Index i = first * block; i < end_of(first); ++i) {
        const Key key = from[i];
        sum.less += key < pivot;
        sum.equal += key == pivot;
      }
      return sum;
    }
    const Index middle = first + (last - first) / 2;
    Sides left, right;
    fork([&] { left = count(fork, first, middle); }, [&] { right = count(fork, middle, last); });
    counts[middle - 1] = left;
    return left + right;
  }

  /// `before` counts the keys before block `first`, `total` all keys.
  template <class Fork>
  void move(Fork& fork, Index first, Index last, Sides before, Sides total) const {
    if (last - first == 1) {
      const Index begin = first * block, greater = begin - static_cast<Index>(before.less + before.equal);
      // Indexed by the results of the comparisons: a branch would be mispredicted at every other key.
      Index next[] = {static_cast<Index>(before.less), static_cast<Index>(total.less + before.equal),
                      static_cast<Index>(total.less + total.equal) + greater};
      for (Index i = begin; i < end_of(first); ++i) {
        const Key key = from[i];
        to[next[(key >= pivot) + (key > pivot)]++] = key;
      }
      return;
    }
    const Index middle = first + (last - first) / 2;
    const Sides left = counts[middle - 1];
    fork([&] { move(fork, first, middle, before, total); },
         [&] { move(fork, middle, last, before + left, total); });
  }

 private:
  Index end_of(Index b) const { return std::min(from.size, (b + 1) * block); }
};

/// Sorts `keys`. `other`, of the same size, is working memory, and holds the result if `to_other`. Up to
/// `block` keys are partitioned in place. `counts` has (size - 1) / block elements, which also suffice for
/// the two sides. Sides of very different sizes are sorted one after the other, as in sample_qsort.
template <class Fork, class Keys, class Counts>
void quicksort_by_blocks(Fork& fork, Keys keys, Keys other, Counts counts, bool to_other, Index block) {
  while (keys.size > block) {
    const typename Keys::value_type pivot = keys[pivot_position(keys)];
    const Partition<Keys, Counts> partition{keys, other, counts, block, pivot};
    const Sides total = partition.count(fork, 0, partition.blocks());
    partition.move(fork, 0, partition.blocks(), {}, total);

    const Index less = static_cast<Index>(total.less), equal = static_cast<Index>(total.equal);
    const Index greater = keys.size - less - equal;
    const auto counts_of = [=](Index begin, Index size) {
      return counts.block(begin / block, size ? (size - 1) / block : 0);
    };
    const auto sort = [=, &fork](Index begin, Index size) {
      quicksort_by_blocks(fork, other.block(begin, size), keys.block(begin, size), counts_of(begin, size),
                          !to_other, block);
    };
    const auto copy_equal = [=, &fork] {
      fork.loop(less, less + equal, block, [=](Index begin) {
        for (Index i = begin; i < std::min(begin + block, less + equal); ++i) keys[i] = pivot;
      });
    };
    if (std::min(less, greater) >= keys.size / small_side)
      return fork([=] { sort(0, less); },
                  [=, &fork] {
                    const auto sort_greater = [=] { sort(less + equal, greater); };
                    if (to_other)
                      sort_greater();
                    else
                      fork(copy_equal, sort_greater);
                  });
    if (!to_other) copy_equal();
    const bool less_is_small = less < greater;
    if (less_is_small)
      sort(0, less);
    else
      sort(less + equal, greater);
    const Index begin = less_is_small ? less + equal : 0, size = less_is_small ? greater : less;
    const Keys left = other.block(begin, size);
    other = keys.block(begin, size);
    keys = left;
    counts = counts_of(begin, size);
    to_other = !to_other;
  }
  sample_qsort(fork, keys);
  if (to_other)
    for (Index i = 0; i < keys.size; ++i) other[i] = keys[i];
}

struct quicksort_blocks {
  static constexpr std::string_view idea =
      "quicksort whose partition is parallel: blocks of keys counted, then moved to prefix sums of the "
      "counts";
  static constexpr std::string_view source = "M13, with the parallel partition of Blelloch 1990";
  using operations = OperationList<Sort>;
  static constexpr ParamSpec params[] = {
      {"block", 4096,
       "keys that are counted and moved on one thread; up to so many are partitioned in place"}};
  static constexpr bool parallel = true;
  static constexpr double ns_per_unit = 48;

  static std::size_t scratch(Sort, const Shape& shape, const Params& params) {
    return scratch_bytes(
        {checked_product(shape["n"], sizeof(Key), "keys"),
         checked_product(inner_nodes(shape["n"], params["block"]), sizeof(Sides), "counts")});
  }

  template <class Fork, class Args>
  static void run(Fork& fork, const Args& args, const Params& params) {
    auto scratch = args.scratch;
    const Index n = args.keys.size, block = params["block"];
    const auto other = scratch.template vector<Key>(n);
    const auto counts = scratch.template vector<Sides>(inner_nodes(n, block));
    quicksort_by_blocks(fork, args.keys, other, counts, false, block);
  }

 private:
  static Index inner_nodes(Index n, Index block) { return n > 0 ? (n - 1) / block : 0; }
};

}  // namespace tallcache::cpu::sort
