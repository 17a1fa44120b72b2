// Floyd's and Warshall's loops with the innermost in vectors of the widest target, as a compiler makes them
// that is allowed to. Each step scans the whole matrix.
#pragma once

#include "common/cache/ideal_misses.hpp"
#include "common/ops/shortest_paths.hpp"
#include "common/variant.hpp"
#include "cpu/gep/path_kernel.hpp"
#include "cpu/gep/path_loops.hpp"

namespace tallcache::cpu::gep {

struct floyd_warshall_vectors {
  static constexpr std::string_view idea = "three loops, the innermost in vectors, rows side by side";
  static constexpr std::string_view source = "Floyd 1962";
  using operations = OperationList<ShortestPaths<float>, ShortestPaths<std::int32_t>,
                                   ShortestPathTrees<float>, ShortestPathTrees<std::int32_t>>;
  static constexpr bool parallel = true;
  static constexpr double ns_per_unit = 1.0 / 16;

  template <class T>
  static std::optional<cache::Prediction> predicted_misses(ShortestPaths<T>, const Shape& shape,
                                                           const Params&, cache::IdealCache ideal) {
    return loops_misses(ideal, shape);
  }

  template <class Fork, class Args>
  static void run(Fork& fork, const Args& args, const Params&) {
    const Index n = args.a.rows;
    enter_weights(fork, args);
    for (Index k = 0; k < n; ++k) {
      require_no_cycle(args, k);
      // About 10 us a block.
      loop_blocks(fork, n, std::max<Index>(1, 65536 / n), [=](Index begin, Index end) {
        for (Index i = begin; i < end; ++i)
          if (i != k) relax_row(args, i, k);
      });
    }
    leave_weights(fork, args);
  }

 private:
  template <class Args>
  static void relax_row(const Args& args, Index i, Index k) {
    using T = typename Args::Number;
    CompiledApart<typename decltype(args.a)::access_type> apart(args.a.access());
    const auto policy = apart.policy();
    const PathKernel<T>& kernel = path_kernel<T>();
    const auto& text = (Args::has_predecessors ? kernel.predecessors : kernel.distances).under(policy);
    const auto row = [](const auto& m, Index r) { return m.data + r * m.ld; };
    text.relax(row(args.a, i), args.a(i, k), row(args.a, k), row(args.p, i), row(args.p, k), args.a.cols,
               policy);
  }
};

}  // namespace tallcache::cpu::gep
