#include <fmt/format.h>

#include <cmath>

#include "bench/tables/list.hpp"
#include "bench/tables/timings.hpp"
#include "common/ops/counting_sort.hpp"

namespace tallcache::slide_tables::counting_sort_cpu {
namespace {

constexpr std::string_view sort_phase = "bucketed: sorting", bucket_phase = "bucketed: preprocessing";

Shape keys(Index n) { return {{"n", n}, {"range", n}}; }

// Both series of n: as printed, and ten times as many (see the note in the slides' data).
std::vector<Case> cases() {
  std::vector<Case> cases{{"n = 1000", 0, keys(1000), Scale::smoke},
                          {"n = 3000", 0, keys(3000), Scale::smoke}};
  for (Index factor : {1, 10})
    for (Index n = 10'000'000; n <= 60'000'000; n += 10'000'000)
      cases.push_back(
          {fmt::format("n = {}e6{}", factor * n / 1'000'000, factor == 1 ? "" : " (10 x printed)"), n,
           keys(factor * n), n == 10'000'000 ? Scale::quick : Scale::full});
  return cases;
}

TimedTable timed_table() {
  return {.id = "counting-sort-cpu",
          .operation = &operation_of<CountingSort<false>>,
          .unit = "s",
          .lines = {{"classical", "classical", "classical"},
                    {"bucketed", "bucketed", "bucketed_total"},
                    {bucket_phase, "bucketed", "preprocessing", "preprocessing"},
                    {sort_phase, "bucketed", "sorting", "sorting"},
                    {.label = "vqsort", .variant = "vqsort", .chooses = true}},
          .cases = cases(),
          .best_known = {"today", "bucketed_streaming"}};
}

bool as_printed(const Case& c) { return c.shape["n"] == c.slide_n; }

// Tests whether n is printed a factor of ten short. If it is, the slide's time compared with 10 n here is
// that of a processor of its age, and compared with n it is not.
Finding finds_factor_of_ten(const Timings& timings) {
  Finding finding{
      "n is printed a factor of ten short: at 10 n the slide's machine is less than 10 times slower than "
      "this one, at the printed n it is more",
      {},
      "",
      "Both ladders have to be measured: --full"};
  const Line& classical = timings.line("classical");
  double printed = no_value, tenfold = no_value;
  for (const Case* c : timings.cases()) {
    const double ratio = timings.slide(*c, classical) / timings.here(*c, classical);
    if (std::isnan(ratio)) continue;
    (as_printed(*c) ? printed : tenfold) = ratio;
    finding.figures +=
        fmt::format("{}{}: {}, {} ns a key here", finding.figures.empty() ? "" : "; ", c->label, times(ratio),
                    figure(timings.here(*c, classical) / c->shape["n"] * 1e9));
  }
  if (std::isnan(printed) || std::isnan(tenfold)) return finding;
  finding.holds = printed > 10 && tenfold < 10;
  finding.why = "";
  return finding;
}

void add_findings(const Timings& timings, Report& report) {
  report.notes.push_back(
      "Keys are uniform in [0, n]. Beside 10 n stand the slide's times for n, which is probably printed a "
      "factor of ten short.");
  report.findings = {
      finds_faster(timings, "bucketed beats classical at every n", "bucketed", "classical", 1),
      finds_growing(timings, "the advantage grows with n", "bucketed", 1),
      finds_faster(timings, "preprocessing takes longer than sorting the buckets", sort_phase, bucket_phase,
                   1),
      finds_factor_of_ten(timings),
  };
}

}  // namespace

const Table table =
    timed("counting-sort-cpu", "uint32 keys uniform in [0, n] on one core, classical and bucketed",
          timed_table, add_findings);

}  // namespace tallcache::slide_tables::counting_sort_cpu
