// The product of integers as it is learnt at school: a row for each limb of the first factor.
#pragma once

#include "common/fork/fork.hpp"
#include "common/ops/integer_product.hpp"
#include "common/variant.hpp"

namespace tallcache::cpu::integer_product {

/// out = a b.
template <class Out, class A, class B>
void multiply_by_rows(Out out, A a, B b) {
  for (Index j = 0; j < b.size; ++j) out[j] = 0;
  for (Index i = 0; i < a.size; ++i) {
    const std::uint64_t limb = a[i];
    std::uint64_t carry = 0;
    for (Index j = 0; j < b.size; ++j) {
      carry += limb * b[j] + out[i + j];  // at most (2^32 - 1)^2 + 2 (2^32 - 1) = 2^64 - 1
      out[i + j] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    out[i + b.size] = static_cast<std::uint32_t>(carry);
  }
}

struct schoolbook {
  static constexpr std::string_view idea = "every limb times every limb, row by row";
  static constexpr std::string_view source = "Knuth, TAOCP 2, algorithm 4.3.1M";
  using operations = OperationList<IntegerProduct>;

  template <class Fork, class Args>
  static void run(Fork&, const Args& args, const Params&) {
    multiply_by_rows(args.out, args.a, args.b);
  }
};

}  // namespace tallcache::cpu::integer_product
