#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/show/format.hpp"
#include "bench/show/kind.hpp"
#include "bench/studies/tune/tune.hpp"

namespace tallcache {
namespace {

constexpr double least_gain = 1.01;

const Record* find_record(const Document& document, const TunePart& part, const std::string& of, int value) {
  for (const Record& record : document.measurements)
    if (record.row == row_of(part.field, value) && case_of(record) == of) return &record;
  return nullptr;
}

bool is_right(const Document& document, const TunePart& part, int value) {
  return std::ranges::all_of(part.cases, [&](const std::string& of) {
    return measured_seconds(find_record(document, part, of, value)) > 0;
  });
}

bool is_wrong(const Document& document, const TunePart& part, int value) {
  return std::ranges::any_of(part.cases, [&](const std::string& of) {
    const Record* const record = find_record(document, part, of, value);
    return record && record->outcome.status == Status::wrong;
  });
}

// "1.234 ms +- 0.2 %", or why there is no time.
std::string time_text(const Record* record) {
  const double seconds = measured_seconds(record);
  if (!(seconds > 0)) return reason_of(record);
  return fmt::format("{} +- {}", duration(seconds), percent(record->seconds_spread() / seconds, 1));
}

std::string caption_of(const Document& document, const TunePart& part) {
  const int chosen = chosen_value(document, part);
  std::string text = fmt::format("{}, {}: ", part.field, part.what);
  if (chosen == part.before) return text + fmt::format("{} stays", chosen);
  text += fmt::format("{} in place of {}", chosen, part.before);
  const Gain gain = gain_of(document, part, chosen);
  return gain.times > 0 ? text + fmt::format(", {:.3f} +- {:.3f} times as fast", gain.times, gain.deviation)
                        : text;
}

std::string text(const Document& document, const TunePart& part, Style style) {
  return render(tune_grid(document, part), style);
}
std::string full(const Document& document) { return join_parts(document, text); }

}  // namespace

std::vector<int> tried_values(const gpu::TunedField& field, int before) {
  std::vector<int> values(field.tried.begin(), field.tried.end());
  if (std::ranges::find(values, before) == values.end()) values.push_back(before);
  std::ranges::sort(values);
  return values;
}

std::string case_of(const Record& record) {
  return fmt::format("{} {} {} {}", record.operation, record.element, record.variant,
                     sizes_text(record.shape, "=", ","));
}

std::string row_of(const std::string& field, int value) { return fmt::format("{}={}", field, value); }

Gain gain_of(const Document& document, const TunePart& part, int value) {
  double log_sum = 0, variance = 0;
  for (const std::string& of : part.cases) {
    const Record* const before = find_record(document, part, of, part.before);
    const Record* const other = find_record(document, part, of, value);
    const double old_s = measured_seconds(before), new_s = measured_seconds(other);
    if (!(old_s > 0) || !(new_s > 0)) return {no_value, no_value};
    log_sum += std::log(old_s / new_s);
    if (value != part.before)
      variance +=
          std::pow(before->seconds_spread() / old_s, 2) + std::pow(other->seconds_spread() / new_s, 2);
  }
  const auto cases = static_cast<double>(part.cases.size());
  const double times = std::exp(log_sum / cases);
  return {times, times * std::sqrt(variance) / cases};
}

int chosen_value(const Document& document, const TunePart& part) {
  int best = part.before;
  Gain most{1, 0};
  if (is_wrong(document, part, part.before)) {
    const auto other = std::ranges::find_if(part.tried, [&](int v) { return is_right(document, part, v); });
    return other == part.tried.end() ? part.before : *other;
  }
  for (const int value : part.tried) {
    const Gain gain = gain_of(document, part, value);
    if (gain.times > most.times && gain.times >= least_gain && gain.times - 1 >= 2 * gain.deviation)
      best = value, most = gain;
  }
  return best;
}

gpu::Tuning chosen_tuning(const Document& document, const gpu::Tuning& before) {
  gpu::Tuning tuning = before;
  for (const TunePart& part : parts_of<TunePart>(document))
    tuning.*gpu::tuned_field(part.field).value = chosen_value(document, part);
  return tuning;
}

Grid tune_grid(const Document& document, const TunePart& part) {
  Grid grid{.caption = caption_of(document, part) + ":", .columns = {{"value"}}};
  for (const std::string& of : part.cases) grid.columns.push_back({of});
  grid.columns.push_back({"times as fast"});
  const int chosen = chosen_value(document, part);
  for (const int value : part.tried) {
    std::vector<std::string> row{fmt::format("{}{}", value, value == chosen ? " *" : "")};
    for (const std::string& of : part.cases) row.push_back(time_text(find_record(document, part, of, value)));
    const Gain gain = gain_of(document, part, value);
    row.push_back(gain.times > 0 ? fmt::format("{:.3f} +- {:.3f}", gain.times, gain.deviation) : "-");
    grid.rows.push_back(std::move(row));
  }
  return grid;
}

extern const ReportKind tune_report{.kind = "tune", .title = "tuning", .full = full, .summary = full};

}  // namespace tallcache
