// Warshall's loops with the innermost in vectors of the widest target.
#pragma once

#include <algorithm>

#include "common/ops/transitive_closure.hpp"
#include "common/traced.hpp"
#include "common/variant.hpp"
#include "cpu/gep/closure_kernel.hpp"

namespace tallcache::cpu::gep {

struct warshall_vectors {
  static constexpr std::string_view idea =
      "three loops, the innermost in vectors of words, rows side by side";
  static constexpr std::string_view source = "Warshall 1962";
  using operations = OperationList<TransitiveClosure>;
  static constexpr bool parallel = true;
  static constexpr double ns_per_unit = 0.9;

  template <class Fork, class Args>
  static void run(Fork& fork, const Args& args, const Params&) {
    const auto bits = args.a;
    const Index n = bits.rows;
    for (Index k = 0; k < n; ++k)
      loop_blocks(fork, n, std::max<Index>(16, (1 << 22) / n), [=](Index begin, Index end) {
        CompiledApart<typename decltype(bits)::access_type> apart(bits.access());
        const auto policy = apart.policy();
        for (Index i = begin; i < end; ++i)
          if (i != k && (TransitiveClosure::Word(bits(i, k / 64)) >> (k % 64) & 1))
            closure_kernel().under(policy).unite(bits.data + i * bits.ld, bits.data + k * bits.ld, bits.cols,
                                                 policy);
      });
  }
};

}  // namespace tallcache::cpu::gep
