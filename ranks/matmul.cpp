#include "ranks/matmul.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "common/ceil_div.hpp"
#include "cpu/matmul/gemm.hpp"
#include "ranks/text.hpp"

namespace tallcache::ranks {
namespace {

// Of the inner dimension. Panels of this depth are still in a cache when tiles read them.
constexpr Index slice_depth = 512;

constexpr double gib = 1024.0 * 1024 * 1024;

std::string gib_text(double bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g GiB", bytes / gib);
  return text;
}

bool can_be_cut(const MatmulShape& shape, Index ranks, int halvings = 0) {
  try {
    plan_matmul(shape, ranks, halvings);
    return true;
  } catch (const Error&) {
    return false;
  }
}

Index choose_ranks(const MatmulShape& shape, Index ranks, const MatmulOptions& options) {
  if (!options.idle) return ranks;
  const auto seconds = [&](Index p) {
    return can_be_cut(shape, p) ? modelled_seconds(shape, plan_matmul(shape, p), options.fabric)
                                : std::numeric_limits<double>::infinity();
  };
  Index best = ranks;
  double least = seconds(ranks) * idle_share;
  for (Index p = ranks - 1; p >= 1 && 10 * p >= 9 * ranks; --p)
    if (const double time = seconds(p); time < least) best = p, least = time;
  return best;
}

}  // namespace

Plan plan_matmul(const MatmulShape& shape, Index ranks, int halvings) {
  const auto& [m, n, k] = shape;
  if (std::min({m, n, k}) < 1)
    throw Error("sizes: m = " + std::to_string(m) + ", n = " + std::to_string(n) +
                ", k = " + std::to_string(k) + "; each is at least 1");
  const std::vector<Matrix> matrices{{"C", m, n, true}, {"A", m, k}, {"B", k, n}};
  tallcache::ranks::Layout layout(matrices, ranks, halvings);
  multiply(layout, matrices);
  return layout.plan();
}

Grid grid_of(const Plan& plan) {
  Grid grid{1, 1, 1};
  for (const Cut& cut : plan.cuts())
    if (!cut.in_turn)
      (cut.roles[matrix_c] == Role::added  ? grid.k
       : cut.roles[matrix_c] == Role::rows ? grid.m
                                           : grid.n) *= cut.parts;
  return grid;
}

// The first turn has the largest boxes.
Index copied_words(const Plan& plan, std::size_t v, Index rank) {
  bool copied = false;
  for (std::size_t level = 0; level < plan.levels(); ++level)
    copied = copied || plan.moves(v, level) || plan.cuts()[level].roles[v] == Role::added;
  return copied ? plan.box(v, rank).size() : 0;
}

Index summed_words(const Plan& plan, Index rank) {
  Index words = 0;
  const Index box = plan.box(matrix_c, rank).size();
  for (std::size_t level = 0; level < plan.levels(); ++level)
    if (plan.moves(matrix_c, level))
      words = std::max(words, plan.stretch(matrix_c, box, level, rank).size * (plan.cuts()[level].parts - 1));
  return words;
}

Index leaf_slices(const Plan& plan) { return ceil_div(plan.box(matrix_a, 0).cols, slice_depth); }

std::size_t packed_bytes(const Plan& plan, Index rank) {
  if (rank >= plan.ranks()) return 0;
  const Box c = plan.box(matrix_c, rank), a = plan.box(matrix_a, rank);
  using namespace cpu::matmul;
  return gemm_scratch_bytes<double>(cpu::matmul::Layout::row_major, Trans::no, Trans::no, c.rows, c.cols,
                                    ceil_div(a.cols, leaf_slices(plan)));
}

// Rank 0 has the first part of every cut, which is the largest.
Need need_of(const Plan& plan, bool one_machine) {
  Need need;
  const auto bytes = [](Index words) { return sizeof(double) * static_cast<std::size_t>(words); };
  for (std::size_t v = 0; v < plan.matrices().size(); ++v) {
    need.matrices += bytes(plan.owned(v, 0));
    need.boxes += bytes(copied_words(plan, v, 0));
  }
  need.sums = one_machine ? 0 : bytes(summed_words(plan, 0));
  need.packed = packed_bytes(plan, 0);
  return need;
}

double modelled_seconds(const MatmulShape& shape, const Plan& plan, const Fabric& fabric) {
  const Grid grid = grid_of(plan);
  const double flop = 2.0 * static_cast<double>(ceil_div(shape.m, grid.m)) *
                      static_cast<double>(ceil_div(shape.n, grid.n)) *
                      static_cast<double>(ceil_div(shape.k, grid.k));
  double messages = 0;
  for (const Cut& cut : plan.cuts()) messages += static_cast<double>(cut.parts - 1);
  const FabricLevel& top = fabric.levels.back();
  return flop / fabric.flops + messages * top.latency +
         words_by_formula(shape, grid) * sizeof(double) / top.bandwidth;
}

Plan choose_matmul(const MatmulShape& shape, Index ranks, const MatmulOptions& options) {
  const Index used = choose_ranks(shape, ranks, options);
  Plan plan = plan_matmul(shape, used);
  if (!options.memory) return plan;
  // Halving does not shrink what a rank keeps of the matrices, so that more turns than these gain nothing.
  constexpr int most_halvings = 10;
  const auto limit = static_cast<double>(*options.memory);
  double least = std::numeric_limits<double>::infinity();
  for (int halvings = 0;;) {
    const auto need = static_cast<double>(need_of(plan, options.one_machine).total());
    if (need <= limit) return plan;
    least = std::min(least, need);
    if (halvings == most_halvings || !can_be_cut(shape, used, ++halvings)) break;
    plan = plan_matmul(shape, used, halvings);
  }
  throw Error("memory: a rank needs at least " + gib_text(least) + " and may use " + gib_text(limit) + ": " +
                  gib_text(least - limit) + " are missing",
              Status::too_large);
}

double words_by_formula(const MatmulShape& shape, const Grid& grid) {
  const auto m = static_cast<double>(shape.m), n = static_cast<double>(shape.n),
             k = static_cast<double>(shape.k);
  const auto pm = static_cast<double>(grid.m), pn = static_cast<double>(grid.n),
             pk = static_cast<double>(grid.k);
  const double ranks = pm * pn * pk;
  return m * n * k / ranks * (pm / m + pn / n + pk / k) - (m * n + m * k + n * k) / ranks;
}

double accessed_bound(const MatmulShape& shape, double ranks) {
  std::array<double, 3> sizes{static_cast<double>(shape.m), static_cast<double>(shape.n),
                              static_cast<double>(shape.k)};
  std::ranges::sort(sizes);
  const auto [k, n, m] = sizes;  // the least first
  if (ranks <= m / n) return n * k + (m * n + m * k) / ranks;
  if (ranks <= m * n / (k * k)) return 2 * std::sqrt(m * n * k * k / ranks) + m * n / ranks;
  return 3 * std::cbrt(m * n * k / ranks * (m * n * k / ranks));
}

double words_bound(const MatmulShape& shape, double ranks) {
  const auto m = static_cast<double>(shape.m), n = static_cast<double>(shape.n),
             k = static_cast<double>(shape.k);
  return accessed_bound(shape, ranks) - (m * n + m * k + n * k) / ranks;
}

}  // namespace tallcache::ranks
