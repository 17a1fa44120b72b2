// Merge sort with a parallel merge (Cormen, Leiserson, Rivest, Stein, "Introduction to Algorithms", 27.3):
// the middle key of the longer run is searched in the shorter one, and the two halves are merged in
// parallel. Work Theta(n lg n), span Theta(lg^3 n): lg n levels of merges that are lg n deep, with a binary
// search in each.
#pragma once

#include "common/cache/ideal_misses.hpp"
#include "common/fork/fork.hpp"
#include "cpu/sort/quicksort.hpp"

namespace tallcache::cpu::sort {

/// The number of the sorted keys that are less than `key`.
template <class Keys>
Index lower_bound(Keys keys, Key key) {
  Index begin = 0, end = keys.size;
  while (begin < end) {
    const Index middle = begin + (end - begin) / 2;
    if (keys[middle] < key)
      begin = middle + 1;
    else
      end = middle;
  }
  return begin;
}

template <class Keys>
void merge_leaf(Keys a, Keys b, Keys out) {
  Index i = 0, j = 0, k = 0;
  if (a.size && b.size) {
    Key x = a[0], y = b[0];
    while (true)
      if (y < x) {
        out[k++] = y;
        if (++j == b.size) break;
        y = b[j];
      } else {
        out[k++] = x;
        if (++i == a.size) break;
        x = a[i];
      }
  }
  while (i < a.size) out[k++] = a[i++];
  while (j < b.size) out[k++] = b[j++];
}

/// Merges the sorted keys of `a` and of `b` to `out`. A merge to up to `base` keys is a leaf.
template <class Fork, class Keys>
void p_merge(Fork& fork, Keys a, Keys b, Keys out, Index base) {
  if (out.size <= base) return merge_leaf(a, b, out);
  if (a.size < b.size) std::swap(a, b);
  const Index i = a.size / 2, j = lower_bound(b, a[i]), k = i + j;
  out[k] = a[i];
  const auto merge = [&fork, base](auto... runs) { p_merge(fork, runs..., base); };
  fork(Part(merge, a.block(0, i), b.block(0, j), out.block(0, k)),
       Part(merge, a.block(i + 1, a.size - i - 1), b.block(j, b.size - j),
            out.block(k + 1, out.size - k - 1)));
}

/// Sorts `keys`. `other`, of the same size, is working memory, and holds the result if `to_other`.
template <class Fork, class Keys>
void p_merge_sort(Fork& fork, Keys keys, Keys other, bool to_other, Index base) {
  if (keys.size < insertion_size) {
    insertion_sort(keys);
    if (to_other)
      for (Index i = 0; i < keys.size; ++i) other[i] = keys[i];
    return;
  }
  const Index half = keys.size / 2, rest = keys.size - half;
  const auto sort = [&fork, to_other, base](auto... half_keys) {
    p_merge_sort(fork, half_keys..., !to_other, base);
  };
  fork(Part(sort, keys.block(0, half), other.block(0, half)),
       Part(sort, keys.block(half, rest), other.block(half, rest)));
  const auto& [from, to] = to_other ? std::pair{keys, other} : std::pair{other, keys};
  p_merge(fork, from.block(0, half), from.block(half, rest), to, base);
}

struct merge_sort {
  static constexpr std::string_view idea =
      "sort the halves side by side, merge them in parallel by binary search";
  static constexpr std::string_view source = "M11; Cormen, Leiserson, Rivest, Stein, 27.3";
  using operations = OperationList<Sort>;
  static constexpr ParamSpec params[] = {{"base", 2048, "a merge to no more keys is a leaf"}};
  static constexpr bool parallel = true;
  static constexpr double ns_per_unit = 48;

  static std::size_t scratch(Sort, const Shape& shape, const Params&) {
    return scratch_bytes({checked_product(shape["n"], sizeof(Key), "keys")});
  }

  template <class Fork, class Args>
  static void run(Fork& fork, const Args& args, const Params& params) {
    auto scratch = args.scratch;
    const auto other = scratch.template vector<Key>(args.keys.size);
    p_merge_sort(fork, args.keys, other, false, params["base"]);
  }

  static cache::Prediction predicted_misses(Sort, const Shape& shape, const Params&,
                                            cache::IdealCache ideal) {
    return cache::merge_sort_misses(ideal, static_cast<double>(shape["n"]));
  }
};

}  // namespace tallcache::cpu::sort
