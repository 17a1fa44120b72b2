// P_p A_p = L_p U_p for p in [0, batch), with partial pivoting. All A_p are m x n and lie one below the other
// in one matrix, so that A_p begins p m rows behind the first.
#pragma once

#include <array>
#include <vector>

#include "common/ops/lu.hpp"

namespace tallcache {

/// Each of them as LuPivot's, with min(m, n) exchanges behind those of the one before, which count from the
/// first row of their matrix.
template <class T>
struct LuBatched {
  using One = LuPivot<T>;
  static constexpr std::string_view name = "lu_pivot_batched", element = Element<T>::name;
  static constexpr std::string_view what =
      "P A = L U with partial pivoting for each of a batch of matrices; A is m x n, row-major, one below the "
      "other";
  static constexpr Rate rate = Rate::gflop_per_s;
  static constexpr DimSpec dims[] = {{"n", "columns of A"},
                                     {"m", "rows of A"},
                                     {"batch", "matrices", 1},
                                     {"pad", "leading dimension minus columns", 0}};
  static constexpr std::span<const std::string_view> inputs = One::inputs;

  template <class Access = Plain>
  struct Args {
    MatrixView<T, Access> a;                     ///< batch m rows
    VectorView<std::int32_t, Access> exchanges;  ///< batch min(m, n) of them
    Index batch;
    Scratch<Access> scratch{};

    template <class Other>
    Args<Other> with(Other other) const {
      return {a.with(other), exchanges.with(other), batch, scratch.with(other)};
    }

    /// Of one of the matrices.
    Index m() const { return batch ? a.rows / batch : 0; }
    Index steps() const { return std::min(m(), a.cols); }
    /// The arguments of matrix p.
    typename One::template Args<Access> at(Index p) const {
      auto one = exchanges;
      one.data += p * steps();
      one.size = steps();
      return {a.block(p * m(), 0, m(), a.cols), one, scratch};
    }
  };

  static Shape shape_of(const Args<>& args) {
    return {{"n", args.a.cols}, {"m", args.m()}, {"batch", args.batch}, {"pad", args.a.ld - args.a.cols}};
  }

  static std::vector<BufferSpec> buffers(const Shape& s) {
    const Index rows = static_cast<Index>(checked_product(s["batch"], s["m"], "rows"));
    return {{"A", Role::inout, matrix_bytes<T>(rows, s["n"], s["pad"]), Element<T>::poison},
            {"exchanges", Role::output,
             checked_product(s["batch"], std::min(s["m"], s["n"]), "exchanges") * sizeof(std::int32_t),
             Element<std::int32_t>::poison}};
  }

  static Args<> bind(const Shape& s, std::span<std::byte* const> buffers, Scratch<> scratch) {
    return {bind_matrix<T>(buffers[0], s["batch"] * s["m"], s["n"], s["pad"]),
            {reinterpret_cast<std::int32_t*>(buffers[1]), s["batch"] * std::min(s["m"], s["n"])},
            s["batch"],
            scratch};
  }

  /// Every matrix has other elements.
  static void fill(const Shape& s, std::string_view input, std::uint64_t seed,
                   std::span<std::byte* const> buffers) {
    const Args<> args = bind(s, buffers, {});
    for (Index p = 0; p < args.batch; ++p) {
      std::byte* const one = reinterpret_cast<std::byte*>(args.at(p).a.data);
      One::fill(of_one(s), input, seed_of(seed, p), std::array{one});
    }
  }

  static void validate(const Args<>& args) {
    const auto& [a, exchanges, batch, scratch] = args;
    validate_view(a, "A");
    if (batch < 0 || a.rows != batch * args.m())
      throw Error("lu_pivot_batched: " + std::to_string(a.rows) + " rows are no batch of " +
                  std::to_string(batch));
    if (exchanges.size != batch * args.steps())
      throw Error("exchanges: " + std::to_string(exchanges.size) + " of them, not " +
                  std::to_string(batch * args.steps()));
    if (exchanges.size && !exchanges.data) throw Error("exchanges: no data");
    validate_disjoint(exchanges, "exchanges", a, "A");
  }

  static Check check(const Shape& s, std::string_view input, std::uint64_t seed, const Args<>& args) {
    return first_wrong(
        args.batch, rows_of_part(s["m"] * s["n"] * s["n"]), [&](Index first, Index last) -> Check {
          for (Index p = first; p < last; ++p)
            if (Check one = One::check(of_one(s), input, seed_of(seed, p), args.at(p), args.batch); !one)
              return one;
          return {};
        });
  }

  static Cost cost(const Shape& s) {
    const Cost one = One::cost(of_one(s));
    const auto batch = static_cast<double>(s["batch"]);
    return {.flops = batch * one.flops, .bytes = batch * one.bytes};
  }

  static std::vector<Shape> test_shapes() {
    std::vector<Shape> shapes;
    for (const Shape& shape : One::test_shapes())
      for (const Index batch : {0, 1, 3})
        if (batch > 0 || shapes.empty()) shapes.push_back(with_batch(shape, batch));
    for (const auto& [n, batch] : {std::pair<Index, Index>{5, 1000}, {16, 501}, {40, 101}})
      shapes.push_back({{"n", n}, {"m", n}, {"batch", batch}, {"pad", 0}});
    return shapes;
  }

  static std::vector<Shape> bench_shapes() {
    std::vector<Shape> shapes;
    for (const auto& [n, batch] : {std::pair<Index, Index>{8, 10000}, {32, 10000}, {128, 500}})
      shapes.push_back({{"n", n}, {"m", n}, {"batch", batch}, {"pad", 0}});
    return shapes;
  }

 private:
  static std::uint64_t seed_of(std::uint64_t seed, Index p) {
    return seed + 4 * static_cast<std::uint64_t>(p);  // LuPivot's own are up to seed + 3
  }
  static Shape of_one(const Shape& s) { return {{"n", s["n"]}, {"m", s["m"]}, {"pad", s["pad"]}}; }
  static Shape with_batch(const Shape& s, Index batch) {
    return {{"n", s["n"]}, {"m", s["m"]}, {"batch", batch}, {"pad", s["pad"]}};
  }
};

}  // namespace tallcache
