// Edit distance as in the definition: row after row.
#pragma once

#include <algorithm>

#include "common/fork/fork.hpp"
#include "common/ops/edit_distance.hpp"
#include "common/variant.hpp"

namespace tallcache::cpu::edit_distance {

/// Computes the cells of `d` except its first row and column, which are given. `d` is the block of the
/// tableau of the letters `a` and `b`, with the cells above and to the left of it.
template <class D, class A, class B>
void tableau_block(D d, A a, B b) {
  for (Index i = 0; i < a.size; ++i) {
    const std::uint8_t letter = a[i];
    std::int32_t diagonal = d(i, 0), left = d(i + 1, 0);
    for (Index j = 0; j < b.size; ++j) {
      const std::int32_t above = d(i, j + 1);
      left = std::min(std::min(left, above) + 1, diagonal + (letter != b[j]));
      diagonal = above;
      d(i + 1, j + 1) = left;
    }
  }
}

/// Computes the first row and the first column: the distances from and to the empty string.
template <class Fork, class D>
void tableau_borders(Fork& fork, D d) {
  constexpr Index block = 4096;
  loop_blocks(fork, d.cols, block, [d](Index begin, Index end) {
    for (Index j = begin; j < end; ++j) d(0, j) = static_cast<std::int32_t>(j);
  });
  loop_blocks(fork, d.rows, block, [d](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) d(i, 0) = static_cast<std::int32_t>(i);
  });
}

struct tableau_rows {
  static constexpr std::string_view idea = "row after row, on one thread";
  static constexpr std::string_view source = "Wagner and Fischer 1974";
  using operations = OperationList<EditDistance>;

  template <class Fork, class Args>
  static void run(Fork& fork, const Args& args, const Params&) {
    tableau_borders(fork, args.out);
    tableau_block(args.out, args.a, args.b);
  }
};

}  // namespace tallcache::cpu::edit_distance
