// B = A^T along the columns of A, with a parameter.
#pragma once

#include <algorithm>

#include "common/ops/transpose.hpp"
#include "common/variant.hpp"

namespace tallcache::toy::transpose {

struct by_columns {
  static constexpr std::string_view idea = "some columns at a time";
  static constexpr std::string_view source = "none: a backend for tests";
  using operations = OperationList<Transpose<float>>;
  static constexpr ParamSpec params[] = {{"columns", 4, "columns at a time"}};

  template <class Args>
  static void call(const Launch&, const Args& args, const Params& params) {
    const Index columns = params["columns"];
    for (Index first = 0; first < args.a.cols; first += columns)
      for (Index i = 0; i < args.a.rows; ++i)
        for (Index j = first; j < std::min(first + columns, args.a.cols); ++j) args.b(j, i) = args.a(i, j);
  }
};

}  // namespace tallcache::toy::transpose
