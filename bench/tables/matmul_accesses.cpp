#include <fmt/format.h>

#include "bench/tables/counting.hpp"
#include "bench/tables/list.hpp"
#include "cpu/matmul/naive.hpp"

namespace tallcache {
namespace {

struct Counts {
  std::size_t a, b, c;
  std::size_t total() const { return a + b + c; }
};

// A = B C as the slide names them: A is rows x cols, the inner dimension 384 or, for tests of the form, any.
Counts count(Index rows, Index inner, Index cols) {
  std::vector<double> a(rows * cols), b(rows * inner), c(inner * cols);
  CountingSink in_a, in_b, in_c;
  const auto view = [](std::vector<double>& data, Index m, Index n, CountingSink& sink) {
    return MatrixView<double, Traced<CountingSink>>{data.data(), m, n, n, {&sink}};
  };
  Serial fork;
  cpu::matmul::multiply_ijk(fork, view(a, rows, cols, in_a), view(b, rows, inner, in_b),
                            view(c, inner, cols, in_c));
  return {in_a.elements.size(), in_b.elements.size(), in_c.elements.size()};
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
  const Counts counted[] = {count(1, 384, 1024), count(32, 384, 32)};
  const char* const labels[] = {"one row", "one 32 x 32 block"};
  double printed_total[2];
  for (int order = 0; order < 2; ++order) {
    const Json& row = inputs.slide.at("rows")[order];
    const double printed[] = {row[1], row[2], row[3], row[4]};
    const Counts& here = counted[order];
    const std::size_t figures[] = {here.a, here.b, here.c, here.total()};
    auto& cells = grid.rows.emplace_back(std::vector<std::string>{labels[order]});
    for (int i = 0; i < 4; ++i)
      cells.insert(cells.end(), {figure(printed[i]), fmt::format("{}", figures[i])});
    const double sum = printed[0] + printed[1] + printed[2];
    printed_total[order] = printed[3];
    report.findings.push_back(
        {fmt::format("{}: {} elements are touched", labels[order], figure(printed[3])),
         printed[3] == static_cast<double>(here.total()), fmt::format("{} counted", here.total()),
         sum == printed[3]
             ? "The slide's terms add up to its total"
             : fmt::format("The slide's own terms, {} + {} + {}, add up to {}: its total is misprinted by {}",
                           figure(printed[0]), figure(printed[1]), figure(printed[2]), figure(sum),
                           figure(sum - printed[3]))});
  }
  const double here = static_cast<double>(counted[0].total()) / counted[1].total();
  const double slide = printed_total[0] / printed_total[1];
  report.findings.push_back({"a block touches fewer elements than a row of as many coefficients",
                             counted[1].total() < counted[0].total(),
                             fmt::format("{} fewer here (slide {})", times(here), times(slide)),
                             "A column of the second factor serves all rows of the block"});
  report.ratios.push_back({"1024 coefficients", "elements touched, a row over a block", slide, here});
  report.notes.push_back(
      "Counted, not computed: distinct elements that the naive product's own text touches through a traced "
      "view, on "
      "1 x 384 times 384 x 1024 and on 32 x 384 times 384 x 32.");
  return report;
}

}  // namespace

const Table matmul_accesses_table{"matmul-accesses",
                                  "elements touched for 1024 coefficients, by row and by block",
                                  [](Scale, std::uint64_t) { return std::vector<Row>{}; }, report};

}  // namespace tallcache
