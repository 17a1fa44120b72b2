#include "bench/tables/timings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/catalogue.hpp"
#include "common/fork/one_tbb.hpp"

namespace tallcache {
namespace {

const Variant* variant_of(const TimedTable& table, const Line& line) {
  for (const Variant* variant : variants_of(*table.operation))
    if (variant->name == line.variant && variant->backend == line.backend) return variant;
  return nullptr;
}

Params params_of(const Case& c, const Line& line) {
  return line.swept.empty() ? line.params : line.params.with(line.swept, c.value);
}

bool measured_at(const Case& c, Scale scale) {
  return (scale == Scale::smoke) == (c.from == Scale::smoke) && c.from <= scale;
}

// Quick: a median of three or more, or of two where a run takes a second on a slow machine. Full: of two at
// the sizes that quick leaves out, where a run takes minutes. Both of two runs are verified.
Protocol protocol_of(Scale scale, const TimedTable& table, const Case& c) {
  if (scale == Scale::smoke) return {.min_rounds = 3, .max_rounds = 3, .seconds = 0.01};
  if (scale == Scale::full)
    return {.min_rounds = c.from == Scale::full ? 2 : 5,
            .max_rounds = 15,
            .seconds = 1,
            .planning = Planning::patient};
  const Cost cost = table.operation->cost(complete_shape(*table.operation, c.shape));
  const bool long_run = cost.flops > 1e9 || cost.bytes > 5e8;
  return {.min_rounds = long_run ? 2 : 3, .max_rounds = 9, .seconds = 0.25};
}

}  // namespace

Shape cube(Index n) { return {{"m", n}, {"n", n}, {"k", n}}; }
Shape square(Index n) { return {{"m", n}, {"n", n}}; }

void add_on_cores(std::vector<Line>& lines, Line line,
                  std::initializer_list<std::pair<int, std::string_view>> cores) {
  line.baseline = lines.size();
  for (const auto& [threads, column] : cores) {
    line.threads = threads;
    line.slide = column;
    lines.push_back(line);
  }
}

std::vector<Row> rows_of(const TimedTable& table, Scale scale, std::uint64_t seed) {
  std::vector<Row> rows;
  for (const Case& c : table.cases) {
    if (!measured_at(c, scale)) continue;
    std::vector<Candidate> candidates;
    const auto add = [&](const Line& line) {
      const Variant* variant = variant_of(table, line);
      if (variant && line.threads <= usable_threads())
        candidates.push_back({.variant = variant, .params = params_of(c, line), .threads = line.threads});
    };
    for (const Line& line : table.lines)
      if (line.phase.empty()) add(line);
    add(table.best_known);
    const Shape shape = complete_shape(*table.operation, c.shape);
    const Problem problem{.operation = table.operation, .shape = shape, .input = {}, .seed = seed};
    rows.push_back({c.label, Timed{problem, std::move(candidates), protocol_of(scale, table, c)}});
  }
  return rows;
}

std::vector<const Case*> Timings::cases() const {
  std::vector<const Case*> result;
  for (const Case& c : table_.cases)
    if (c.from != Scale::smoke || inputs_.scale == Scale::smoke) result.push_back(&c);
  return result;
}

const Line& Timings::line(std::string_view label, int threads) const {
  for (const Line& line : table_.lines)
    if (line.label == label && line.threads == threads) return line;
  throw Error(fmt::format("{} has no line '{}' on {} cores", table_.id, label, threads));
}

bool Timings::parallel() const {
  return std::ranges::any_of(table_.lines, [](const Line& line) { return line.threads > 1; });
}

double Timings::slide(const Case& c, const Line& line) const {
  const Json &columns = inputs_.slide.at("columns"), &rows = inputs_.slide.at("rows");
  if (line.slide.empty() || c.slide_n == 0) return no_value;
  const Index wanted = line.slide_n ? line.slide_n : c.slide_n;
  for (const Json& row : rows) {
    if (row[0] == line.slide) return row[1].get<double>() / table_.per_second();
    if (row[0] != wanted) continue;
    for (std::size_t column = 1; column < columns.size(); ++column)
      if (columns[column] == line.slide && row[column].is_number())
        return row[column].get<double>() / table_.per_second();
  }
  return no_value;
}

const Record* Timings::record(const Case& c, const Line& line) const {
  if (left_out(c) || line.variant.empty()) return nullptr;
  const Record* found = find_run(inputs_.document, {.operation = table_.operation,
                                                    .shape = c.shape,
                                                    .variant = line.variant,
                                                    .backend = line.backend,
                                                    .params = params_of(c, line),
                                                    .threads = line.threads});
  return found && found->outcome.measured() && line.chooses && found->runs_as.empty() ? nullptr : found;
}

double Timings::here(const Case& c, const Line& line) const {
  const Record* measured = record(c, line);
  if (!measured || !measured->outcome.measured()) return no_value;
  return line.phase.empty() ? measured->seconds() : measured->value("time", {{"phase", line.phase}});
}

double Timings::spread(const Case& c, const Line& line) const {
  const Record* measured = line.phase.empty() ? record(c, line) : nullptr;
  return measured && measured->outcome.measured() ? measured->seconds_spread() : no_value;
}

bool Timings::left_out(const Case& c) const { return !measured_at(c, inputs_.scale); }

std::string Timings::why_absent(const Case& c, const Line& line) const {
  if (left_out(c)) return "--full";
  if (const Record* measured = record(c, line))
    return measured->outcome.reason.empty() ? "not measured" : measured->outcome.reason;
  if (line.threads > inputs_.document.context.value("usable_cores", 1))
    return fmt::format("needs {} cores", line.threads);
  // The lines of a case are measured together.
  const bool others = std::ranges::any_of(table_.lines, [&](const Line& l) { return record(c, l); });
  if (!others) return "not measured";
  return line.backend == "cpu" ? "not in this build" : "needs a GPU build";
}

std::optional<bool> Timings::faster(const Case& c, const Line& a, const Line& b) const {
  const double difference = here(c, b) - here(c, a);
  if (std::isnan(difference)) return {};
  const double noise =
      (std::isnan(spread(c, a)) ? 0 : spread(c, a)) + (std::isnan(spread(c, b)) ? 0 : spread(c, b));
  if (std::abs(difference) <= noise) return {};
  return difference > 0;
}

}  // namespace tallcache
