// std::ranges::copy, as a newer C++ program copies.
#pragma once

#include <algorithm>
#include <span>

#include "common/ops/copy.hpp"
#include "common/variant.hpp"

namespace tallcache::cpu::peers {

struct ranges_copy {
  static constexpr std::string_view idea = "std::ranges::copy of each row, on one thread";
  static constexpr std::string_view source = "the C++ standard library";
  using operations = OperationList<Copy<float>, Copy<double>>;

  template <class Args>
  static void call(const Launch&, const Args& args, const Params&) {
    const auto& [b, a, scratch] = args;
    for (Index i = 0; i < a.rows; ++i)
      std::ranges::copy(std::span(a.data + i * a.ld, static_cast<std::size_t>(a.cols)), b.data + i * b.ld);
  }
};

}  // namespace tallcache::cpu::peers
