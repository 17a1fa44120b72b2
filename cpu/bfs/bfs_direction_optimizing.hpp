// Breadth-first search in two directions (Beamer, Asanović and Patterson, "Direction-optimizing breadth-first
// search", 2012). Top down, the edges out of a level claim the vertices of the next one. Where a level has a
// large part of the edges that are left, it goes bottom up: every vertex that is not reached looks for one
// edge out of the level, and the other edges are never read. A level of many edges is a tree of bits
// (vertex_set.hpp), so that either direction meets vertices in their order; one of few edges is a list, as in
// a queue, and is searched on one strand.
#pragma once

#include <bit>
#include <utility>

#include "cpu/bfs/bfs_queue.hpp"
#include "cpu/bfs/vertex_set.hpp"

namespace tallcache::cpu::bfs {

/// The edges into each vertex: those from from[offset[v]], ..., from[offset[v + 1] - 1] lead to v.
template <class Access>
struct IncomingEdges {
  VectorView<Bfs::Vertex, Access> offset, from;

  static std::size_t scratch(Index vertices, Index edges) {
    return scratch_bytes({static_cast<std::size_t>(vertices + 1) * sizeof(Bfs::Vertex),
                          static_cast<std::size_t>(edges) * sizeof(Bfs::Vertex)});
  }

  IncomingEdges(Index vertices, Index edges, Scratch<Access>& scratch)
      : offset(scratch.template vector<Bfs::Vertex>(vertices + 1)),
        from(scratch.template vector<Bfs::Vertex>(edges)) {}

  /// The graph's edges, counted by their ends.
  template <class Args>
  void fill(const Args& args) const {
    const Index n = args.out.size, m = args.target.size;
    for (Index v = 0; v <= n; ++v) offset[v] = 0;
    for (Index e = 0; e < m; ++e) ++offset[args.target[e]];
    for (Index v = 1; v <= n; ++v) offset[v] += offset[v - 1];
    for (Index u = n; u-- > 0;)
      for (Index e = args.offset[u + 1], begin = args.offset[u]; e-- > begin;) {
        const Index v = args.target[e];
        offset[v] -= 1;
        from[offset[v]] = static_cast<Bfs::Vertex>(u);
      }
  }
};

/// What a step has found: vertices, and the edges out of them.
struct Found {
  Index vertices = 0, edges = 0;

  friend Found operator+(Found a, Found b) { return {a.vertices + b.vertices, a.edges + b.edges}; }
};

/// The vertices of two levels that are searched on one strand.
template <class Access>
struct SmallLevels {
  using List = VectorView<Bfs::Vertex, Access>;
  /// The most edges out of such a level; so many vertices have an edge at most.
  static constexpr Index most_edges = 8192;

  List level, next;
  Index size = 0;  ///< of `level`

  static std::size_t scratch() {
    return scratch_bytes({most_edges * sizeof(Bfs::Vertex), most_edges * sizeof(Bfs::Vertex)});
  }
  explicit SmallLevels(Scratch<Access>& scratch)
      : level(scratch.template vector<Bfs::Vertex>(most_edges)),
        next(scratch.template vector<Bfs::Vertex>(most_edges)) {}
};

template <class Args, class Access>
class DirectionSearch {
 public:
  using Set = VertexSet<Access>;
  using Word = typename Set::Word;

  DirectionSearch(const Args& args, const IncomingEdges<Access>& incoming, Scratch<Access>& scratch)
      : args_(args),
        incoming_(incoming),
        level_(args.out.size, scratch),
        next_(args.out.size, scratch),
        small_(scratch) {}

  static std::size_t scratch(Index vertices) {
    return scratch_bytes({Set::scratch(vertices), Set::scratch(vertices), SmallLevels<Access>::scratch()});
  }

