// Breadth-first search with a queue, as in every textbook.
#pragma once

#include "common/fork/fork.hpp"
#include "common/ops/bfs.hpp"
#include "common/variant.hpp"

namespace tallcache::cpu::bfs {

/// Initialises the levels: only the source is reached.
template <class Fork, class Args>
void start_search(Fork& fork, const Args& args) {
  loop_blocks(fork, args.out.size, 4096, [level = args.out](Index begin, Index end) {
    for (Index v = begin; v < end; ++v) level[v] = unreached;
  });
  if (args.out.size) args.out[args.source] = 0;
}

struct bfs_queue {
  static constexpr std::string_view idea = "one queue of the vertices reached, on one thread";
  static constexpr std::string_view source = "Moore 1959; Cormen, Leiserson, Rivest, Stein, 22.2";
  using operations = OperationList<Bfs>;

  static std::size_t scratch(Bfs, const Shape& shape, const Params&) {
    return scratch_bytes({shape["vertices"] * sizeof(Bfs::Vertex)});
  }

  template <class Fork, class Args>
  static void run(Fork& fork, const Args& args, const Params&) {
    start_search(fork, args);
    const auto [level, offset, target, source, memory] = args;
    if (level.size == 0) return;
    auto scratch = memory;
    const auto queue = scratch.template vector<Bfs::Vertex>(level.size);
    Index tail = 0;
    queue[tail++] = source;
    for (Index head = 0; head < tail; ++head) {
      const Bfs::Vertex u = queue[head];
      const Bfs::Level next = level[u] + 1;
      const Index end = offset[u + 1];
      for (Index e = offset[u]; e < end; ++e) {
        const Bfs::Vertex v = target[e];
        if (level[v] != unreached) continue;
        level[v] = next;
        queue[tail++] = v;
      }
    }
  }
};

}  // namespace tallcache::cpu::bfs
