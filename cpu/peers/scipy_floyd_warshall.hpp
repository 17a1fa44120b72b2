// SciPy's Floyd and Warshall, by an interpreter of Python that is loaded at run time.
#pragma once

#include <string>

#include "common/ops/shortest_paths.hpp"
#include "common/variant.hpp"

namespace tallcache::cpu::peers {

/// Why it cannot be used; empty when it can. The interpreter is not started for it.
const std::string& scipy_reason();

/// n x n weights become distances, of rows of `ld`. SciPy computes them in double. Throws Error on a negative
/// cycle, and where Python fails.
void scipy_paths(const void* weights, Index n, Index ld, bool whole_numbers);

struct scipy_floyd_warshall {
  static constexpr std::string_view idea =
      "scipy.sparse.csgraph.floyd_warshall of a copy in double, on one thread";
  static constexpr std::string_view source = "SciPy (Virtanen et al. 2020)";
  using operations = OperationList<ShortestPaths<float>, ShortestPaths<std::int32_t>>;

  static std::string unavailable() { return scipy_reason(); }

  template <class Args>
  static void call(const Launch&, const Args& args, const Params&) {
    using Number = typename Args::Number;
    scipy_paths(args.a.data, args.a.rows, args.a.ld, std::is_integral_v<Number>);
  }
};

}  // namespace tallcache::cpu::peers