  /// alpha, beta: as in the paper, section IV.
  template <class Fork>
  void run(Fork& fork, Index alpha, Index beta) {
    const Index n = args_.out.size;
    level_.clear(fork), next_.clear(fork);
    Found found{1, degree(args_.source)};
    small_.level[0] = args_.source, small_.size = 1;
    bool in_set = false, bottom_up = false, grows = true;
    for (Index left = args_.target.size; found.edges > 0; ++number_) {
      const bool small = found.edges <= SmallLevels<Access>::most_edges;
      if (small == in_set) small ? leave_set() : enter_set();
      in_set = !small;
      bottom_up = !small && (bottom_up ? grows || found.vertices > n / beta : found.edges > left / alpha);
      left -= found.edges;
      const Index before = found.vertices;
      found = small ? explore_small() : bottom_up ? scan_all(fork) : explore(fork, level_.levels() - 1, 0);
      grows = found.vertices >= before;
      if (!small) std::swap(level_, next_);
    }
  }

 private:
  /// The edges of a vertex, and the blocks of the next level's set, that a leaf takes.
  static constexpr Index grain = 2048, blocks_of_leaf = 1;

  Index degree(Index v) const {
    const Index begin = args_.offset[v], end = args_.offset[v + 1];
    return end - begin;
  }

  /// From the list into the set, and back, but for vertices without edges.
  void enter_set() const {
    for (Index i = 0; i < small_.size; ++i) level_.insert(small_.level[i]);
  }
  void leave_set() {
    small_.size = 0;
    take_below(level_.levels() - 1, 0);
  }
  void take_below(int k, Index i) {
    for (Word rest = level_.take(k, i); rest; rest &= rest - 1) {
      const Index child = i * Set::bits + std::countr_zero(rest);
      if (k > 0)
        take_below(k - 1, child);
      else if (degree(child) > 0)
        small_.level[small_.size++] = static_cast<Bfs::Vertex>(child);
    }
  }

  /// A level of few edges, as with a queue: no other strand searches meanwhile.
  Found explore_small() {
    Found found;
    Index size = 0;
    for (Index i = 0; i < small_.size; ++i) {
      const Index u = small_.level[i], end = args_.offset[u + 1];
      for (Index e = args_.offset[u]; e < end; ++e) {
        const Bfs::Vertex v = args_.target[e];
        if (args_.out[v] != unreached) continue;
        args_.out[v] = number_;
        const Found one{1, degree(v)};
        found = found + one;
        if (one.edges > 0) small_.next[size++] = v;
      }
    }
    std::swap(small_.level, small_.next);
    small_.size = size;
    return found;
  }

  template <class Fork, class First, class Second>
  static Found both(Fork& fork, First first, Second second) {
    Found a, b;
    fork([&] { a = first(); }, [&] { b = second(); });
    return a + b;
  }

  /// Top down: the vertices below word i of level k of the set, which leave it.
  template <class Fork>
  Found explore(Fork& fork, int k, Index i) const {
    const Word word = level_.take(k, i);
    if (k >= 2) return explore_children(fork, k - 1, i * Set::bits, word, Set::bits);
    Found found;
    for (Word rest = word; rest; rest &= rest - 1) {
      const Index child = i * Set::bits + std::countr_zero(rest);
      found = found + (k == 1 ? explore(fork, 0, child)
                              : explore_edges(fork, args_.offset[child], args_.offset[child + 1]));
    }
    return found;
  }

  /// The children from `first` on whose bits are set, of `width`.
  template <class Fork>
  Found explore_children(Fork& fork, int k, Index first, Word word, Index width) const {
    if (word == 0) return {};
    if (width == 1) return explore(fork, k, first);
    const Index half = width / 2;
    const Word low = word & ((Word{1} << half) - 1), high = word >> half;
    if (low == 0) return explore_children(fork, k, first + half, high, half);
    if (high == 0) return explore_children(fork, k, first, low, half);
    return both(
        fork, [&, this] { return explore_children(fork, k, first, low, half); },
        [&, this] { return explore_children(fork, k, first + half, high, half); });
  }

