// PBFS (Leiserson and Schardl 2010): breadth-first search level by level. A level is a bag, which is split
// and united in O(lg n) time, so that no level is ever laid out as an array. A bag consists of pennants as a
// binary number of digits: pennant k is a tree of 2^k vertices, whose root has one child, a complete binary
// tree. A vertex is in at most one bag, so two links for each vertex hold all bags.
#pragma once

#include <array>

#include "cpu/bfs/bfs_queue.hpp"

namespace tallcache::cpu::bfs {

/// `left` and `right` are the links of each vertex.
template <class Args, class Links>
class BagSearch {
  using Vertex = Bfs::Vertex;
  static constexpr Vertex none = ~Vertex{0};

  class Bag {
   public:
    Bag() { pennants.fill(none); }
    int size = 0;  // pennants up to the largest
    std::array<Vertex, 32> pennants;
  };

 public:
  BagSearch(const Args& args, Links left, Links right, Index grain)
      : args_(args), left_(left), right_(right), grain_(grain) {}

  template <class Fork>
  void run(Fork& fork) const {
    Bag level;
    insert(level, args_.source);
    for (Bfs::Level next = 1; level.size; ++next) level = explore(fork, level, level.size, next);
  }

 private:
  /// Unites two pennants of 2^k vertices to one of 2^(k+1).
  Vertex unite(Vertex x, Vertex y) const {
    right_[y] = static_cast<Vertex>(left_[x]);
    left_[x] = y;
    return x;
  }

  /// Splits pennant x in two and returns the second: the inverse of unite.
  Vertex split(Vertex x) const {
    const Vertex y = left_[x];
    left_[x] = static_cast<Vertex>(right_[y]);
    right_[y] = none;
    return y;
  }

  /// Inserts a vertex: adds one.
  void insert(Bag& bag, Vertex v) const {
    left_[v] = none;
    right_[v] = none;
    add(bag, v, 0);
  }

  /// Inserts a pennant: adds 2^k.
  void add(Bag& bag, Vertex pennant, int k) const {
    for (; bag.pennants[k] != none; ++k) {
      pennant = unite(bag.pennants[k], pennant);
      bag.pennants[k] = none;
    }
    bag.pennants[k] = pennant;
    bag.size = std::max(bag.size, k + 1);
  }

  /// Unites two bags: adds two numbers.
  Bag unite(Bag a, const Bag& b) const {
    for (int k = 0; k < b.size; ++k)
      if (b.pennants[k] != none) add(a, b.pennants[k], k);
    return a;
  }

  template <class Fork, class First, class Second>
  Bag both(Fork& fork, First first, Second second) const {
    Bag a, b;
    fork([&] { a = first(); }, [&] { b = second(); });
    return unite(a, b);
  }

  /// Explores the vertices of the first `size` pennants of a level.
  template <class Fork>
  Bag explore(Fork& fork, const Bag& level, int size, Bfs::Level next) const {
    if (size == 0) return {};
    const int k = size - 1;
    if (level.pennants[k] == none) return explore(fork, level, k, next);
    return both(
        fork, [&, this] { return explore_pennant(fork, level.pennants[k], k, next); },
        [&, this] { return explore(fork, level, k, next); });
  }

  template <class Fork>
  Bag explore_pennant(Fork& fork, Vertex root, int k, Bfs::Level next) const {
    if (Index{1} << k <= grain_) {
      Bag found;
      explore_tree(fork, root, found, next);
      return found;
    }
    const Vertex other = split(root);
    return both(
        fork, [&, this] { return explore_pennant(fork, root, k - 1, next); },
        [&, this] { return explore_pennant(fork, other, k - 1, next); });
  }

  template <class Fork>
  void explore_tree(Fork& fork, Vertex root, Bag& found, Bfs::Level next) const {
    if (root == none) return;
    // The links of a vertex are read before its neighbours are explored: from then on it is in no bag.
    const Vertex left = left_[root], right = right_[root];
    const Index begin = args_.offset[root], end = args_.offset[root + 1];
    if (end - begin <= grain_)
      explore_edges(begin, end, found, next);
    else
      found = unite(found, explore_many_edges(fork, begin, end, next));
    explore_tree(fork, left, found, next);
    explore_tree(fork, right, found, next);
  }

  template <class Fork>
  Bag explore_many_edges(Fork& fork, Index begin, Index end, Bfs::Level next) const {
    Bag found;
    if (end - begin <= grain_) {
      explore_edges(begin, end, found, next);
      return found;
    }
    const Index middle = begin + (end - begin) / 2;
    return both(
        fork, [&, this] { return explore_many_edges(fork, begin, middle, next); },
        [&, this] { return explore_many_edges(fork, middle, end, next); });
  }

  void explore_edges(Index begin, Index end, Bag& found, Bfs::Level next) const {
    for (Index e = begin; e < end; ++e) {
      const Vertex v = args_.target[e];
      if (args_.out.claim(v, unreached, next)) insert(found, v);
    }
  }

  const Args& args_;
  Links left_, right_;
  Index grain_;
};

struct bfs_bag {
  static constexpr std::string_view idea =
      "PBFS: a level is a bag of pennants, split and united in lg n time";
  static constexpr std::string_view source = "Leiserson and Schardl 2010";
  using operations = OperationList<Bfs>;
  static constexpr ParamSpec params[] = {
      {"grain", 128, "a pennant of no more vertices, and no more edges of one, are a leaf"}};
  static constexpr bool parallel = true;

  static std::size_t scratch(Bfs, const Shape& shape, const Params&) {
    const std::size_t links = shape["vertices"] * sizeof(Bfs::Vertex);
    return scratch_bytes({links, links});
  }

  template <class Fork, class Args>
  static void run(Fork& fork, const Args& args, const Params& params) {
    start_search(fork, args);
    if (args.out.size == 0) return;
    auto scratch = args.scratch;
    const auto left = scratch.template vector<Bfs::Vertex>(args.out.size);
    const auto right = scratch.template vector<Bfs::Vertex>(args.out.size);
    BagSearch(args, left, right, params["grain"]).run(fork);
  }
};

}  // namespace tallcache::cpu::bfs
