#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/tables/counted_records.hpp"
#include "bench/tables/counting.hpp"
#include "bench/tables/list.hpp"
#include "bench/tables/timings.hpp"
#include "common/ops/gemv.hpp"
#include "common/ops/matmul.hpp"

namespace tallcache::slide_tables::gemv_gemm {
namespace {

// C = A B with each element's sum in a register: the textbook's GEMM, and with one column its GEMV.
template <class View>
void multiply(View c, View a, View b) {
  for (Index i = 0; i < c.rows; ++i)
    for (Index j = 0; j < c.cols; ++j) {
      typename View::value_type sum = a(i, 0) * b(0, j);
      for (Index k = 1; k < a.cols; ++k) sum = sum + a(i, k) * b(k, j);
      c(i, j) = sum;
    }
}

constexpr std::string_view id = "gemv-gemm";
constexpr Index counted_sizes[] = {16, 32, 64};

std::string counted_label(Index n) { return fmt::format("counted, N = {}", n); }

// A product of an n x n matrix with `cols` columns.
Record count(Index n, Index cols) {
  using Number = CountedNumber;
  std::vector<Number> a(n * n, {1}), b(n * cols, {1}), c(n * cols);
  CountingSink sink;
  const auto view = [&](std::vector<Number>& data, Index width) {
    return MatrixView<Number, Traced<CountingSink>>{data.data(), n, width, width, {&sink}};
  };
  Number::operations = 0;
  multiply(view(c, cols), view(a, n), view(b, cols));
  Record record =
      measured_record(cols == 1 ? "gemv" : "matmul", "textbook", "double", {{"m", n}, {"n", cols}, {"k", n}});
  const auto put = [&](const char* name, std::size_t value, const char* how) {
    add_count(record, name, static_cast<double>(value), Origin::model, how);
  };
  put("flops", Number::operations, "operations of a number that counts them");
  put("accesses", sink.accesses, "loads and stores through a traced view");
  put("elements", sink.elements.size(), "distinct elements through a traced view");
  return record;
}

struct Counts {
  double flops = no_value, accesses = no_value, elements = no_value;
};

Counts counts_of(const Inputs& inputs, Index n, Index cols) {
  for (const Record* record : records_of(inputs.document, id, counted_label(n)))
    if (record->shape.at("n") == cols)
      return {record->value("flops"), record->value("accesses"), record->value("elements")};
  return {};
}

// The speeds are measured at sizes of no other table, so that all are measured within the same minutes: a
// matrix times a vector by the suite's variants and by the libraries' product with one column, and a square
// product, whose second factor is as large as the first.
struct Speeds {
  TimedTable vector, column, square;

