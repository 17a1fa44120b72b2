// What can be wrong in a matrix, and the checker of operations that write one.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "tests/checkers/checker.hpp"

namespace tallcache::test {

struct indices_swapped {
  static void run(auto op, const auto& args) {
    solve(op, args);
    const auto& out = output(args);
    std::vector<OutputValue<decltype(op)>> copy(extent(out));
    for (Index i = 0; i < out.rows; ++i)
      for (Index j = 0; j < out.cols; ++j) copy[i * out.cols + j] = out(i, j);
    for (Index i = 0; i < out.rows; ++i)
      for (Index j = 0; j < out.cols; ++j) out(i, j) = copy[(j % out.rows) * out.cols + i % out.cols];
  }
};
template <bool row>
struct last_line_missing {
  static void run(auto op, const auto& args) {
    const auto& out = output(args);
    const auto block =
        row ? out.block(out.rows - 1, 0, 1, out.cols) : out.block(0, out.cols - 1, out.rows, 1);
    std::vector<OutputValue<decltype(op)>> before;
    for (Index i = 0; i < block.rows; ++i)
      for (Index j = 0; j < block.cols; ++j) before.push_back(block(i, j));
    solve(op, args);
    for (Index i = 0; i < block.rows; ++i)
      for (Index j = 0; j < block.cols; ++j) block(i, j) = before[i + j];
  }
};
// The element of the greatest magnitude, away from every border where there is room.
template <int amount>
struct one_element {
  static void run(auto op, const auto& args) {
    solve(op, args);
    const auto& out = output(args);
    const Index border = std::min(out.rows, out.cols) > 8 ? 2 : 0;
    auto* largest = &out(border, border);
    for (Index i = border; i < out.rows - border; ++i)
      for (Index j = border; j < out.cols - border; ++j)
        if (std::abs(out(i, j)) > std::abs(*largest)) largest = &out(i, j);
    using T = OutputValue<decltype(op)>;
    if constexpr (Element<T>::is_exact)
      *largest += 1;
    else
      *largest =
          amount == 0 ? std::numeric_limits<T>::quiet_NaN() : static_cast<T>(*largest * (1 + 1.0 / amount));
  }
};
using one_nan = one_element<0>;
using one_off_by_a_twentieth = one_element<20>;
using one_off_by_a_thousandth = one_element<1000>;
struct writes_padding {
  static constexpr std::string_view where = "padding";
  static void run(auto op, const auto& args) {
    solve(op, args);
    const auto& out = output(args);
    out.data[(out.rows - 1) * out.ld + out.ld - 1] = {};
  }
};
struct column_swapped {  // keeps the sums along the rows
  static void run(auto op, const auto& args) {
    solve(op, args);
    const auto& out = output(args);
    for (Index i = 0; i < out.rows; ++i) std::swap(out(i, out.cols / 2), out(i, out.cols / 2 + 1));
  }
};

/// A checker of an operation whose output is a matrix.
class MatrixOutputChecker : public Checker {
 protected:
  template <class Op, class... More>
  void matrix_rejected(const std::vector<Shape>& shapes, std::string_view kind) {
    rejected<Op, no_op, all_zero, writes_before, writes_behind, indices_swapped, last_line_missing<true>,
             last_line_missing<false>, one_nan, writes_padding, column_swapped, More...>(shapes, kind);
  }
};

template <class T>
class MatrixChecker : public MatrixOutputChecker {};
using Elements = testing::Types<double, float, std::int32_t>;

}  // namespace tallcache::test
