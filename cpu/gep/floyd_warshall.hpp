// Floyd's and Warshall's three loops, as in the textbooks: k, i, j.
#pragma once

#include "common/cache/ideal_misses.hpp"
#include "common/fork/fork.hpp"
#include "common/ops/shortest_paths.hpp"
#include "common/variant.hpp"
#include "cpu/gep/path_loops.hpp"

namespace tallcache::cpu::gep {

struct floyd_warshall {
  static constexpr std::string_view idea = "three loops over single elements, one intermediate vertex a step";
  static constexpr std::string_view source = "Floyd 1962";
  using operations = OperationList<ShortestPaths<float>, ShortestPaths<std::int32_t>,
                                   ShortestPathTrees<float>, ShortestPathTrees<std::int32_t>>;

  template <class T>
  static std::optional<cache::Prediction> predicted_misses(ShortestPaths<T>, const Shape& shape,
                                                           const Params&, cache::IdealCache ideal) {
    return loops_misses(ideal, shape);
  }

  template <class Fork, class Args>
  static void run(Fork&, const Args& args, const Params&) {
    const Index n = args.a.rows;
    Serial one;
    enter_weights(one, args);
    for (Index k = 0; k < n; ++k) {
      require_no_cycle(args, k);
      for (Index i = 0; i < n; ++i) {
        const auto u = typename Args::Number(args.a(i, k));
        for (Index j = 0; j < n; ++j) {
          const auto sum = static_cast<typename Args::Number>(u + args.a(k, j));
          if (!(sum < typename Args::Number(args.a(i, j)))) continue;
          args.a(i, j) = sum;
          if constexpr (Args::has_predecessors) args.p(i, j) = typename Args::Vertex(args.p(k, j));
        }
      }
    }
    leave_weights(one, args);
  }
};

}  // namespace tallcache::cpu::gep