  Speeds() {
    const auto timed = [](const Operation& operation, std::string_view name, bool is_square, auto shape,
                          std::vector<Line> lines) {
      const auto at = [&](Index n, Scale from) {
        return Case{fmt::format("{}, N = {}", name, n), n == 40 ? 0 : n, shape(n), from};
      };
      return TimedTable{.id = id,
                        .operation = &operation,
                        .unit = "s",
                        .lines = std::move(lines),
                        .cases = {at(40, Scale::smoke), at(600, Scale::quick),
                                  at(4096, is_square ? Scale::full : Scale::quick)}};
    };
    vector = timed(operation_of<Gemv<double>>, "GEMV", false, tallcache::square,
                   {{"CPU, textbook", "rows"}, {"GPU, one warp a row", "warp_per_row", "", "", "gpu"}});
    column = timed(operation_of<Matmul<double>>, "GEMV as a product with one column", false,
                   [](Index n) {
                     return Shape{{"m", n}, {"n", 1}, {"k", n}};
                   },
                   {{"CPU, OpenBLAS", "openblas_best"}, {"GPU, cuBLAS", "cublas", "", "", "gpu"}});
    square = timed(operation_of<Matmul<double>>, "GEMM", true, cube,
                   {{"CPU, textbook", "transposed_tiled"},
                    {"CPU, OpenBLAS", "openblas_best"},
                    {"GPU, shared-memory tiled", "shared_memory_tiled", "", "", "gpu"},
                    {"GPU, cuBLAS", "cublas", "", "", "gpu"}});
  }
};

const Speeds& speeds() {
  static const Speeds speeds;
  return speeds;
}

std::vector<Row> rows(Scale scale, std::uint64_t seed) {
  std::vector<Row> rows;
  for (Index n : counted_sizes)
    rows.push_back({counted_label(n), [n] { return std::vector<Record>{count(n, 1), count(n, n)}; }});
  for (const TimedTable* timed : {&speeds().vector, &speeds().column, &speeds().square})
    for (Row& row : rows_of(*timed, scale, seed)) rows.push_back(std::move(row));
  return rows;
}

// The fastest variant of a backend in some tables at their case `index`.
struct Fastest {
  double gflop_per_s = no_value;
  std::string_view variant{};
  std::string absent{};  ///< those of the document that have no time
};
Fastest fastest_of(std::initializer_list<const Timings*> tables, std::size_t index,
                   std::string_view backend) {
  Fastest fastest;
  for (const Timings* timings : tables) {
    const Case& c = timings->table().cases[index];
    const Operation& operation = *timings->table().operation;
    const double flops = operation.cost(complete_shape(operation, c.shape)).flops;
    for (const Line& line : timings->table().lines) {
      if (line.backend != backend || !timings->record(c, line)) continue;
      const double rate = flops / timings->here(c, line) * 1e-9;
      if (std::isnan(rate))
        fastest.absent += fmt::format("{}{}", fastest.absent.empty() ? "" : ", ", line.variant);
      else if (!(rate <= fastest.gflop_per_s))
        fastest = {rate, line.variant, std::move(fastest.absent)};
    }
  }
  return fastest;
}

// The operations for each element of either, as counted at the largest size.
std::string counted_reuse(const Inputs& inputs) {
  const Index n = std::ranges::max(counted_sizes);
  const Counts vector = counts_of(inputs, n, 1), matrix = counts_of(inputs, n, n);
  if (std::isnan(vector.flops + matrix.flops)) return "";
  return fmt::format("Counted at N = {}, GEMM does {} flops an element and GEMV {}", n,
                     figure(matrix.flops / matrix.elements), figure(vector.flops / vector.elements));
}

// What was not measured may be the faster: then a rate that is lower without it decides nothing.
Finding finds_higher_rate(const Inputs& inputs, std::string text, const Fastest& fast, const Fastest& slow) {
  Finding finding{std::move(text), {}, "", ""};
  finding.figures = fmt::format("best GEMM {} GFLOP/s ({}), best GEMV {} GFLOP/s ({}): {}",
                                figure(fast.gflop_per_s), fast.variant, figure(slow.gflop_per_s),
                                slow.variant, times(fast.gflop_per_s / slow.gflop_per_s));
  const bool higher = fast.gflop_per_s > slow.gflop_per_s;
  const std::string& absent = higher ? slow.absent : fast.absent;
  if (absent.empty())
    finding.holds = higher;
  else
    finding.why = fmt::format("Not measured: {}", absent);
  if (finding.holds == true) finding.why = counted_reuse(inputs);
  return finding;
}

void compare_speeds(const Inputs& inputs, Report& report) {
  const Timings vector(speeds().vector, inputs), column(speeds().column, inputs),
      square(speeds().square, inputs);
  for (const Timings* timings : {&vector, &column, &square}) {
    Report part = report_of(*timings);
    report.grids.push_back(std::move(part.grids.front()));
    for (Chart& chart : part.charts) {
      chart.title = timings == &vector   ? "GEMV, a vector in a row"
                    : timings == &column ? "GEMV, a column"
                                         : "GEMM";
      report.charts.push_back(std::move(chart));
    }
  }
  for (std::size_t c = 0; c < speeds().square.cases.size(); ++c)
    for (std::string_view backend : {"cpu", "gpu"}) {
      const Fastest slow = fastest_of({&vector, &column}, c, backend),
                    fast = fastest_of({&square}, c, backend);
      if (std::isnan(slow.gflop_per_s) || std::isnan(fast.gflop_per_s)) continue;
      report.findings.push_back(finds_higher_rate(
          inputs,
          fmt::format("GEMM, with O(N) operations an element, runs at a higher rate than GEMV ({}, N = {})",
                      backend == "cpu" ? "CPU" : "GPU", speeds().square.cases[c].shape["m"]),
          fast, slow));
    }
}

/// The values of the slide's formulas at one size, beside the counts.
struct Comparison {
  Counts vector, matrix;              // counted
  Counts slide_vector, slide_matrix;  // `elements` is in no slide
  double n;

