// y = A x as one dot product for each row.
#pragma once

#include "common/ops/gemv.hpp"
#include "common/variant.hpp"

namespace tallcache::cpu::gemv {

struct rows {
  static constexpr std::string_view idea = "one dot product a row: A is read once, and nothing of it again";
  static constexpr std::string_view source = "S2: Matrix-vector multiply (GEMV)";
  using operations = OperationList<Gemv<float>, Gemv<double>, Gemv<std::int32_t>>;
  static constexpr bool parallel = true;

  template <class Fork, class Args>
  static void run(Fork& fork, const Args& args, const Params&) {
    using T = typename decltype(args.y)::value_type;
    fork.loop(0, args.a.rows, 1, [y = args.y, a = args.a, x = args.x](Index i) {
      T sum{};
      for (Index j = 0; j < a.cols; ++j) sum += a(i, j) * x[j];
      y[i] = sum;
    });
  }
};

}  // namespace tallcache::cpu::gemv
