// Tableau construction by quadrants: the first, then the two that depend on it alone in parallel, then the
// last. Work Theta(mn); span T(n) = 3 T(n/2) + Theta(1), Theta(n^lg 3). It has no cache parameter.
#pragma once

#include "cpu/edit_distance/tableau_rows.hpp"

namespace tallcache::cpu::edit_distance {

/// Computes the cells of `d` except its first row and column, which are given. A block with no side above
/// `base` is a leaf; base >= 1.
template <class Fork, class D, class A, class B>
void rec_tableau(Fork& fork, D d, A a, B b, Index base) {
  const Index m = a.size, n = b.size;
  if (m == 0 || n == 0) return;
  if (std::max(m, n) <= base) return tableau_block(d, a, b);
  const Index m1 = m / 2, n1 = n / 2, m2 = m - m1, n2 = n - n1;
  const auto quadrant = [=, &fork](Index i, Index j, Index rows, Index cols) {
    rec_tableau(fork, d.block(i, j, rows + 1, cols + 1), a.block(i, rows), b.block(j, cols), base);
  };
  quadrant(0, 0, m1, n1);
  fork([=] { quadrant(0, n1, m1, n2); }, [=] { quadrant(m1, 0, m2, n1); });
  quadrant(m1, n1, m2, n2);
}

struct tableau_recursive {
  static constexpr std::string_view idea = "by quadrants, the second and the third side by side: span n^lg 3";
  static constexpr std::string_view source = "M11: tableau construction";
  using operations = OperationList<EditDistance>;
  static constexpr ParamSpec params[] = {{"base", 128, "a block with no larger side is a leaf"}};
  static constexpr bool parallel = true;
  static constexpr double ns_per_unit = 1;

  template <class Fork, class Args>
  static void run(Fork& fork, const Args& args, const Params& params) {
    tableau_borders(fork, args.out);
    rec_tableau(fork, args.out, args.a, args.b, params["base"]);
  }
};

}  // namespace tallcache::cpu::edit_distance
