// B = A, the last element first.
#pragma once

#include "common/ops/copy.hpp"
#include "common/variant.hpp"

namespace tallcache::abacus::copy {

struct backwards {
  static constexpr std::string_view idea = "the last element first";
  static constexpr std::string_view source = "M16, varied";
  using operations = OperationList<Copy<float>, Copy<double>>;

  template <class Args>
  static void call(const Launch&, const Args& args, const Params&) {
    for (Index i = args.a.rows; i-- > 0;)
      for (Index j = args.a.cols; j-- > 0;) args.b(i, j) = args.a(i, j);
  }
};

}  // namespace tallcache::abacus::copy
