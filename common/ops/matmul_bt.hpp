// C = A B with a column-major B, that is, with the rows of B^T given. C is m x n, A m x k, B^T n x k.
#pragma once

#include <tuple>
#include <vector>

#include "common/ops/matmul.hpp"

namespace tallcache {

template <class T>
struct MatmulBt : Matmul<T> {
  static constexpr std::string_view name = "matmul_bt";
  static constexpr std::string_view what = "C = A B; C is m x n, A m x k, row-major, B k x n, column-major";

  template <class Access = Plain>
  struct Args {
    MatrixView<T, Access> c;
    MatrixView<const T, Access> a, bt;  ///< row j of bt is column j of B
    Scratch<Access> scratch{};

    template <class Other>
    Args<Other> with(Other other) const {
      return {c.with(other), a.with(other), bt.with(other), scratch.with(other)};
    }
  };

  /// The views onto buffers(), in their order.
  static auto views(auto& args) { return std::tie(args.c, args.a, args.bt); }

  static Shape shape_of(const Args<>& args) {
    return {{"m", args.c.rows}, {"n", args.c.cols}, {"k", args.a.cols}, {"pad", args.c.ld - args.c.cols}};
  }

  static std::vector<BufferSpec> buffers(const Shape& s) {
    const Index m = s["m"], n = s["n"], k = s["k"], pad = s["pad"];
    return {{"C", Role::output, matrix_bytes<T>(m, n, pad), Element<T>::poison},
            {"A", Role::input, matrix_bytes<T>(m, k, pad)},
            {"B^T", Role::input, matrix_bytes<T>(n, k, pad)}};
  }

  static Args<> bind(const Shape& s, std::span<std::byte* const> buffers, Scratch<> scratch) {
    const Index m = s["m"], n = s["n"], k = s["k"], pad = s["pad"];
    return {bind_matrix<T>(buffers[0], m, n, pad), bind_matrix<T>(buffers[1], m, k, pad),
            bind_matrix<T>(buffers[2], n, k, pad), scratch};
  }

  static void fill(const Shape& s, std::string_view input, std::uint64_t seed,
                   std::span<std::byte* const> buffers) {
    const Index m = s["m"], n = s["n"], k = s["k"], pad = s["pad"];
    fill_matrix(bind_matrix<T>(buffers[1], m, k, pad), input, seed);
    fill_matrix(bind_matrix<T>(buffers[2], n, k, pad), input, seed + 1);
  }

  static void validate(const Args<>& args) {
    validate_view(args.c, "C");
    validate_view(args.a, "A");
    validate_view(args.bt, "B^T");
    if (args.a.rows != args.c.rows || args.bt.rows != args.c.cols || args.a.cols != args.bt.cols)
      throw Error("matmul_bt: " + Matmul<T>::size(args.c) + " = " + Matmul<T>::size(args.a) +
                  " times the transpose of " + Matmul<T>::size(args.bt) + " does not fit");
    validate_disjoint(args.c, "C", args.a, "A");
    validate_disjoint(args.c, "C", args.bt, "B^T");
  }

  /// Matmul's check, with the row-major B.
  static Check check(const Shape& s, std::string_view input, std::uint64_t seed, const Args<>& args,
                     ErrorClass error_class = ErrorClass::standard) {
    std::vector<T> b(args.bt.rows * args.bt.cols);
    const MatrixView<T> view{b.data(), args.bt.cols, args.bt.rows, args.bt.rows};
    for (Index j = 0; j < view.cols; ++j)
      for (Index l = 0; l < view.rows; ++l) view(l, j) = args.bt(j, l);
    return Matmul<T>::check(s, input, seed, {args.c, args.a, view, {}}, error_class);
  }
};

}  // namespace tallcache
