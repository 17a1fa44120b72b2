// The two halves of a transposition by tiles of 32 x 32, each alone. Fine-grained: elements are transposed
// within tiles that stay in place. Coarse-grained: tiles move to the transposed place unchanged. Neither is
// a transposition.
#pragma once

#include <vector>

#include "common/compare.hpp"
#include "common/operation.hpp"
#include "common/ops/copy.hpp"
#include "common/ops/transpose.hpp"

namespace tallcache {

inline constexpr Index grain = 32;

/// Whether element (i, j) of a rows x cols matrix lies in a tile that no edge cuts.
constexpr bool in_whole_tile(Index i, Index j, Index rows, Index cols) {
  return i / grain * grain + grain <= rows && j / grain * grain + grain <= cols;
}

namespace detail {
/// Checks that b(i, j) is the element at origin(i, j) of a seeded input with `cols` columns.
template <class T>
Check check_moved(MatrixView<const T> b, Index cols, std::string_view input, std::uint64_t seed,
                  auto origin) {
  if (Check padding = check_padding(b); !padding) return padding;
  for (Index i = 0; i < b.rows; ++i)
    for (Index j = 0; j < b.cols; ++j) {
      const auto [from_i, from_j] = origin(i, j);
      const T expected = matrix_element<T>(input, seed, from_i * cols + from_j);
      if (!(b(i, j) == expected)) return Check::wrong(position(i, j), digits(expected), digits(b(i, j)));
    }
  return {};
}
}  // namespace detail

template <class T>
struct FineGrained : Copy<T> {
  static constexpr std::string_view name = "fine_grained";
  static constexpr std::string_view what =
      "every whole 32 x 32 tile of A transposed in its place in B, the cut ones at the edges copied; A and B "
      "m x n";

  /// Where B's element (i, j) comes from.
  static constexpr auto origin(Index i, Index j, Index rows, Index cols) {
    if (!in_whole_tile(i, j, rows, cols)) return std::pair{i, j};
    return std::pair{i / grain * grain + j % grain, j / grain * grain + i % grain};
  }

  static Check check(const Shape&, std::string_view input, std::uint64_t seed,
                     const typename Copy<T>::template Args<>& args) {
    const MatrixView<const T> b = args.b;
    return detail::check_moved(b, b.cols, input, seed,
                               [&](Index i, Index j) { return origin(i, j, b.rows, b.cols); });
  }
};

template <class T>
struct CoarseGrained : Transpose<T> {
  static constexpr std::string_view name = "coarse_grained";
  static constexpr std::string_view what =
      "every whole 32 x 32 tile of A, as it is, at its transposed place in B, the cut ones transposed; A is "
      "m x n, B n x m";

  /// Where B's element (i, j) comes from; A is rows x cols.
  static constexpr auto origin(Index i, Index j, Index rows, Index cols) {
    if (!in_whole_tile(j, i, rows, cols)) return std::pair{j, i};
    return std::pair{j / grain * grain + i % grain, i / grain * grain + j % grain};
  }

  static Check check(const Shape&, std::string_view input, std::uint64_t seed,
                     const typename Transpose<T>::template Args<>& args) {
    const MatrixView<const T> b = args.b;
    return detail::check_moved(b, b.rows, input, seed,
                               [&](Index i, Index j) { return origin(i, j, b.cols, b.rows); });
  }
};

}  // namespace tallcache
