#include <algorithm>
#include <array>

#include "bench/suites/by_name.hpp"
#include "bench/suites/suite.hpp"
#include "common/catalogue.hpp"

namespace tallcache {

extern const Suite matmul_suite, matmul_bt_suite, matmul_batched_suite, transpose_suite, counting_sort_suite,
    counting_sort_in_place_suite, sort_suite, lu_pivot_suite, lu_pivot_batched_suite, cholesky_suite,
    qr_suite, solve_suite, fft_suite, fft_real_suite, fft_batched_suite, fft_2d_suite, shortest_paths_suite,
    transitive_closure_suite, stencil_suite, bfs_suite, levenshtein_suite, levenshtein_batched_suite,
    alignment_suite, integer_product_suite;

std::span<const Suite* const> suites() {
  static constexpr std::array all{&matmul_suite,
                                  &matmul_bt_suite,
                                  &matmul_batched_suite,
                                  &transpose_suite,
                                  &counting_sort_suite,
                                  &counting_sort_in_place_suite,
                                  &sort_suite,
                                  &lu_pivot_suite,
                                  &lu_pivot_batched_suite,
                                  &cholesky_suite,
                                  &qr_suite,
                                  &solve_suite,
                                  &fft_suite,
                                  &fft_real_suite,
                                  &fft_batched_suite,
                                  &fft_2d_suite,
                                  &shortest_paths_suite,
                                  &transitive_closure_suite,
                                  &stencil_suite,
                                  &bfs_suite,
                                  &levenshtein_suite,
                                  &levenshtein_batched_suite,
                                  &alignment_suite,
                                  &integer_product_suite};
  return all;
}

std::string_view to_string(SpeedShare::Of of) {
  return of == SpeedShare::Of::limit       ? "limit"
         : of == SpeedShare::Of::reference ? "reference"
                                           : "first input";
}

std::vector<std::string_view> operations_with(SuitePredicate has_part) {
  std::vector<std::string_view> names;
  for (const Suite* suite : suites())
    if (has_part(*suite)) names.push_back(suite->operation);
  return names;
}

std::vector<const Suite*> find_suites(std::span<const std::string> operations, SuitePredicate has_part,
                                      std::string_view what) {
  std::vector<const Suite*> all;
  std::ranges::copy_if(suites(), std::back_inserter(all),
                       [&](const Suite* suite) { return has_part(*suite); });
  return find_by_name(all, operations, &Suite::operation, what);
}

std::vector<PeerCase> cases_at(const PeerComparison& comparison, Scale scale) {
  std::vector<PeerCase> cases;
  for (PeerCase c : comparison.cases) {
    if (scale == Scale::smoke) {
      c.shape = comparison.smoke;
      const auto alike = [&](const PeerCase& other) {
        return other.input == c.input && other.all_cores == c.all_cores && other.group == c.group &&
               other.params == c.params;
      };
      if (c.from == Scale::full || std::ranges::any_of(cases, alike)) continue;
    } else if (c.from > scale) {
      continue;
    }
    cases.push_back(std::move(c));
  }
  return cases;
}

std::vector<const Variant*> compared_variants(const Operation& operation, const PeerComparison& comparison) {
  std::vector<const Variant*> held{&find_variant(operation, comparison.variant, comparison.backend)};
  for (const std::string_view name : comparison.without) find_variant(operation, name, comparison.backend);
  for (const Variant* variant : variants_of(operation))
    if (variant->peer && variant->backend == comparison.backend &&
        !std::ranges::count(comparison.without, variant->name))
      held.push_back(variant);
  for (const std::string_view name : comparison.beside)
    held.push_back(&find_variant(operation, name, comparison.backend));
  return held;
}

}  // namespace tallcache
