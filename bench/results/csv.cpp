#include "bench/results/csv.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>
#include <vector>

#include "bench/results/names.hpp"

namespace tallcache {
namespace {

using Line = std::vector<std::string>;

constexpr std::array columns{"kind",    "date",   "cpu",    "operation", "variant", "backend",
                             "element", "shape",  "params", "input",     "threads", "conditions",
                             "row",     "status", "reason", "quantity",  "unit",    "at",
                             "over",    "point",  "value",  "spread",    "samples", "source"};

std::string quoted(const std::string& field) {
  if (field.find_first_of(",\"\r\n") == field.npos) return field;
  std::string text = "\"";
  for (const char c : field) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + "\"";
}

std::string line_of(const Line& fields) {
  std::string text;
  for (const std::string& field : fields) text += (text.empty() ? "" : ",") + quoted(field);
  return text + "\r\n";
}

// The shortest text that reads back as the same number; empty for none.
std::string number(double value) { return std::isnan(value) ? "" : fmt::format("{}", value); }

// "m=8,n=8" of {"m": 8, "n": 8}.
std::string named(const Json& values) {
  std::string text;
  for (const auto& [name, value] : values.items())
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", name,
                        value.is_string() ? value.get<std::string>() : value.dump());
  return text;
}

void add_quantity(std::string& text, const Line& record, const Quantity& quantity, const std::string& over,
                  const std::string& point, double value) {
  Line line = record;
  line.insert(line.end(), {quantity.name, quantity.unit, named(quantity.at), over, point, number(value),
                           number(quantity.spread), std::to_string(quantity.samples.size()),
                           std::string(to_string(quantity.origin))});
  if (line[14].empty()) line[14] = quantity.reason;
  text += line_of(line);
}

void add_record(std::string& text, const Document& document, const Record& record) {
  const Line line{document.kind,
                  document.context.value("date", ""),
                  document.context.value("cpu", ""),
                  record.operation,
                  record.variant,
                  record.backend,
                  record.element,
                  named(record.shape),
                  named(record.params),
                  record.input,
                  std::to_string(record.threads),
                  named(record.conditions),
                  record.row,
                  std::string(to_string(record.outcome.status)),
                  record.outcome.reason};
  for (const Quantity& quantity : record.quantities) {
    if (quantity.values.empty()) add_quantity(text, line, quantity, "", "", quantity.value);
    for (std::size_t i = 0; i < quantity.values.size() && i < quantity.over.points.size(); ++i)
      add_quantity(text, line, quantity, quantity.over.name, number(quantity.over.points[i]),
                   quantity.values[i]);
  }
  if (record.quantities.empty()) {
    Line alone = line;
    alone.resize(columns.size());
    text += line_of(alone);
  }
}

}  // namespace

std::string csv_header() { return fmt::format("{}\r\n", fmt::join(columns, ",")); }

std::string csv_lines(const Document& document) {
  std::string text;
  for (const Record& limit : document.limits) add_record(text, document, limit);
  for (const Record& record : document.measurements) add_record(text, document, record);
  return text;
}

}  // namespace tallcache
