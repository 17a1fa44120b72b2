#include "bench/tables/matmul_counted.hpp"

#include <fmt/format.h>

#include <cmath>

#include "common/catalogue.hpp"
#include "common/ops/matmul.hpp"
#ifdef TALLCACHE_HAS_PAPI
#include "bench/counted.hpp"
#endif

namespace tallcache {

#ifdef TALLCACHE_HAS_PAPI
namespace {

// In the order of `names`.
enum Asked { cycles, instructions, l1_misses, l2_misses, vectors, accesses, loads, stores };
constexpr std::string_view names[] = {
    "cycles",           "instructions", "L1 data misses", "L2 data misses", "vector instructions, double",
    "L1 data accesses", "loads",        "stores"};

// Of what was counted to be nothing there is no share.
double share(double part, double whole) { return whole > 0 ? part / whole : absent; }

ProductFigures figures_of(std::span<const Counted> counts) {
  const auto value = [&](Asked asked) {
    return counts[asked].value ? static_cast<double>(*counts[asked].value) : absent;
  };
  // Loads and stores stand in for accesses.
  const double touched = counts[accesses].value ? value(accesses) : value(loads) + value(stores);
  ProductFigures figures{.cpi = share(value(cycles), value(instructions)),
                         .l1 = share(value(l1_misses), touched),
                         .l2 = share(value(l2_misses), touched),
                         .vector = share(value(vectors), value(instructions)),
                         .instructions = value(instructions)};
  for (Asked asked : {cycles, instructions, l1_misses, l2_misses, vectors, accesses}) {
    const bool known = asked == accesses ? !std::isnan(touched) : counts[asked].value.has_value();
    if (!known && figures.missing.empty())
      figures.missing = fmt::format("{}: {}", counts[asked].name, counts[asked].reason);
  }
  return figures;
}

}  // namespace

ProductFigures count_product(std::string_view variant, const Params& params, const Shape& shape,
                             std::uint64_t seed) {
  const auto executor = make_host_executor();
  Workspace workspace({&operation_of<Matmul<double>>, shape, {}, seed}, *executor);
  const Candidate candidate{.variant = &find_variant(operation_of<Matmul<double>>, variant),
                            .params = params};
  if (const Check check = workspace.verify(candidate); !check)
    return {.missing = fmt::format("{} has a wrong result: {}", variant, check.message())};
  return figures_of(count_quantities(workspace, candidate, names));
}
#else
ProductFigures count_product(std::string_view, const Params&, const Shape&, std::uint64_t) {
  return {.missing = "this build has no PAPI with libsde"};
}
#endif

}  // namespace tallcache
