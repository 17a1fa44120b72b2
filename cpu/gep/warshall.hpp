// Warshall's loops over words: where i reaches k, it reaches what k does.
#pragma once

#include "common/ops/transitive_closure.hpp"
#include "common/variant.hpp"

namespace tallcache::cpu::gep {

struct warshall {
  static constexpr std::string_view idea =
      "three loops over words of 64 bits, one intermediate vertex a step";
  static constexpr std::string_view source = "Warshall 1962";
  using operations = OperationList<TransitiveClosure>;

  template <class Fork, class Args>
  static void run(Fork&, const Args& args, const Params&) {
    using Word = TransitiveClosure::Word;
    const auto bits = args.a;
    for (Index k = 0; k < bits.rows; ++k)
      for (Index i = 0; i < bits.rows; ++i)
        if (Word(bits(i, k / 64)) >> (k % 64) & 1)
          for (Index w = 0; w < bits.cols; ++w) bits(i, w) = Word(bits(i, w)) | Word(bits(k, w));
  }
};

}  // namespace tallcache::cpu::gep
