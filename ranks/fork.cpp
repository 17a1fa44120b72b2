#include "ranks/fork.hpp"

#include <cstdint>
#include <string>

namespace tallcache::ranks {

std::vector<View> views_of(std::span<const Matrix> matrices) {
  std::vector<View> views;
  std::uintptr_t address = 4096;
  for (const Matrix& matrix : matrices) {
    const Index ld = matrix.cols + 1;
    const std::size_t bytes = checked_product(
        checked_product(static_cast<std::size_t>(matrix.rows), static_cast<std::size_t>(ld), "matrix"),
        sizeof(double), "matrix");
    views.push_back({reinterpret_cast<double*>(address), matrix.rows, matrix.cols, ld, {}});
    address = checked_sum(address, bytes + 4096, "matrices") / 64 * 64;
  }
  return views;
}

Layout::Layout(std::vector<Matrix> matrices, Index ranks, int halvings)
    : plan_(std::move(matrices), ranks), factors_(prime_factors(ranks)), halvings_(halvings) {}

Index Layout::enter(const std::array<Role, max_views>& roles, Index size) {
  const bool in_turn = halvings_ > 0;
  const Index parts = in_turn ? 2 : factors_[next_];
  if (size < parts)
    throw Error("more ranks than rows: a cut of size " + std::to_string(size) + " into " +
                std::to_string(parts) + " parts, on " + std::to_string(plan_.ranks()) + " ranks");
  in_turn ? halvings_-- : static_cast<int>(next_++);
  plan_.add({.parts = parts, .in_turn = in_turn, .roles = roles});
  return parts;
}

}  // namespace tallcache::ranks
