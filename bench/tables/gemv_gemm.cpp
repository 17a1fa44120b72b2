#include <fmt/format.h>

#include <cmath>

#include "bench/tables/counting.hpp"
#include "bench/tables/ladder.hpp"
#include "bench/tables/list.hpp"
#include "common/ops/gemv.hpp"
#include "common/ops/matmul.hpp"

namespace tallcache {
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

struct Counts {
  double flops, accesses, elements;
};

Counts count(Index n, Index cols) {
  using Number = CountedNumber;
  std::vector<Number> a(n * n, {1}), b(n * cols, {1}), c(n * cols);
  CountingSink sink;
  const auto view = [&](std::vector<Number>& data, Index width) {
    return MatrixView<Number, Traced<CountingSink>>{data.data(), n, width, width, {&sink}};
  };
  Number::operations = 0;
  multiply(view(c, cols), view(a, n), view(b, cols));
  return {static_cast<double>(Number::operations), static_cast<double>(sink.accesses),
          static_cast<double>(sink.elements.size())};
}

// Speeds, at sizes of no other table, so that all are measured in the same minutes: a matrix times a vector
// by the suite's variants, and by the libraries' product with one column, against a square product, whose
// second factor is as large as the first.
struct Speeds {
  Ladder vector, column, square;

  Speeds() {
    const auto ladder = [](const Operation& operation, std::string_view name, bool is_square, auto shape,
                           std::vector<Line> lines) {
      const auto at = [&](Index n, Scale from) {
        return Case{fmt::format("{}, N = {}", name, n), n == 40 ? 0 : n, shape(n), from};
      };
      return Ladder{.id = "gemv-gemm",
                    .operation = &operation,
                    .unit = "s",
                    .per_second = 1,
                    .lines = std::move(lines),
                    .cases = {at(40, Scale::smoke), at(600, Scale::quick),
                              at(4096, is_square ? Scale::full : Scale::quick)}};
    };
    vector = ladder(operation_of<Gemv<double>>, "GEMV", false, tallcache::square,
                    {{"CPU, textbook", "rows"}, {"GPU, one warp a row", "warp_a_row", "", "", Backend::gpu}});
    column = ladder(operation_of<Matmul<double>>, "GEMV as a product with one column", false,
                    [](Index n) {
                      return Shape{{"m", n}, {"n", 1}, {"k", n}};
                    },
                    {{"CPU, OpenBLAS", "openblas_best"}, {"GPU, cuBLAS", "cublas", "", "", Backend::gpu}});
    square = ladder(operation_of<Matmul<double>>, "GEMM", true, cube,
                    {{"CPU, textbook", "transposed_tiled"},
                     {"CPU, OpenBLAS", "openblas_best"},
                     {"GPU, shared-memory tiled", "shared_memory_tiled", "", "", Backend::gpu},
                     {"GPU, cuBLAS", "cublas", "", "", Backend::gpu}});
  }
};

const Speeds& speeds() {
  static const Speeds speeds;
  return speeds;
}

std::vector<Row> rows(Scale scale, std::uint64_t seed) {
  std::vector<Row> rows;
  for (const Ladder* ladder : {&speeds().vector, &speeds().column, &speeds().square})
    for (Row& row : ladder_rows(*ladder, scale, seed)) rows.push_back(std::move(row));
  return rows;
}

// The fastest on a backend of some ladders at their case `index`, in GFLOP/s; NaN when none was measured.
double best(std::initializer_list<const Climbed*> ladders, std::size_t index, Backend backend) {
  double best = absent;
  for (const Climbed* climbed : ladders) {
    const Case& c = climbed->ladder().cases[index];
    const Operation& operation = *climbed->ladder().operation;
    const double flops = operation.cost(complete_shape(operation, c.shape)).flops;
    for (const Line& line : climbed->ladder().lines)
      if (line.backend == backend) best = std::fmax(best, flops / climbed->here(c, line) * 1e-9);
  }
  return best;
}

void compare_speeds(const Inputs& inputs, Report& report) {
  const Climbed vector(speeds().vector, inputs), column(speeds().column, inputs),
      square(speeds().square, inputs);
  for (const Climbed* climbed : {&vector, &column, &square}) {
    Report part = ladder_report(*climbed);
    report.grids.push_back(std::move(part.grids.front()));
  }
  for (std::size_t c = 0; c < speeds().square.cases.size(); ++c)
    for (Backend backend : {Backend::cpu, Backend::gpu}) {
      const double slow = best({&vector, &column}, c, backend), fast = best({&square}, c, backend);
      if (std::isnan(slow) || std::isnan(fast)) continue;
      report.findings.push_back(
          {fmt::format("GEMM, with O(N) operations an element, runs at a higher rate than GEMV ({}, N = {})",
                       backend == Backend::cpu ? "CPU" : "GPU", speeds().square.cases[c].shape["m"]),
           fast > slow,
           fmt::format("best GEMM {} GFLOP/s, best GEMV {} GFLOP/s: {}", figure(fast), figure(slow),
                       times(fast / slow)),
           fast > slow
               ? "GEMM uses each element it loads N times, GEMV uses each element of its matrix once"
               : "GEMM's loops run no faster here than GEMV's stream their matrix: the reuse is there, "
                 "but something other than memory limits these loops"});
    }
}

Report report(const Inputs& inputs) {
  Report report;
  Grid& grid = report.grids.emplace_back();
  grid.caption = "Counted in the textbook loops";
  grid.columns = {{"N"}, {"quantity", true}, {"GEMV slide"}, {"GEMV here"}, {"GEMM slide"}, {"GEMM here"}};
  bool slide_flops = true, usual_flops = true, vector_accesses = true, matrix_accesses = true,
       matrix_elements = true;
  for (Index n : {16, 32, 64}) {
    const double N = static_cast<double>(n);
    const Counts v = count(n, 1), m = count(n, n);
    const double v_flops = 3 * N * N - N, m_flops = 3 * N * N * N - N * N, v_memory = 2 * N * N + N,
                 m_memory = 3 * N * N;
    slide_flops = slide_flops && v.flops == v_flops && m.flops == m_flops;
    usual_flops = usual_flops && v.flops == 2 * N * N - N && m.flops == 2 * N * N * N - N * N;
    vector_accesses = vector_accesses && v.accesses == v_memory;
    matrix_accesses = matrix_accesses && m.accesses == m_memory;
    matrix_elements = matrix_elements && m.elements == m_memory;
    const auto add = [&](const char* what, double vs, double vh, double ms, double mh) {
      grid.rows.push_back({grid.rows.size() % 5 ? "" : fmt::format("{}", n), what, figure(vs), figure(vh),
                           figure(ms), figure(mh)});
    };
    add("flops", v_flops, v.flops, m_flops, m.flops);
    add("memory accesses: every load and store", v_memory, v.accesses, m_memory, m.accesses);
    add("distinct elements", absent, v.elements, absent, m.elements);
    add("flops an access", v_flops / v_memory, v.flops / v.accesses, m_flops / m_memory,
        m.flops / m.accesses);
    add("flops an element", absent, v.flops / v.elements, absent, m.flops / m.elements);
  }
  const Json& formulas = inputs.slide.at("rows");
  const auto formula = [&](int row, int column) { return formulas[row][column].get<std::string>(); };
  report.findings = {
      {fmt::format("GEMV does {} flops and GEMM {}", formula(0, 1), formula(0, 2)), slide_flops,
       usual_flops ? "2N^2 - N and 2N^3 - N^2 counted" : "see the table",
       slide_flops ? "" : "N products and N - 1 additions an element make 2N - 1; the slide counts N more"},
      {fmt::format("GEMV makes {} memory operations", formula(1, 1)), vector_accesses, "",
       "That is every access: both operands of each product loaded, each sum stored once"},
      {fmt::format("GEMM makes {} memory operations", formula(1, 2)), matrix_accesses,
       matrix_elements ? "3N^2 distinct elements counted, 2N^3 + N^2 accesses" : "see the table",
       matrix_accesses
           ? ""
           : "The slide counts every access of GEMV, but each element of GEMM only once: O(N) operations "
             "an access need a cache, or registers, that keep the elements"},
  };
  compare_speeds(inputs, report);
  return report;
}

}  // namespace

const Table gemv_gemm_table{
    "gemv-gemm", "matrix times vector against matrix times matrix: operations and accesses", rows, report};

}  // namespace tallcache
