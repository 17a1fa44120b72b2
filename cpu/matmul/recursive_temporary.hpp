// REC-MULT with a temporary where the inner dimension is halved, so that these two products run in parallel
// too: span Theta(lg^2 n) instead of Theta(n), at the price of memory (Cormen, Leiserson, Rivest, Stein,
// "Introduction to Algorithms", 27.2).
#pragma once

#include "cpu/matmul/recursive.hpp"

namespace tallcache::cpu::matmul {

/// C += T, both of the same size.
template <class Fork, class T, class Access>
void rec_add(Fork& fork, MatrixView<T, Access> c, ConstantMatrix<T, Access> t, Index base) {
  const auto leaf = [](auto sum, auto term) {
    for (Index i = 0; i < sum.rows; ++i)
      for (Index j = 0; j < sum.cols; ++j) sum(i, j) += term(i, j);
  };
  rec_blocks(fork, base, leaf, c, t);
}

/// The elements of the temporaries of an m x n product whose inner dimension is halved `splits` times. Each
/// halving has a temporary of m x n, and its two products have their own.
constexpr Index temporary_size(Index m, Index n, Index splits) { return m * n * ((Index{1} << splits) - 1); }

/// C += A B. A product with no dimension above `base` is a leaf. The first `splits` halvings of the inner
/// dimension take their temporaries from `memory`, of temporary_size(m, n, splits) elements; further ones run
/// one after the other. base >= 1.
template <class Fork, class T, class Access>
void rec_mult_temporary(Fork& fork, MatrixView<T, Access> c, ConstantMatrix<T, Access> a,
                        ConstantMatrix<T, Access> b, VectorView<T, Access> memory, Index splits, Index base) {
  const Index m = c.rows, k = a.cols, n = c.cols;
  if (m == 0 || k == 0 || n == 0) return;
  if (splits == 0) return rec_mult(fork, c, a, b, base);
  const auto product = [&fork, splits, base](auto... views) {
    rec_mult_temporary(fork, views..., splits, base);
  };
  const auto part = [&memory](Index begin, Index size) { return memory.block(begin, size); };
  if (std::max({m, k, n}) <= base) {
    multiply_leaf(c, a, b);
  } else if (m >= std::max(k, n)) {
    const auto [c1, c2] = halve_rows(c);
    const auto [a1, a2] = halve_rows(a);
    const Index size1 = temporary_size(c1.rows, n, splits), size2 = temporary_size(c2.rows, n, splits);
    fork(Part(product, c1, a1, b, part(0, size1)), Part(product, c2, a2, b, part(size1, size2)));
  } else if (k >= n) {
    const auto [a1, a2] = halve_cols(a);
    const auto [b1, b2] = halve_rows(b);
    const auto t = MatrixView<T>{memory.data, m, n, n}.with(memory.access());
    const Index size = temporary_size(m, n, splits - 1);
    const auto to_c = [&fork, splits, base](auto... views) {
      rec_mult_temporary(fork, views..., splits - 1, base);
    };
    const auto to_t = [&fork, base, to_c](auto sum, auto... views) {
      rec_zero(fork, sum, base);
      to_c(sum, views...);
    };
    fork(Part(to_c, c, a1, b1, part(m * n, size)), Part(to_t, t, a2, b2, part(m * n + size, size)));
    rec_add(fork, c, t, base);
  } else {
    const auto [b1, b2] = halve_cols(b);
    const auto [c1, c2] = halve_cols(c);
    const Index size1 = temporary_size(m, c1.cols, splits), size2 = temporary_size(m, c2.cols, splits);
    fork(Part(product, c1, a, b1, part(0, size1)), Part(product, c2, a, b2, part(size1, size2)));
  }
}

struct recursive_temporary {
  static constexpr std::string_view idea =
      "REC-MULT whose halves of the inner dimension run side by side too, one of them into a temporary";
  static constexpr std::string_view source = "M10; Cormen, Leiserson, Rivest, Stein, 27.2";
  using operations = OperationList<Matmul<double>, Matmul<float>, Matmul<std::int32_t>>;
  static constexpr ParamSpec params[] = {
      {"base", 64, "a product with no larger dimension is a leaf"},
      {"splits", 2, "halvings of the inner dimension that get a temporary; the memory doubles with each", 0}};
  static constexpr bool parallel = true;
  static constexpr double ns_per_unit = 0.25;

  template <class T>
  static std::size_t scratch(Matmul<T>, const Shape& shape, const Params& params) {
    return scratch_bytes(
        {checked_product(matrix_bytes<T>(shape["m"], shape["n"], 0),
                         temporary_size(1, 1, halvings(shape["k"], params)), "temporaries")});
  }

  template <class Fork, class Args>
  static void run(Fork& fork, const Args& args, const Params& params) {
    using T = typename decltype(args.c)::value_type;
    auto scratch = args.scratch;
    const Index splits = halvings(args.a.cols, params);
    const auto memory = scratch.template vector<T>(temporary_size(args.c.rows, args.c.cols, splits));
    rec_zero(fork, args.c, params["base"]);
    rec_mult_temporary(fork, args.c, args.a, args.b, memory, splits, params["base"]);
  }

 private:
  // The number of halvings of the inner dimension: at most `splits`, and none at the base.
  static Index halvings(Index k, const Params& params) {
    Index splits = 0;
    for (; splits < params["splits"] && k > params["base"]; k -= k / 2) ++splits;
    return splits;
  }
};

}  // namespace tallcache::cpu::matmul
