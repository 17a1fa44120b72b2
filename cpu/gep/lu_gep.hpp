// Gaussian elimination without pivoting as an instance of its paradigm: I-GEP over single elements. Step k
// divides the column below the pivot, and subtracts the outer product from what is behind it.
#pragma once

#include <algorithm>
#include <cmath>

#include "common/cache/ideal_misses.hpp"
#include "common/ops/lu.hpp"
#include "common/variant.hpp"
#include "cpu/gep/element_gep.hpp"

namespace tallcache::cpu::gep {

/// The updates (i, j, k) with k < i and k <= j.
struct EliminationSet {
  constexpr bool operator()(Index i, Index j, Index k) const { return k < i && k <= j; }
  constexpr bool may_have(Range i, Range j, Range k) const {
    return k.begin < i.end - 1 && k.begin <= j.end - 1;
  }
};

/// A leaf: the updates of three ranges of elements, each step's factors first.
template <class M>
void eliminate(M a, Range is, Range js, Range ks) {
  using T = typename M::value_type;
  for (Index k = ks.begin; k < ks.end; ++k) {
    const bool divides = js.begin <= k && k < js.end;
    const T pivot = a(k, k);
    if (divides && !(std::abs(pivot) > 0)) throw_unusable_pivot("lu", k, pivot);
    for (Index i = std::max(is.begin, k + 1); i < is.end; ++i) {
      if (divides) a(i, k) = T(a(i, k)) / pivot;
      const T factor = a(i, k);
      for (Index j = std::max(js.begin, k + 1); j < js.end; ++j) a(i, j) -= factor * T(a(k, j));
    }
  }
}

struct lu_gep {
  static constexpr std::string_view idea =
      "I-GEP: by quadrants along the diagonal, rows, columns and the interior; leaves are loops";
  static constexpr std::string_view source = "Chowdhury and Ramachandran 2006";
  using operations = OperationList<Lu<double>, Lu<float>>;
  static constexpr ParamSpec params[] = {{"base", 64, "the side of a leaf"}};
  static constexpr bool parallel = true;
  static constexpr double ns_per_unit = 0.25;

  template <class T>
  static cache::Prediction predicted_misses(Lu<T>, const Shape& shape, const Params&, cache::IdealCache c) {
    const double n = static_cast<double>(shape["n"]);
    return {n + n * n / c.L + n * n * n / (c.L * std::sqrt(c.Z)), "O(n + n^2/L + n^3/(L sqrt Z))", true};
  }

  template <class Fork, class Args>
  static void run(Fork& fork, const Args& args, const Params& params) {
    const auto a = args.a;
    if (a.rows == 0) return;
    const Blocks blocks{a.rows, params["base"]};
    const EliminationSet set;
    const auto body = [a](Range i, Range j, Range k) { eliminate(a, i, j, k); };
    const ElementLeaf<EliminationSet, decltype(body)> leaf{blocks, set, body};
    // Only the last pivot of a singular matrix is never divided by.
    Recursion(fork, leaf).diagonal(blocks.all());
    const auto last = static_cast<typename decltype(a)::value_type>(a(a.rows - 1, a.rows - 1));
    if (!(std::abs(last) > 0)) throw_unusable_pivot("lu", a.rows - 1, last);
  }
};

}  // namespace tallcache::cpu::gep
