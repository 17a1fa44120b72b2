#include "bench/tables/speedup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/catalogue.hpp"
#include "common/fork_tbb.hpp"

namespace tallcache {
namespace {

const Operation& operation_of_table(const SpeedupTable& table) {
  return find_operation(table.operation, table.element);
}

Problem problem_of(const SpeedupTable& table, const SpeedupCase& c, std::uint64_t seed) {
  const Operation& operation = operation_of_table(table);
  return {&operation, complete_shape(operation, c.shape), {}, seed};
}

Candidate candidate_of(const SpeedupTable& table, const SpeedupCase& c, const SpeedupLine& line, int cores) {
  Candidate candidate{.variant = &find_variant(operation_of_table(table), line.variant),
                      .params = line.params,
                      .threads = cores};
  if (!line.swept.empty()) candidate.params.set(line.swept, c.value);
  return candidate;
}

bool measured_at(const SpeedupCase& c, Scale scale) {
  return (scale == Scale::smoke) == (c.from == Scale::smoke) && c.from <= scale;
}

// Quick: medians of three and more where a run takes less than a quarter of a second, else of the two
// verified runs and one more.
Protocol protocol_of(Scale scale) {
  if (scale == Scale::smoke) return {.least_rounds = 3, .most_rounds = 3, .seconds = 0.01};
  return {.least_rounds = 3, .most_rounds = 9, .seconds = scale == Scale::full ? 1.0 : 0.25};
}

}  // namespace

double slide_timing(const Json& slide, const SpeedupCase& c, int cores) {
  for (const Json& row : slide.at("rows"))
    if (row[0] == c.slide_row) return row[cores].get<double>();
  return absent;
}

std::vector<Row> speedup_rows(const SpeedupTable& table, Scale scale, std::uint64_t seed) {
  std::vector<Row> rows;
  for (const SpeedupCase& c : table.cases) {
    if (!measured_at(c, scale)) continue;
    Row& row = rows.emplace_back(Row{c.label, problem_of(table, c, seed), {}, protocol_of(scale)});
    for (const SpeedupLine& line : table.lines) {
      row.candidates.push_back(candidate_of(table, c, line, 1));
      for (int cores : table.cores)
        if (cores <= usable_threads()) row.candidates.push_back(candidate_of(table, c, line, cores));
    }
  }
  return rows;
}

std::vector<const SpeedupCase*> Speedups::cases() const {
  std::vector<const SpeedupCase*> result;
  for (const SpeedupCase& c : table_.cases)
    if (c.from != Scale::smoke || inputs_.scale == Scale::smoke) result.push_back(&c);
  return result;
}

const SpeedupLine& Speedups::line(std::string_view label) const {
  for (const SpeedupLine& line : table_.lines)
    if (line.label == label) return line;
  throw Error(fmt::format("{} has no line '{}'", table_.id, label));
}

std::vector<int> Speedups::cores() const {
  std::vector<int> list{1};
  for (int cores : table_.cores)
    if (cores <= usable_threads()) list.push_back(cores);
  return list;
}

const Json* Speedups::record(const SpeedupCase& c, const SpeedupLine& line, int cores) const {
  if (!measured_at(c, inputs_.scale) || cores > usable_threads()) return nullptr;
  return inputs_.results.find(problem_of(table_, c, inputs_.seed), candidate_of(table_, c, line, cores));
}

double Speedups::here(const SpeedupCase& c, const SpeedupLine& line, int cores) const {
  const Json* measured = record(c, line, cores);
  return measured && measured->contains("median_s") ? measured->at("median_s").get<double>() : absent;
}

double Speedups::spread(const SpeedupCase& c, const SpeedupLine& line, int cores) const {
  const Json* measured = record(c, line, cores);
  return measured && measured->contains("mad_s") ? measured->at("mad_s").get<double>() : absent;
}

std::string Speedups::why_absent(const SpeedupCase& c, const SpeedupLine& line, int cores) const {
  if (cores > usable_threads()) return fmt::format("needs {} cores", cores);
  if (!measured_at(c, inputs_.scale)) return "--full";
  if (const Json* measured = record(c, line, cores); measured && measured->contains("problem"))
    return measured->at("problem");
  return "not measured";
}

Report speedup_report(const Speedups& speedups) {
  const SpeedupTable& table = speedups.table();
  Report report;
  Grid& grid = report.grids.emplace_back();
  grid.columns = {{"size", true}, {"variant", true},  {"cores"},         {"slide s"},        {"here s"},
                  {"+- MAD"},     {"speed-up slide"}, {"speed-up here"}, {"efficiency here"}};
  std::vector<int> all{1};
  all.insert(all.end(), table.cores.begin(), table.cores.end());
  std::string left_out;
  for (const SpeedupCase* c : speedups.cases()) {
    bool first = true, full_only = false;
    for (const SpeedupLine& line : table.lines)
      for (int cores : all) {
        const double slide = speedups.slide(*c, line, cores), here = speedups.here(*c, line, cores);
        if (std::isnan(here) && std::isnan(slide) && cores > usable_threads()) continue;
        const std::string reason = speedups.why_absent(*c, line, cores);
        full_only |= std::isnan(here) && reason == "--full";
        if (std::isnan(here) && std::isnan(slide) && reason == "--full") continue;
        const double speedup = cores == 1 ? absent : speedups.speedup(*c, line, cores);
        grid.rows.push_back(
            {first ? c->label : "", cores == 1 || first ? std::string(line.label) : "", std::to_string(cores),
             std::isnan(slide) ? "-" : fmt::format("{:.10g}", slide),
             std::isnan(here) ? reason : figure(here),
             std::isnan(here) ? "" : figure(speedups.spread(*c, line, cores)),
             cores == 1 ? "" : times(speedups.slide_speedup(*c, line, cores)),
             cores == 1 ? "" : times(speedup),
             cores == 1 || std::isnan(speedup) ? "" : fmt::format("{:.3f}", speedup / cores)});
        first = false;
        if (cores > 1 && !std::isnan(speedup) && !std::isnan(speedups.slide_speedup(*c, line, cores)))
          report.ratios.push_back({c->label, fmt::format("{} on {} cores over one", line.label, cores),
                                   speedups.slide_speedup(*c, line, cores), speedup});
      }
    if (full_only) left_out += (left_out.empty() ? "" : ", ") + c->label;
  }
  report.notes.push_back(
      "Times are medians, +- their median absolute deviation; speed-ups are over the same program's serial "
      "elision, "
      "interleaved with it; threads are pinned.");
  if (!left_out.empty()) report.notes.push_back(fmt::format("Sizes reduced: {} only with --full.", left_out));
  return report;
}

Finding finds_efficient(const Speedups& speedups, std::string text, std::string_view label, double least,
                        int cores, std::string why_holds, std::string why_fails) {
  Finding finding{std::move(text), {}, "", "This machine has too few cores, or nothing was measured"};
  const SpeedupLine& line = speedups.line(label);
  const int most = cores ? cores : speedups.cores().back();
  if (most == 1 || most > usable_threads()) return finding;
  for (const SpeedupCase* c : speedups.cases()) {
    const double speedup = speedups.speedup(*c, line, most);
    if (std::isnan(speedup)) continue;
    finding.figures =
        fmt::format("{} on {} cores: {}, efficiency {:.3f}", c->label, most, times(speedup), speedup / most);
    finding.holds = speedup / most >= least;
    finding.why = *finding.holds ? why_holds : why_fails;
  }
  return finding;
}

}  // namespace tallcache
