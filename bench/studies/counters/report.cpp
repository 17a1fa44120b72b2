#include "bench/studies/counters/counters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "bench/show/fit.hpp"
#include "bench/show/format.hpp"
#include "bench/show/kind.hpp"

namespace tallcache {
namespace {

std::vector<const Record*> records_of(const Document& document, const CountersPlan& part) {
  std::vector<const Record*> records;
  for (const Record& record : document.measurements)
    if (part.operation == record.operation && part.element == record.element && part.shape == record.shape)
      records.push_back(&record);
  return records;
}

const Quantity* count_of(const Record& record, const std::string& event) {
  const auto found = std::ranges::find(record.quantities, event, &Quantity::name);
  return found == record.quantities.end() ? nullptr : &*found;
}

// "1234"; "~1234" for an estimate; "-" where there is no count.
std::string shown(const Quantity* count) {
  if (!count || std::isnan(count->value)) return "-";
  return fmt::format("{}{:.0f}", count->at.contains("estimate") ? "~" : "", count->value);
}

// Every event that one of the records names, in order.
std::vector<std::string> events_of(const std::vector<const Record*>& records) {
  std::vector<std::string> events;
  for (const Record* record : records)
    for (const Quantity& count : record->quantities)
      if (std::ranges::find(events, count.name) == events.end()) events.push_back(count.name);
  return events;
}

// The reasons why events were counted in no record, each with its events.
std::string not_counted(const std::vector<const Record*>& records, const std::vector<std::string>& events) {
  std::map<std::string, std::vector<std::string>> by_reason;
  for (const std::string& event : events)
    for (const Record* record : records)
      if (const Quantity* count = count_of(*record, event); count && !count->reason.empty()) {
        by_reason[count->reason].push_back(event);
        break;
      }
  std::string text;
  for (const auto& [reason, absent_events] : by_reason)
    text +=
        fmt::format("\nNot counted, {}: {}{}\n", reason, absent_events.front(),
                    absent_events.size() > 1 ? fmt::format(" and {} more", absent_events.size() - 1) : "");
  return text;
}

std::string full(const Document& document) { return join_parts(document, counters_text); }

Grid counters_grid(const CountersPlan& part, const std::vector<const Record*>& records,
                   const std::vector<std::string>& events) {
  Grid grid{.caption = fmt::format("{} {}, {}:", part.operation, part.element, sizes_text(part.shape)),
            .columns = {{"event", true}}};
  for (const Record* record : records) grid.columns.push_back({record->variant + params_text(*record)});
  for (const std::string& event : events) {
    std::vector<std::string> row{event};
    for (const Record* record : records) row.push_back(shown(count_of(*record, event)));
    if (std::ranges::any_of(row.begin() + 1, row.end(), [](const std::string& cell) { return cell != "-"; }))
      grid.rows.push_back(std::move(row));
  }
  return grid;
}

// Which variants, and which events, were not counted, and why.
std::string absent_text(const std::vector<const Record*>& records, const std::vector<std::string>& events) {
  std::string text;
  for (const Record* record : records)
    if (!record->outcome.measured()) text += fmt::format("\n{}: {}\n", record->variant, reason_of(record));
  return text + not_counted(records, events);
}

Blocks page(const Document& document) {
  Blocks blocks;
  for (const CountersPlan& part : parts_of<CountersPlan>(document)) {
    const auto records = records_of(document, part);
    const auto events = events_of(records);
    blocks.emplace_back(counters_grid(part, records, events));
    if (std::string absent = absent_text(records, events); !absent.empty())
      blocks.emplace_back(Paragraph{absent.substr(1)});  // without the empty line before it
  }
  return blocks;
}

}  // namespace

std::string counters_text(const Document& document, const CountersPlan& part, Style style) {
  const auto records = records_of(document, part);
  const auto events = events_of(records);
  std::string absent = absent_text(records, events);
  if (style == Style::terminal) absent = wrapped_lines(absent, line_width());
  return render(counters_grid(part, records, events), style) + absent;
}

extern const ReportKind counters_report{
    .kind = "counters", .title = "Counted events", .full = full, .page = page};

}  // namespace tallcache
