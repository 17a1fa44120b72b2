// std::copy, as a C++ program copies.
#pragma once

#include <algorithm>

#include "common/ops/copy.hpp"
#include "common/variant.hpp"

namespace tallcache::cpu::peers {

struct std_copy {
  static constexpr std::string_view idea = "std::copy of each row, on one thread";
  static constexpr std::string_view source = "the C++ standard library";
  using operations = OperationList<Copy<float>, Copy<double>, Copy<std::int32_t>>;

  template <class Args>
  static void call(const Launch&, const Args& args, const Params&) {
    const auto& [b, a, scratch] = args;
    for (Index i = 0; i < a.rows; ++i)
      std::copy(a.data + i * a.ld, a.data + i * a.ld + a.cols, b.data + i * b.ld);
  }
};

}  // namespace tallcache::cpu::peers
