#include "bench/report/errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/report/charts.hpp"
#include "bench/report/format.hpp"
#include "bench/report/kind.hpp"

namespace tallcache {
namespace {

// What the sums of a product, and of every operation with long sums, are known to lose.
constexpr std::string_view theory =
    "A sum of k products in order has an error of at most k u of the products' magnitudes, one of blocks of "
    "b products (b + k/b) u, and one of halves (log2 k + 1) u; errors of either sign add up to about the "
    "square root of these (Higham, Accuracy and Stability of Numerical Algorithms, 2002, 3.1 and 4.2; "
    "Castaldo, Whaley, Chronopoulos, Reducing floating point error in dot product using the superblock "
    "family of algorithms, 2008; Higham, Mary, 2019). Strassen's product has a bound by norms alone (Higham "
    "2002, 23.2.2).";

const Record* record_of(const Document& document, const Json& part, const Json& run, const Json& shape,
                        const Json& input) {
  for (const Record& record : document.measurements)
    if (part.at("operation") == record.operation && part.at("element") == record.element &&
        part.at("backend") == record.backend && run.at("variant") == record.variant &&
        run.at("params") == record.params && shape == record.shape && input == record.input)
      return &record;
  return nullptr;
}

// The variant of a run, with its error class where that is not the standard one.
std::string name_of_run(const Json& run, const Record* record) {
  return with_class(run.at("variant").get<std::string>(),
                    record ? record->error_class : ErrorClass::standard);
}

double error_of(const Record* record, std::string_view name) {
  return record && record->outcome.measured() ? record->value(name) : no_value;
}

std::string digits(double error) { return std::isnan(error) ? "-" : fmt::format("{:.3g}", error); }

std::string title(const Json& part) {
  return fmt::format("{} {} on the {}", part.at("operation").get<std::string>(),
                     part.at("element").get<std::string>(),
                     backend_title(part.at("backend").get<std::string>()));
}

double size_of(const Json& part, const Json& shape) {
  return shape.at(part.at("dimension").get<std::string>()).get<double>();
}

// The sizes that do not change along the ladder.
std::string other_sizes(const Json& part) {
  Json shape = part.at("ladder").at(0);
  shape.erase(part.at("dimension").get<std::string>());
  return sizes_text(shape);
}

// The exponent x of an error that grows as size^x from the first rung to the last; NaN where it has none.
double growth(const Json& part, double first, double last) {
  const Json& ladder = part.at("ladder");
  return std::log(last / first) / std::log(size_of(part, ladder.back()) / size_of(part, ladder.front()));
}

std::vector<Json> runs_on_ladder(const Json& part) {
  std::vector<Json> runs;
  for (const Json& run : part.at("runs"))
    if (!run.at("normwise").get<bool>()) runs.push_back(run);
  return runs;
}

std::string markdown(const Document& document, const Json& part) {
  return errors_text(document, part, Style::markdown);
}
std::string full(const Document& document) {
  return fmt::format("{}\n{}\n", join_parts(document, markdown), theory);
}
std::string summary(const Document& document) { return measured_on(document) + "\n" + full(document); }

Chart growth_chart(const Document& document, const Json& part, const std::string& input) {
  Chart chart{.title = fmt::format("Errors of {}, {}, {} inputs", title(part), other_sizes(part), input),
              .x = part.at("dimension"),
              .y = fmt::format("max error, u of {}", part.at("relative_to").get<std::string>())};
  for (const Json& run : runs_on_ladder(part)) {
    Series series{.name = run.at("variant"), .family = Family::ours};
    for (const Json& shape : part.at("ladder")) {
      const Record* const record = record_of(document, part, run, shape, input);
      const double error = error_of(record, "max error");
      if (!(error > 0)) continue;
      series.family = family_of(*record);
      series.points.push_back({size_of(part, shape), error});
    }
    if (!series.points.empty() && chart.series.size() < max_lines) chart.series.push_back(std::move(series));
  }
  return chart;
}

Blocks page(const Document& document) {
  Blocks blocks{Paragraph{std::string(theory)}};
  for (const Json& part : document.plan) {
    for (const std::string input : part.at("inputs")) {
      Chart chart = growth_chart(document, part, input);
      if (!chart.series.empty()) blocks.emplace_back(std::move(chart));
      blocks.emplace_back(error_growth_grid(document, part, input));
    }
    blocks.emplace_back(errors_and_speeds_grid(document, part));
  }
  return blocks;
}

}  // namespace

Grid error_growth_grid(const Document& document, const Json& part, const std::string& input) {
  const Json& ladder = part.at("ladder");
  Grid grid{.caption = fmt::format("{}, {}, {} inputs: largest error in u of {}", title(part),
                                   other_sizes(part), input, part.at("relative_to").get<std::string>()),
            .columns = {{"variant", true}},
            .rows = {}};
  const std::string dimension = part.at("dimension");
  for (const Json& shape : ladder)
    grid.columns.push_back({fmt::format("{} = {}", dimension, shape.at(dimension).get<Index>())});
  grid.columns.push_back({fmt::format("grows as {}^", dimension)});
  for (const Json& run : runs_on_ladder(part)) {
    std::vector<std::string>& row = grid.rows.emplace_back();
    row.push_back(name_of_run(run, record_of(document, part, run, ladder.front(), input)));
    std::vector<double> errors;
    for (const Json& shape : ladder) {
      errors.push_back(error_of(record_of(document, part, run, shape, input), "max error"));
      row.push_back(digits(errors.back()));
    }
    const double exponent = growth(part, errors.front(), errors.back());
    row.push_back(std::isfinite(exponent) ? fmt::format("{:.2f}", exponent) : "-");
  }
  return grid;
}

Grid errors_and_speeds_grid(const Document& document, const Json& part) {
  const Json& timed = part.at("timed");
  const Json& inputs = part.at("inputs");
  Grid grid{.caption = fmt::format("{}, {}: errors in u of {} beside the speed", title(part),
                                   sizes_text(timed), part.at("relative_to").get<std::string>()),
            .columns = {{"variant", true}, {"ms"}, {"+- ms"}},
            .rows = {}};
  std::vector<const Record*> records;
  for (const Json& run : part.at("runs"))
    records.push_back(record_of(document, part, run, timed, inputs.at(0)));
  grid.columns.push_back({rate_title(records)});
  for (const std::string input : inputs)
    for (const char* const which : {"max", "mean"})
      grid.columns.push_back({fmt::format("{}, {}", input, which)});
  for (std::size_t i = 0; i < records.size(); ++i) {
    const Json& run = part.at("runs").at(i);
    std::vector<std::string>& row = grid.rows.emplace_back();
    row.push_back(name_of_run(run, records[i]));
    const double seconds = measured_seconds(records[i]);
    if (!(seconds > 0)) {
      row.push_back(reason_of(records[i]));
      row.resize(grid.columns.size());
      continue;
    }
    row.insert(row.end(), {figure(seconds * 1e3), figure(records[i]->seconds_spread() * 1e3),
                           figure(records[i]->rate())});
    for (const Json& input : inputs)
      for (const char* const name : {"max error", "mean error"})
        row.push_back(digits(error_of(record_of(document, part, run, timed, input), name)));
  }
  return grid;
}

std::string errors_text(const Document& document, const Json& part, Style style) {
  std::string text;
  for (const std::string input : part.at("inputs"))
    text += render(error_growth_grid(document, part, input), style) + "\n";
  text += render(errors_and_speeds_grid(document, part), style);
  return text;
}

const ReportKind errors_report{.kind = "errors", .full = full, .summary = summary, .page = page};

}  // namespace tallcache
