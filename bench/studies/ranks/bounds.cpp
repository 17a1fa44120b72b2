#include "bench/studies/ranks/bounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <utility>

#include "bench/measure/context.hpp"
#include "bench/measure/output.hpp"
#include "bench/studies/ranks/ranks.hpp"

namespace tallcache {
namespace {

// Each has a dimension that even a prime number of ranks can cut.
constexpr std::pair<const char*, ranks::MatmulShape> shapes[] = {{"square", {1 << 20, 1 << 20, 1 << 20}},
                                                                 {"tall", {1 << 26, 1 << 14, 1 << 14}},
                                                                 {"flat", {1 << 22, 1 << 22, 1 << 10}},
                                                                 {"deep", {1 << 14, 1 << 14, 1 << 26}}};

// Over the bound of P ranks, by P.
struct Ratios {
  std::vector<double> all, chosen;
};

Ratios ratios_of(const ranks::MatmulShape& shape) {
  const auto size = static_cast<std::size_t>(most_ranks) + 1;
  std::vector<double> words(size), seconds(size);
  Ratios ratios{.all = std::vector<double>(size, no_value), .chosen = std::vector<double>(size, no_value)};
  std::deque<std::size_t> window;  // of [0.9 P, P], with rising seconds: the first one is the fastest
  for (std::size_t p = 1; p < size; ++p) {
    const ranks::Plan plan = plan_matmul(shape, static_cast<Index>(p));
    words[p] = words_by_formula(shape, grid_of(plan));
    seconds[p] = modelled_seconds(shape, plan, {});
    while (!window.empty() && seconds[window.back()] >= seconds[p]) window.pop_back();
    window.push_back(p);
    while (10 * window.front() < 9 * p) window.pop_front();
    if (p == 1) continue;
    const double bound = ranks::words_bound(shape, static_cast<double>(p));
    ratios.all[p] = words[p] / bound;
    const bool idle = seconds[window.front()] < seconds[p] * ranks::idle_share;
    ratios.chosen[p] = words[idle ? window.front() : p] / bound;
  }
  return ratios;
}

std::vector<double> points() {
  std::vector<double> list;
  for (int p = 2; p <= 32; ++p) list.push_back(p);
  for (Index p = 48; p <= most_ranks; p = p % 3 ? p / 2 * 3 : p / 3 * 4)
    list.push_back(static_cast<double>(p));
  for (double p = 100; p <= most_ranks; p *= 10) list.push_back(p);
  for (double p : {101, 997, 9973, 99991, 999983}) list.push_back(p);  // primes
  std::ranges::sort(list);
  return list;
}

Record record_of(const char* name, const ranks::MatmulShape& shape) {
  const Ratios ratios = ratios_of(shape);
  Record record = ranks_record("matmul", "recursive", to_json(shape), most_ranks, 1);
  record.row = name;
  const std::string detail = "words of the formula over the bound of Al Daas et al. 2022";
  for (const auto& [which, values] : {std::pair{"all", &ratios.all}, {"chosen", &ratios.chosen}}) {
    Quantity curve{.name = "words over bound",
                   .unit = "1",
                   .origin = Origin::formula,
                   .detail = detail,
                   .at = {{"ranks", which}},
                   .over = {"ranks", "1", points()}};
    for (double p : curve.over.points) curve.values.push_back((*values)[static_cast<std::size_t>(p)]);
    record.quantities.push_back(std::move(curve));
    for (Index from = 2, to = 10; to <= most_ranks; from = to + 1, to *= 10) {
      std::vector<double> decade(values->begin() + from, values->begin() + to + 1);
      std::ranges::sort(decade);
      for (const auto& [statistic, value] :
           {std::pair{"median", decade[decade.size() / 2]}, {"most", decade.back()}})
        record.quantities.push_back(
            {.name = "words over bound",
             .unit = "1",
             .value = value,
             .origin = Origin::formula,
             .detail = detail,
             .at = {{"ranks", which}, {"from", from}, {"to", to}, {"of", statistic}}});
    }
  }
  return record;
}

}  // namespace

void table_of_bounds(const RanksOptions& options) {
  const Output output(options.json);
  Document document{.kind = "ranks", .context = machine_context()};
  document.plan.push_back(RanksPlan{.operation = "matmul", .mode = "bounds"});
  for (const auto& [name, shape] : shapes) document.put(record_of(name, shape));
  output.part(document, ranks_text(document));
  output.finish(document);
}

}  // namespace tallcache
