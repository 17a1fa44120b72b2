// C_p = A_p B_p for p in [0, batch). All C_p are m x n, A_p m x k, B_p k x n; those of one factor lie one
// below the other in one matrix, so that matrix p begins p rows (of C: m) times its leading dimension behind
// the first.
#pragma once

#include <tuple>
#include <vector>

#include "common/ops/matmul.hpp"

namespace tallcache {

template <class T>
struct MatmulBatched : Matmul<T> {
  static constexpr std::string_view name = "matmul_batched";
  static constexpr std::string_view what =
      "C = A B for each of a batch of matrices; C is m x n, A m x k, B k x n, row-major, one below the other";
  static constexpr DimSpec dims[] = {{"m", "rows of A and C"},
                                     {"n", "columns of B and C"},
                                     {"k", "columns of A, rows of B"},
                                     {"batch", "products", 1},
                                     {"pad", "leading dimension minus columns", 0}};
  using Sum = typename Matmul<T>::Sum;

  template <class Access = Plain>
  struct Args {
    MatrixView<Sum, Access> c;         ///< batch m rows
    MatrixView<const T, Access> a, b;  ///< batch m and batch k rows
    Index batch;
    Scratch<Access> scratch{};

    template <class Other>
    Args<Other> with(Other other) const {
      return {c.with(other), a.with(other), b.with(other), batch, scratch.with(other)};
    }

    /// Of one of the matrices.
    Index m() const { return batch ? c.rows / batch : 0; }
    Index k() const { return a.cols; }
    /// The arguments of product p.
    typename Matmul<T>::template Args<Access> at(Index p) const {
      return {c.block(p * m(), 0, m(), c.cols), a.block(p * m(), 0, m(), k()),
              b.block(p * k(), 0, k(), c.cols), scratch};
    }
  };

  /// The views onto buffers(), in their order.
  static auto views(auto& args) { return std::tie(args.c, args.a, args.b); }

  static Shape shape_of(const Args<>& args) {
    return {{"m", args.m()},
            {"n", args.c.cols},
            {"k", args.k()},
            {"batch", args.batch},
            {"pad", args.c.ld - args.c.cols}};
  }

  static std::vector<BufferSpec> buffers(const Shape& s) {
    const Index m = s["m"], n = s["n"], k = s["k"], batch = s["batch"], pad = s["pad"];
    const Index rows = static_cast<Index>(checked_product(batch, m, "rows")),
                b_rows = static_cast<Index>(checked_product(batch, k, "rows"));
    return {{"C", Role::output, matrix_bytes<Sum>(rows, n, pad), Element<Sum>::poison},
            {"A", Role::input, matrix_bytes<T>(rows, k, pad)},
            {"B", Role::input, matrix_bytes<T>(b_rows, n, pad)}};
  }

  static Args<> bind(const Shape& s, std::span<std::byte* const> buffers, Scratch<> scratch) {
    const Index m = s["m"], n = s["n"], k = s["k"], batch = s["batch"], pad = s["pad"];
    return {bind_matrix<Sum>(buffers[0], batch * m, n, pad), bind_matrix<T>(buffers[1], batch * m, k, pad),
            bind_matrix<T>(buffers[2], batch * k, n, pad), batch, scratch};
  }

  static void fill(const Shape& s, std::string_view input, std::uint64_t seed,
                   std::span<std::byte* const> buffers) {
    const Index m = s["m"], n = s["n"], k = s["k"], batch = s["batch"], pad = s["pad"];
    fill_matrix(bind_matrix<T>(buffers[1], batch * m, k, pad), input, seed);
    fill_matrix(bind_matrix<T>(buffers[2], batch * k, n, pad), input, seed + 1);
  }

  static void validate(const Args<>& args) {
    const auto& [c, a, b, batch, scratch] = args;
    validate_view(c, "C");
    validate_view(a, "A");
    validate_view(b, "B");
    if (batch < 0 || c.rows != batch * args.m() || a.rows != c.rows || b.cols != c.cols ||
        b.rows != batch * a.cols)
      throw Error("matmul_batched: " + Matmul<T>::size(c) + " = " + Matmul<T>::size(a) + " times " +
                  Matmul<T>::size(b) + " is no batch of " + std::to_string(batch));
    validate_disjoint(c, "C", a, "A");
    validate_disjoint(c, "C", b, "B");
  }

  /// Each product as Matmul's.
  static Check check(const Shape& s, std::string_view input, std::uint64_t seed, const Args<>& args,
                     ErrorClass error_class = ErrorClass::standard) {
    const Shape one{{"m", s["m"]}, {"n", s["n"]}, {"k", s["k"]}, {"pad", s["pad"]}};
    return first_wrong(
        args.batch, rows_of_part(s["m"] * s["n"] * s["k"]), [&](Index first, Index last) -> Check {
          for (Index p = first; p < last; ++p)
            if (Check product = Matmul<T>::check(one, input, seed, args.at(p), error_class); !product)
              return product;
          return {};
        });
  }

  static Cost cost(const Shape& s) {
    const Cost one = Matmul<T>::cost(s);
    const auto batch = static_cast<double>(s["batch"]);
    return {.flops = batch * one.flops, .bytes = batch * one.bytes};
  }

  static std::vector<Shape> test_shapes() {
    std::vector<Shape> shapes;
    for (const Shape& shape : Matmul<T>::test_shapes())
      for (const Index batch : {0, 1, 3})
        if (batch > 0 || shapes.empty()) shapes.push_back(with_batch(shape, batch));
    shapes.push_back(with_batch({{"m", 16}, {"n", 16}, {"k", 16}, {"pad", 0}}, 1000));
    shapes.push_back(with_batch({{"m", 5}, {"n", 3}, {"k", 9}, {"pad", 1}}, 1000));
    return shapes;
  }

  static std::vector<Shape> bench_shapes() {
    std::vector<Shape> shapes;
    for (const auto& [n, batch] : {std::pair<Index, Index>{4, 65536}, {16, 16384}, {64, 1024}, {256, 32}})
      shapes.push_back(with_batch({{"m", n}, {"n", n}, {"k", n}, {"pad", 0}}, batch));
    return shapes;
  }

 private:
  static Shape with_batch(const Shape& s, Index batch) {
    return {{"m", s["m"]}, {"n", s["n"]}, {"k", s["k"]}, {"batch", batch}, {"pad", s["pad"]}};
  }
};

}  // namespace tallcache
