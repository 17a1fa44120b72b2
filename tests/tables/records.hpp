// Stored records of a machine that is not this one, and what the slides' tables report of them.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/commands/commands.hpp"
#include "bench/tables/table.hpp"
#include "common/catalogue.hpp"

namespace tallcache::test {

inline Document document_of(const char* mode = "quick", int cores = 64) {
  return {.kind = "reproduce",
          .context = {{"cpu", "Z80"},
                      {"usable_cores", cores},
                      {"mode", mode},
                      {"seed", 1},
                      {"date", "1976-07-01T00:00:00Z"},
                      {"build", {{"compiler", "zcc 1.0"}, {"flags", "-O0"}, {"commit", "0123456789ab"}}}}};
}

inline Record timed(std::string_view operation, std::string_view element, std::string_view variant,
                    const Shape& shape, double seconds, double spread = 0, int threads = 1) {
  const Operation& op = find_operation(operation, element);
  Record record{.operation = std::string(operation),
                .variant = std::string(variant),
                .backend = "cpu",
                .element = std::string(element)};
  record.shape = to_json(complete_shape(op, shape));
  record.input = op.inputs.front();
  record.threads = threads;
  record.outcome.status = Status::measured;
  record.quantities = {
      {.name = "time", .unit = "s", .value = seconds, .spread = spread, .samples = {seconds}}};
  return record;
}

inline Record product(std::string_view variant, Index n, double seconds, double spread = 0) {
  return timed("matmul", "double", variant, {{"m", n}, {"n", n}, {"k", n}}, seconds, spread);
}

inline Record counted(std::string row, Json shape, std::vector<Quantity> quantities) {
  Record record{.operation = "counted", .variant = "any", .backend = "cpu"};
  record.shape = std::move(shape);
  record.row = std::move(row);
  record.outcome.status = Status::measured;
  record.quantities = std::move(quantities);
  return record;
}

inline Quantity number(std::string name, double value, Json at = Json::object()) {
  return {.name = std::move(name), .unit = "1", .value = value, .origin = Origin::model, .at = std::move(at)};
}

inline Report reported(std::string_view table, const Document& document) {
  return report_of(find_table(table), document);
}

// The cell of a column in the row of these first cells.
inline std::string cell(const Grid& grid, const std::string& size, const std::string& variant,
                        const std::string& column) {
  const auto at = std::ranges::find(grid.columns, column, &Column::title);
  if (at == grid.columns.end()) return "no column " + column;
  std::string last;
  for (const auto& row : grid.rows) {
    if (!row[0].empty()) last = row[0];
    if (last == size && row[1] == variant) return row[static_cast<std::size_t>(at - grid.columns.begin())];
  }
  return "no row " + size + ", " + variant;
}

inline const Finding& finding(const Report& report, std::string_view begin) {
  for (const Finding& finding : report.findings)
    if (finding.text.starts_with(begin)) return finding;
  throw Error("no finding " + std::string(begin));
}

inline const Ratio& ratio(const Report& report, std::string_view what) {
  for (const Ratio& ratio : report.ratios)
    if (ratio.what == what) return ratio;
  throw Error("no ratio " + std::string(what));
}

using Holds = std::optional<bool>;

inline Document accesses_of(double row_of_c) {
  Document document = document_of();
  const auto put = [&](const char* row, double a, double b, double c) {
    document.put(counted(row, {{"m", 1}},
                         {number("elements", a, {{"matrix", "A"}}), number("elements", b, {{"matrix", "B"}}),
                          number("elements", c, {{"matrix", "C"}})}));
  };
  put("matmul-accesses: one row", 1024, 384, row_of_c);
  put("matmul-accesses: one 32 x 32 block", 1024, 12288, 12288);
  return document;
}

}  // namespace tallcache::test
