// The transitive closure over blocks of 64 vertices, a word of each row. In each round the block's tile on
// the diagonal is closed; its rows are products with that; all other rows are products with the new rows, by
// tables of the unions of each four of them (Arlazarov, Dinic, Kronrod, Faradzev 1970).
#pragma once

#include <algorithm>

#include "common/ops/transitive_closure.hpp"
#include "gpu/on_gpu.hpp"
#include "gpu/tile.hpp"

namespace tallcache::gpu::gep {

constexpr int closure_vertices = 64;  ///< of a round: the bits of a word

/// v = the rows of a from `first` on, with all paths through vertices of this round; u(i) = the word of row i
/// that belongs to them. A block has four words of these rows, and closes the diagonal's tile for itself.
struct CloseRows {
  static constexpr int words = 4, max_threads = closure_vertices * words;

  template <class Thread, class A, class U>
  TALLCACHE_DEVICE void operator()(const Thread& t, A a, U u, A v, Index first) const {
    using Word = typename A::value_type;
    auto&& closed = shared<0, Word[closure_vertices]>(t);
    auto&& old = shared<1, Word[closure_vertices][words]>(t);
    const Index column = first / closure_vertices, step = Index{t.grid_dim().x} * max_threads;
    const int id = t.thread().x, r = id / words;
    const Index w = Index{t.block().x} * words + id % words;
    for (Index i = Index{t.block().x} * max_threads + id; i < a.rows; i += step) u[i] = Word(a(i, column));
    const Word own = first + r < a.rows && w < a.cols ? Word(a(first + r, w)) : Word{0};
    old[r][id % words] = own;
    if (id < 32) close(t, closed, a, first, column);
    t.sync();
    Word all = own;
    const Word reached = closed[r];
#pragma unroll 8
    for (int k = 0; k < closure_vertices; ++k)
      all |= Word(old[k][id % words]) & (Word{0} - (reached >> k & 1));
    if (w < a.cols) v(r, w) = all;
  }

 private:
  /// Warshall's loops on the tile of the diagonal, in one warp: a lane has rows `lane` and `lane` + 32.
  template <class Thread, class Closed, class A>
  static TALLCACHE_DEVICE void close(const Thread& t, Closed&& closed, const A& a, Index first,
                                     Index column) {
    using Word = typename A::value_type;
    const int lane = t.thread().x;
    Word low = first + lane < a.rows ? Word(a(first + lane, column)) : Word{0};
    Word high = first + lane + 32 < a.rows ? Word(a(first + lane + 32, column)) : Word{0};
#pragma unroll 1
    for (int k = 0; k < closure_vertices; ++k) {
      const Word row = t.shuffle(k < 32 ? low : high, k % 32);
      low |= row & (Word{0} - (low >> k & 1));
      high |= row & (Word{0} - (high >> k & 1));
    }
    closed[lane] = low;
    closed[lane + 32] = high;
  }
};

/// Row i of a becomes its union with the rows of v that u(i) names; the rows from `first` on become those of
/// v. A block has 32 words of 64 rows, a word a lane. The tables have the unions of all sets of four rows.
struct UniteRows {
  static constexpr int words = 32, rows = 64, max_threads = 256, warps = max_threads / 32;
  static constexpr int group = 4, groups = closure_vertices / group, sets = 1 << group;
  static_assert(group == 4);
  static constexpr int rows_at_once = 4;
  static constexpr std::size_t max_dynamic_shared_bytes = groups * sets * words * sizeof(std::uint64_t);

  template <class Thread, class A, class U>
  TALLCACHE_DEVICE void operator()(const Thread& t, A a, U u, A v, Index first, Tiling tiling) const {
    using Word = typename A::value_type;
    auto&& unions = dynamic_shared<Word>(t);
    const Tile at = tiling.origin(t);
    const int lane = t.thread().x % 32, warp = t.thread().x / 32;
    const Index w = at.col + lane;
    const bool inside = w < a.cols;
#pragma unroll 1
    for (int g = warp; g < groups; g += warps) make_unions(unions, v, g, lane, w, inside);
    t.sync();
    if (!inside) return;
#pragma unroll 1
    for (int r = warp * rows_at_once; r < rows; r += warps * rows_at_once) {
      Word named[rows_at_once], x[rows_at_once];
#pragma unroll
      for (int e = 0; e < rows_at_once; ++e) {
        const Index i = at.row + r + e;
        const bool is_own = i >= first && i < first + closure_vertices;
        named[e] = i < a.rows && !is_own ? Word(u[i]) : Word{0};
        x[e] = 0;
        if (named[e]) x[e] = a(i, w);
        if (is_own && i < a.rows) a(i, w) = Word(v(i - first, w));
      }
#pragma unroll
      for (int g = 0; g < groups; ++g)
#pragma unroll
        for (int e = 0; e < rows_at_once; ++e) {
          const int set = static_cast<int>(named[e] >> (g * group) & (sets - 1));
          x[e] |= Word(unions[(g * sets + set) * words + lane]);
        }
#pragma unroll
      for (int e = 0; e < rows_at_once; ++e)
        if (named[e]) a(at.row + r + e, w) = x[e];
    }
  }

 private:
  template <class Unions, class A>
  static TALLCACHE_DEVICE void make_unions(const Unions& unions, const A& v, int g, int lane, Index w,
                                           bool inside) {
    using Word = typename A::value_type;
    Word row[group], of_set[sets];
#pragma unroll
    for (int bit = 0; bit < group; ++bit) row[bit] = inside ? Word(v(g * group + bit, w)) : Word{0};
    of_set[0] = 0;
#pragma unroll
    for (int set = 1; set < sets; ++set)
      of_set[set] = of_set[set & (set - 1)] | row[set & 1 ? 0 : set & 2 ? 1 : set & 4 ? 2 : 3];
#pragma unroll
    for (int set = 0; set < sets; ++set) unions[(g * sets + set) * words + lane] = of_set[set];
  }
};

struct warshall_blocked : OnGpu {
  static constexpr std::string_view idea =
      "64 vertices a round: their tile closed in a warp, their rows, then all others by tables of unions of "
      "four rows in shared memory; applies tiling, coalescing";
  static constexpr std::string_view source = "Katz and Kider 2008; Arlazarov et al. 1970";
  using operations = OperationList<TransitiveClosure>;

  template <class Device = const Launch>
  static std::size_t scratch(TransitiveClosure, const Shape& shape, const Params&) {
    using Word = TransitiveClosure::Word;
    const Index n = shape["n"];
    return scratch_bytes({checked_product(n, sizeof(Word), "words"),
                          checked_product(closure_vertices * words_of_bits(n), sizeof(Word), "words")});
  }

  template <class Device, class Args>
  static void call(Device& device, const Args& args, const Params&) {
    using Word = TransitiveClosure::Word;
    const auto a = args.a;
    if (a.rows == 0) return;
    auto scratch = args.scratch;
    const auto u = scratch.template vector<Word>(a.rows);
    const auto v = scratch.template matrix<Word>(closure_vertices, a.cols);
    const Tiling tiling(a.rows, a.cols, UniteRows::rows, UniteRows::words);
    for (Index first = 0; first < a.rows; first += closure_vertices) {
      launch_kernel(device, CloseRows{},
                    {{grid_of(ceil_div(a.cols, CloseRows::words))}, {CloseRows::max_threads}}, a, u, v,
                    first);
      launch_kernel(device, UniteRows{},
                    {{tiling.grid()}, {UniteRows::max_threads}, UniteRows::max_dynamic_shared_bytes}, a, u, v,
                    first, tiling);
    }
  }
};

}  // namespace tallcache::gpu::gep
