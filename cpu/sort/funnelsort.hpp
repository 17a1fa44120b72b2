// Funnelsort (Frigo, Leiserson, Prokop, Ramachandran, "Cache-oblivious algorithms", FOCS 1999): n^(1/3)
// segments of n^(2/3) keys are sorted recursively and merged by an n^(1/3)-merger. A k-merger is a tree of
// binary mergers: a top tree whose leaves are the roots of sqrt(k) bottom trees, each a sqrt(k)-merger, with
// a buffer of k^(3/2) keys on each of the sqrt(k) edges between. Wherever the recursion has come to trees
// that fit into the cache, a tree passes on as many keys in a row as its buffers take, which pays for
// fetching it. So no cache parameter is needed for Theta(n/L log_Z n) misses, the fewest of any comparison
// sort, in any cache with Z = Omega(L^2).
//
// The buffers are filled lazily (Brodal, Fagerberg, "Cache oblivious distribution sweeping", ICALP 2002): a
// merger runs until its own buffer is full, and where an input of its is empty it has that filled first.
#pragma once

#include <algorithm>
#include <bit>

#include "common/cache/ideal_misses.hpp"
#include "cpu/sort/quicksort.hpp"

namespace tallcache::cpu::sort {

/// The output of a merger, or a run: keys [head, tail) of the buffers or of the runs are there and not merged
/// yet. A merger has room for [begin, end), and gets no more keys when it is exhausted.
struct Stream {
  Index begin, end, head, tail;
  bool exhausted;
};

/// A k-merger, k = 2^height >= 2. Its binary mergers are the nodes 1 ... k - 1 of a heap; the nodes
/// k ... 2k - 1 are the runs, equal blocks of `runs`. Working memory: buffer_keys(height) keys, 2k streams.
template <class Keys, class Streams>
struct Funnel {
  int height;
  Keys runs, buffers, out;
  Streams streams;

  /// The keys of all buffers of a k-merger.
  static constexpr Index buffer_keys(int height) {
    if (height == 1) return 0;
    const int top = height / 2, bottom = height - top;
    return buffer_keys(top) + ((buffer_size(height) + buffer_keys(bottom)) << top);
  }

  /// Merges the runs to `out`.
  void merge() const {
    const Index k = Index{1} << height;
    for (Index run = 0; run < k; ++run) {
      const Index begin = block_begin(runs.size, k, run), end = block_begin(runs.size, k, run + 1);
      streams[k + run] = Stream{begin, end, begin, end, true};
    }
    lay_out(1, height, 0);
    streams[1] = Stream{0, out.size, 0, 0, false};
    fill(1, out);
  }

 private:
  /// At least k^(3/2).
  static constexpr Index buffer_size(int height) { return Index{1} << (3 * height + 1) / 2; }

  /// Lays out the buffers of the merger with its root at `node` from position `next` on, as van Emde Boas:
  /// those of the top tree, then each bottom tree's, behind the one between. Returns the position behind.
  Index lay_out(Index node, int levels, Index next) const {
    if (levels == 1) return next;
    const int top = levels / 2, bottom = levels - top;
    next = lay_out(node, top, next);
    for (Index root = node << top; root < (node + 1) << top; ++root) {
      const Index end = next + buffer_size(levels);
      streams[root] = Stream{next, end, next, next, false};
      next = lay_out(root, bottom, end);
    }
    return next;
  }

  /// The merger `node` fills its empty output, in `to`, as far as there are keys.
  void fill(Index node, const Keys& to) const {
    const Index left = 2 * node, right = 2 * node + 1;
    const Keys& from = left >= Index{1} << height ? runs : buffers;
    Stream output = streams[node], a = streams[left], b = streams[right];
    output.head = output.tail = output.begin;
    while (output.tail < output.end) {
      const bool has_a = has_key(left, a), has_b = has_key(right, b);
      if (!has_a && !has_b) {
        output.exhausted = true;
        break;
      }
      const bool takes_b = !has_a || (has_b && from[b.head] < from[a.head]);
      to[output.tail++] = takes_b ? from[b.head++] : from[a.head++];
    }
    streams[node] = output, streams[left] = a, streams[right] = b;
  }

  /// Whether the input has a key left; if there is none in its buffer, that is filled first.
  bool has_key(Index node, Stream& input) const {
    if (input.head == input.tail && !input.exhausted) {
      fill(node, buffers);
      input = streams[node];
    }
    return input.head < input.tail;
  }
};

/// Of the n^(1/3)-merger, a power of two.
constexpr int funnel_height(Index n) {
  return std::max(1, (static_cast<int>(std::bit_width(static_cast<std::size_t>(n))) + 1) / 3);
}

/// Sorts `keys`. `other`, of the same size, is working memory, and holds the result if `to_other`. Buffers
/// and streams are those of the largest merger. Up to `base` keys are sorted by insertion.
template <class Keys, class Streams>
void funnel_sort(Keys keys, Keys other, Keys buffers, Streams streams, bool to_other, Index base) {
  if (keys.size <= base) {
    insertion_sort(keys);
    if (to_other)
      for (Index i = 0; i < keys.size; ++i) other[i] = keys[i];
    return;
  }
  const int height = funnel_height(keys.size);
  const Index segments = Index{1} << height;
  for (Index segment = 0; segment < segments; ++segment) {
    const Index begin = block_begin(keys.size, segments, segment);
    const Index size = block_begin(keys.size, segments, segment + 1) - begin;
    funnel_sort(keys.block(begin, size), other.block(begin, size), buffers, streams, !to_other, base);
  }
  Funnel<Keys, Streams>{height, to_other ? keys : other, buffers, to_other ? other : keys, streams}.merge();
}

struct funnelsort {
  static constexpr std::string_view idea =
      "sort n^(1/3) segments, merge them by a tree of mergers whose buffers fit into every cache";
  static constexpr std::string_view source =
      "Frigo, Leiserson, Prokop, Ramachandran 1999; Brodal, Fagerberg 2002";
  using operations = OperationList<Sort>;
  static constexpr ParamSpec params[] = {{"base", 16, "up to so many keys are sorted by insertion"}};

  static std::size_t scratch(Sort, const Shape& shape, const Params&) {
    const Index n = shape["n"];
    const int height = funnel_height(n);
    return scratch_bytes({checked_product(n, sizeof(Key), "keys"),
                          static_cast<std::size_t>(Merger::buffer_keys(height)) * sizeof(Key),
                          (std::size_t{2} << height) * sizeof(Stream)});
  }

  template <class Fork, class Args>
  static void run(Fork&, const Args& args, const Params& params) {
    auto scratch = args.scratch;
    const Index n = args.keys.size;
    const int height = funnel_height(n);
    const auto other = scratch.template vector<Key>(n);
    const auto buffers = scratch.template vector<Key>(Merger::buffer_keys(height));
    const auto streams = scratch.template vector<Stream>(Index{2} << height);
    funnel_sort(args.keys, other, buffers, streams, false, params["base"]);
  }

  static cache::Prediction predicted_misses(Sort, const Shape& shape, const Params&,
                                            cache::IdealCache ideal) {
    return cache::optimal_sort_misses(ideal, static_cast<double>(shape["n"]));
  }

 private:
  using Merger = Funnel<VectorView<Key>, VectorView<Stream>>;
};

}  // namespace tallcache::cpu::sort