  Comparison(const Inputs& inputs, Index size)
      : vector(counts_of(inputs, size, 1)),
        matrix(counts_of(inputs, size, size)),
        n(static_cast<double>(size)) {
    slide_vector = {.flops = 3 * n * n - n, .accesses = 2 * n * n + n};
    slide_matrix = {.flops = 3 * n * n * n - n * n, .accesses = 3 * n * n};
  }
  bool counted() const { return !std::isnan(vector.flops + matrix.flops); }
  bool slide_flops() const {
    return vector.flops == slide_vector.flops && matrix.flops == slide_matrix.flops;
  }
  bool usual_flops() const { return vector.flops == 2 * n * n - n && matrix.flops == 2 * n * n * n - n * n; }
};

void add_counts(const Comparison& at, Grid& grid) {
  const auto add = [&](const char* what, auto value) {
    grid.rows.push_back({grid.rows.size() % 5 ? "" : figure(at.n), what, figure(value(at.slide_vector)),
                         figure(value(at.vector)), figure(value(at.slide_matrix)), figure(value(at.matrix))});
  };
  add("flops", [](const Counts& c) { return c.flops; });
  add("memory accesses: every load and store", [](const Counts& c) { return c.accesses; });
  add("distinct elements", [](const Counts& c) { return c.elements; });
  add("flops an access", [](const Counts& c) { return c.flops / c.accesses; });
  add("flops an element", [](const Counts& c) { return c.flops / c.elements; });
}

std::vector<Finding> finds_counts(const Json& formulas, std::span<const Comparison> sizes) {
  const auto formula = [&](int row, int column) { return formulas[row][column].get<std::string>(); };
  std::vector<Finding> findings{
      {fmt::format("GEMV does {} flops and GEMM {}", formula(0, 1), formula(0, 2)), {}, "", "Not counted"},
      {fmt::format("GEMV makes {} memory operations", formula(1, 1)), {}, "", "Not counted"},
      {fmt::format("GEMM makes {} memory operations", formula(1, 2)), {}, "", "Not counted"}};
  const auto all = [&](auto holds) { return std::ranges::all_of(sizes, holds); };
  if (!all(&Comparison::counted)) return findings;
  const bool flops = all(&Comparison::slide_flops);
  findings[0] = {findings[0].text, flops,
                 all(&Comparison::usual_flops) ? "2N^2 - N and 2N^3 - N^2 counted" : "see the table",
                 !flops && all(&Comparison::usual_flops)
                     ? "N products and N - 1 additions an element make 2N - 1; the slide counts N more"
                     : ""};
  const bool vector = all([](const Comparison& c) { return c.vector.accesses == c.slide_vector.accesses; });
  findings[1] = {findings[1].text, vector, "", ""};
  const bool accesses = all([](const Comparison& c) { return c.matrix.accesses == c.slide_matrix.accesses; });
  const bool elements = all([](const Comparison& c) { return c.matrix.elements == c.slide_matrix.accesses; });
  const bool usual =
      all([](const Comparison& c) { return c.matrix.accesses == 2 * c.n * c.n * c.n + c.n * c.n; });
  findings[2] = {findings[2].text, accesses,
                 elements && usual ? "3N^2 distinct elements counted, 2N^3 + N^2 accesses" : "see the table",
                 vector && elements && !accesses
                     ? "The slide counts every access of GEMV, but each element of GEMM only once"
                     : ""};
  return findings;
}

Report report(const Inputs& inputs) {
  Report report;
  Grid& grid = report.grids.emplace_back();
  grid.caption = "Counted in the textbook loops";
  grid.columns = {{"N"}, {"quantity", true}, {"GEMV slide"}, {"GEMV here"}, {"GEMM slide"}, {"GEMM here"}};
  std::vector<Comparison> sizes;
  for (Index n : counted_sizes) add_counts(sizes.emplace_back(inputs, n), grid);
  report.findings = finds_counts(inputs.slide.at("rows"), sizes);
  compare_speeds(inputs, report);
  return report;
}

}  // namespace

const Table table{id, "matrix times vector against matrix times matrix: operations and accesses", rows,
                  report};

}  // namespace tallcache::slide_tables::gemv_gemm
