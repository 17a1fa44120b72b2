#include "bench/studies/errors/errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/show/charts.hpp"
#include "bench/show/format.hpp"
#include "bench/show/kind.hpp"

namespace tallcache {
namespace {

// What the sums of a product, and of every operation with long sums, are known to lose.
constexpr std::string_view theory_of_sums =
    "A sum of k products in order has an error of at most k u of the products' magnitudes, one of blocks of "
    "b products (b + k/b) u, and one of halves (log2 k + 1) u; errors of either sign add up to about the "
    "square root of these (Higham, Accuracy and Stability of Numerical Algorithms, 2002, 3.1 and 4.2; "
    "Castaldo, Whaley, Chronopoulos, Reducing floating point error in dot product using the superblock "
    "family of algorithms, 2008; Higham, Mary, 2019). Strassen's product has a bound by norms alone (Higham "
    "2002, 23.2.2).";

// Those of the parts, each once.
std::string theories(const Document& document) {
  std::vector<std::string> list;
  for (const ErrorsPlan& plan : parts_of<ErrorsPlan>(document))
    if (const std::string theory = plan.theory.value_or(std::string(theory_of_sums));
        std::ranges::find(list, theory) == list.end())
      list.push_back(theory);
  return fmt::format("{}", fmt::join(list, " "));
}

const Record* record_of(const Document& document, const ErrorsPlan& plan, const ErrorsRun& run,
                        const Json& shape, const std::string& input) {
  for (const Record& record : document.measurements)
    if (plan.operation == record.operation && plan.element == record.element &&
        plan.backend == record.backend && run.variant == record.variant && run.params == record.params &&
        shape == record.shape && input == record.input)
      return &record;
  return nullptr;
}

// The variant of a run, with its parameters where others have it too, and with its error class where that is
// not the standard one.
std::string name_of_run(const ErrorsPlan& plan, const ErrorsRun& run, const Record* record) {
  const bool is_alone = std::ranges::count(plan.runs, run.variant, &ErrorsRun::variant) == 1;
  return with_class(run.variant + (is_alone || !record ? "" : params_text(*record)),
                    record ? record->error_class : ErrorClass::standard);
}

double error_of(const Record* record, std::string_view name) {
  return record && record->outcome.measured() ? record->value(name) : no_value;
}

std::string digits(double error) { return std::isnan(error) ? "-" : fmt::format("{:.3g}", error); }

std::string title(const ErrorsPlan& plan) {
  return fmt::format("{} {} on the {}", plan.operation, plan.element, backend_title(plan.backend));
}

// What is transformed or multiplied: the inputs, and the sizes that do not change along the ladder.
std::string inputs_text(const ErrorsPlan& plan, const std::string& input) {
  Json shape = plan.ladder.at(0);
  shape.erase(plan.dimension);
  return fmt::format("{}{}{} inputs", sizes_text(shape), shape.empty() ? "" : ", ", input);
}

// The exponent x of an error that grows as size^x from the first rung to the last; NaN where it has none.
double growth(const ErrorsPlan& plan, double first, double last) {
  return std::log(last / first) /
         std::log(plan.size_of(plan.ladder.back()) / plan.size_of(plan.ladder.front()));
}

std::vector<ErrorsRun> runs_on_ladder(const ErrorsPlan& plan) {
  std::vector<ErrorsRun> runs = plan.runs;
  std::erase_if(runs, [](const ErrorsRun& run) { return run.normwise; });
  return runs;
}

std::string full(const Document& document) {
  return fmt::format("{}\n{}\n", join_parts(document, errors_text), theories(document));
}

Chart growth_chart(const Document& document, const ErrorsPlan& plan, const std::string& input) {
  Chart chart{.title = fmt::format("Errors of {}, {}", title(plan), inputs_text(plan, input)),
              .x = plan.dimension,
              .y = fmt::format("max error, u of {}", plan.relative_to)};
  for (const ErrorsRun& run : runs_on_ladder(plan)) {
    Series series{.name = run.variant, .family = Family::ours};
    for (const Json& shape : plan.ladder) {
      const Record* const record = record_of(document, plan, run, shape, input);
      const double error = error_of(record, "max error");
      if (!(error > 0)) continue;
      series.family = family_of(*record);
      series.points.push_back({plan.size_of(shape), error});
    }
    if (!series.points.empty()) chart.series.push_back(std::move(series));
  }
  return chart;
}

Blocks page(const Document& document) {
  Blocks blocks{Paragraph{theories(document)}};
  for (const ErrorsPlan& plan : parts_of<ErrorsPlan>(document)) {
    for (const std::string& input : plan.inputs) {
      if (Chart chart = growth_chart(document, plan, input); !chart.series.empty())
        blocks.emplace_back(std::move(chart));
      blocks.emplace_back(error_growth_grid(document, plan, input));
    }
    blocks.emplace_back(errors_and_speeds_grid(document, plan));
  }
  return blocks;
}

}  // namespace

Grid error_growth_grid(const Document& document, const ErrorsPlan& plan, const std::string& input) {
  Grid grid{.caption = fmt::format("{}, {}: largest error in u of {}", title(plan), inputs_text(plan, input),
                                   plan.relative_to),
            .columns = {{"variant", true}}};
  for (const Json& shape : plan.ladder)
    grid.columns.push_back({fmt::format("{} = {}", plan.dimension, shape.at(plan.dimension).get<Index>())});
  grid.columns.push_back({fmt::format("grows as {}^", plan.dimension)});
  for (const ErrorsRun& run : runs_on_ladder(plan)) {
    std::vector<std::string>& row = grid.rows.emplace_back();
    row.push_back(name_of_run(plan, run, record_of(document, plan, run, plan.ladder.front(), input)));
    std::vector<double> errors;
    for (const Json& shape : plan.ladder) {
      errors.push_back(error_of(record_of(document, plan, run, shape, input), "max error"));
      row.push_back(digits(errors.back()));
    }
    const double exponent = growth(plan, errors.front(), errors.back());
    row.push_back(std::isfinite(exponent) ? fmt::format("{:.2f}", exponent) : "-");
  }
  return grid;
}

Grid errors_and_speeds_grid(const Document& document, const ErrorsPlan& plan) {
  Grid grid{.caption = fmt::format("{}, {}: errors in u of {} beside the speed", title(plan),
                                   sizes_text(plan.timed), plan.relative_to),
            .columns = {{"variant", true}, {"median"}, {"+-"}}};
  std::vector<const Record*> records;
  for (const ErrorsRun& run : plan.runs)
    records.push_back(record_of(document, plan, run, plan.timed, plan.inputs.at(0)));
  grid.columns.push_back({rate_title(records)});
  for (const std::string& input : plan.inputs)
    for (const char* const which : {"max", "mean"})
      grid.columns.push_back({fmt::format("{}, {}", input, which)});
  for (std::size_t i = 0; i < records.size(); ++i) {
    const ErrorsRun& run = plan.runs.at(i);
    std::vector<std::string>& row = grid.rows.emplace_back();
    row.push_back(name_of_run(plan, run, records[i]));
    const double seconds = measured_seconds(records[i]);
    if (!(seconds > 0)) {
      row.push_back(reason_of(records[i]));
      row.resize(grid.columns.size());
      continue;
    }
    row.insert(row.end(),
               {duration(seconds), duration(records[i]->seconds_spread()), figure(records[i]->rate())});
    for (const std::string& input : plan.inputs)
      for (const char* const name : {"max error", "mean error"})
        row.push_back(digits(error_of(record_of(document, plan, run, plan.timed, input), name)));
  }
  return grid;
}

std::string errors_text(const Document& document, const ErrorsPlan& plan, Style style) {
  std::string text;
  for (const std::string& input : plan.inputs)
    text += render(error_growth_grid(document, plan, input), style) + "\n";
  text += render(errors_and_speeds_grid(document, plan), style);
  return text;
}

extern const ReportKind errors_report{.kind = "errors",
                                      .title = "Errors beside speeds",
                                      .full = full,
                                      .summary = full,
                                      .by_record = true,
                                      .page = page};

}  // namespace tallcache