  template <class Fork>
  Found explore_edges(Fork& fork, Index begin, Index end) const {
    if (end - begin > grain) {
      const Index middle = begin + (end - begin) / 2;
      return both(
          fork, [&, this] { return explore_edges(fork, begin, middle); },
          [&, this] { return explore_edges(fork, middle, end); });
    }
    Found found;
    for (Index e = begin; e < end; ++e) {
      const Index v = args_.target[e];
      if (!args_.out.claim(v, unreached, number_)) continue;
      next_.insert(v);
      found = found + Found{1, degree(v)};
    }
    return found;
  }

  /// Bottom up: all vertices that are not reached.
  template <class Fork>
  Found scan_all(Fork& fork) const {
    const Found found = scan(fork, 0, next_.blocks());
    next_.join();
    level_.clear(fork);
    return found;
  }

  /// The vertices of blocks [begin, end) of the next level's set.
  template <class Fork>
  Found scan(Fork& fork, Index begin, Index end) const {
    if (end - begin > blocks_of_leaf) {
      const Index middle = begin + (end - begin) / 2;
      return both(
          fork, [&, this] { return scan(fork, begin, middle); },
          [&, this] { return scan(fork, middle, end); });
    }
    Found found;
    for (Index block = begin; block < end; ++block)
      next_.fill_block(block, [&, this](Index i) {
        Word word = 0;
        for (Index v = i * Set::bits; v < std::min((i + 1) * Set::bits, args_.out.size); ++v)
          if (args_.out[v] == unreached && is_behind_level(v)) {
            args_.out[v] = number_;
            word |= Word{1} << v % Set::bits;
            found = found + Found{1, degree(v)};
          }
        return word;
      });
    return found;
  }

  /// Whether an edge leads from the level to v.
  bool is_behind_level(Index v) const {
    for (Index e = incoming_.offset[v], end = incoming_.offset[v + 1]; e < end; ++e)
      if (level_.has(incoming_.from[e])) return true;
    return false;
  }

  const Args& args_;
  const IncomingEdges<Access>& incoming_;
  Set level_, next_;
  SmallLevels<Access> small_;
  Bfs::Level number_ = 1;  ///< of the vertices that a step finds
};

struct bfs_direction_optimizing {
  static constexpr std::string_view idea =
      "a level's edges, or where they are many the edges into what is not reached; a level is a tree of bits";
  static constexpr std::string_view source = "Beamer, Asanovic, Patterson 2012";
  using operations = OperationList<Bfs>;
  static constexpr ParamSpec params[] = {
      {"alpha", 15, "bottom up where a level has more than this part of the edges that are left"},
      {"beta", 18, "and top down again where it shrinks to less than this part of the vertices"}};
  static constexpr PhaseSpec phases[] = {{"incoming edges", false, true}, {"search"}};
  static constexpr bool parallel = true;

  static std::size_t scratch(Bfs, const Shape& shape, const Params&) {
    using Search = DirectionSearch<Bfs::Args<>, Plain>;
    return scratch_bytes({IncomingEdges<Plain>::scratch(shape["vertices"], Bfs::edges_of(shape)),
                          Search::scratch(shape["vertices"])});
  }

  template <int phase, class Fork, class Args>
  static void run(Fork& fork, const Args& args, const Params& params) {
    using Access = typename decltype(args.out)::access_type;
    const Index n = args.out.size;
    auto scratch = args.scratch;
    const IncomingEdges<Access> incoming(n, args.target.size, scratch);
    if constexpr (phase == 0) {
      incoming.fill(args);
    } else {
      start_search(fork, args);
      if (n == 0) return;
      DirectionSearch<Args, Access>(args, incoming, scratch).run(fork, params["alpha"], params["beta"]);
    }
  }
};

}  // namespace tallcache::cpu::bfs
