#include <fmt/format.h>

#include <array>
#include <cmath>

#include "bench/tables/counted_records.hpp"
#include "bench/tables/counting.hpp"
#include "bench/tables/list.hpp"
#include "common/fork/fork.hpp"
#include "cpu/matmul/naive.hpp"

namespace tallcache::slide_tables::matmul_accesses {
namespace {

/// 1024 coefficients of A = B C, with an inner dimension of 384; the names are the slide's.
struct Order {
  const char* label;
  Index rows, cols;
};
constexpr Index inner = 384;
constexpr Order orders[] = {{"one row", 1, 1024}, {"one 32 x 32 block", 32, 32}};
constexpr const char* matrices[] = {"A", "B", "C"};

// The distinct elements that the naive product's own text accesses.
std::vector<Record> count(const Order& order) {
  std::vector<double> a(order.rows * order.cols), b(order.rows * inner), c(inner * order.cols);
  CountingSink sinks[3];
  const auto view = [](std::vector<double>& data, Index m, Index n, CountingSink& sink) {
    return MatrixView<double, Traced<CountingSink>>{data.data(), m, n, n, {&sink}};
  };
  Serial fork;
  cpu::matmul::multiply_ijk(fork, view(a, order.rows, order.cols, sinks[0]),
                            view(b, order.rows, inner, sinks[1]), view(c, inner, order.cols, sinks[2]));
  Record record =
      measured_record("matmul", "naive", "double", {{"m", order.rows}, {"n", order.cols}, {"k", inner}});
  for (int i = 0; i < 3; ++i)
    add_count(record, "elements", static_cast<double>(sinks[i].elements.size()), Origin::model,
              "distinct elements through a traced view", {{"matrix", matrices[i]}});
  return {record};
}

std::vector<Row> rows(Scale, std::uint64_t) {
  std::vector<Row> rows;
  for (const Order& order : orders) rows.push_back({order.label, [&order] { return count(order); }});
  return rows;
}

constexpr std::string_view id = "matmul-accesses";

// The elements accessed of A, of B, of C, and in total.
using Counts = std::array<double, 4>;

Counts counts_of(const Inputs& inputs, const Order& order) {
  Counts counts{no_value, no_value, no_value, no_value};
  for (const Record* record : records_of(inputs.document, id, order.label)) {
    for (int i = 0; i < 3; ++i) counts[i] = record->value("elements", {{"matrix", matrices[i]}});
    counts[3] = counts[0] + counts[1] + counts[2];
  }
  return counts;
}

Finding finds_total(const Order& order, const Counts& slide, const Counts& here) {
  const double sum = slide[0] + slide[1] + slide[2];
  Finding finding{fmt::format("{}: {} elements are touched", order.label, figure(slide[3])), {}, {}, {}};
  if (std::isnan(here[3])) {
    finding.why = "Not counted";
    return finding;
  }
  finding.holds = slide[3] == here[3];
  finding.figures = fmt::format("{:.0f} counted", here[3]);
  finding.why =
      sum == slide[3]
          ? "The slide's terms add up to its total"
          : fmt::format("The slide's own terms, {} + {} + {}, add up to {}: its total is misprinted by {}",
                        figure(slide[0]), figure(slide[1]), figure(slide[2]), figure(sum),
                        figure(sum - slide[3]));
  return finding;
}

Report report(const Inputs& inputs) {
  Report report;
  Grid& grid = report.grids.emplace_back();
  grid.columns = {{"1024 coefficients as", true},
                  {"in A slide"},
                  {"in A here"},
                  {"in B slide"},
                  {"in B here"},
                  {"in C slide"},
                  {"in C here"},
                  {"total slide"},
                  {"total here"}};
  double slide_totals[2], totals[2];
  for (int i = 0; i < 2; ++i) {
    const Json& row = inputs.slide.at("rows")[i];
    const Counts slide{row[1], row[2], row[3], row[4]}, here = counts_of(inputs, orders[i]);
    auto& cells = grid.rows.emplace_back(std::vector<std::string>{orders[i].label});
    for (int c = 0; c < 4; ++c)
      cells.insert(cells.end(),
                   {figure(slide[c]), std::isnan(here[c]) ? why_absent(inputs.document, id, orders[i].label)
                                                          : fmt::format("{:.0f}", here[c])});
    report.findings.push_back(finds_total(orders[i], slide, here));
    slide_totals[i] = slide[3];
    totals[i] = here[3];
  }
  const double here = totals[0] / totals[1], slide = slide_totals[0] / slide_totals[1];
  Finding fewer{"a block touches fewer elements than a row of as many coefficients", {}, "", "Not counted"};
  if (!std::isnan(here)) {
    fewer = {fewer.text, here > 1, fmt::format("{} fewer here (slide {})", times(here), times(slide)), ""};
    report.ratios.push_back({"1024 coefficients", "elements touched, a row over a block", slide, here});
  }
  report.findings.push_back(std::move(fewer));
  report.notes.push_back(
      "Counted, not computed: distinct elements that the naive product's own text touches through a traced "
      "view, on 1 x 384 times 384 x 1024 and on 32 x 384 times 384 x 32.");
  return report;
}

}  // namespace

const Table table{id, "elements touched for 1024 coefficients, by row and by block", rows, report};

}  // namespace tallcache::slide_tables::matmul_accesses
