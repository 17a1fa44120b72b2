#include <fmt/format.h>

#include <cmath>

#include "bench/tables/counting.hpp"
#include "bench/tables/ladder.hpp"
#include "bench/tables/list.hpp"
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

// Speeds, at sizes of no other table, so that both are measured in the same minutes: a product with one
// column against a square one, whose second factor is as large as the first.
Ladder speeds(bool gemm) {
  const auto shape = [gemm](Index n) { return Shape{{"m", n}, {"n", gemm ? n : 1}, {"k", n}}; };
  return {.id = "gemv-gemm",
          .operation = &operation_of<Matmul<double>>,
          .unit = "s",
          .per_second = 1,
          .lines = {{"textbook", gemm ? "transposed_tiled" : "naive"}, {"OpenBLAS", "openblas_best"}},
          .cases = {{gemm ? "GEMM, N = 40" : "GEMV, N = 40", 0, shape(40), Scale::smoke},
                    {gemm ? "GEMM, N = 600" : "GEMV, N = 600", 600, shape(600), Scale::quick},
                    {gemm ? "GEMM, N = 4096" : "GEMV, N = 4096", 4096, shape(4096),
                     gemm ? Scale::full : Scale::quick}}};
}

const Ladder& gemv() {
  static const Ladder ladder = speeds(false);
  return ladder;
}
const Ladder& gemm() {
  static const Ladder ladder = speeds(true);
  return ladder;
}

std::vector<Row> rows(Scale scale, std::uint64_t seed) {
  std::vector<Row> rows = ladder_rows(gemv(), scale, seed);
  for (Row& row : ladder_rows(gemm(), scale, seed)) rows.push_back(std::move(row));
  return rows;
}

// The fastest of a ladder's lines at its case `index`, in GFLOP/s; NaN when none was measured.
double best(const Climbed& climbed, std::size_t index) {
  double best = absent;
  const Case& c = climbed.ladder().cases[index];
  const Operation& operation = *climbed.ladder().operation;
  for (const Line& line : climbed.ladder().lines)
    best = std::fmax(best, per_second(operation.rate, operation.cost(complete_shape(operation, c.shape)),
                                      climbed.here(c, line)));
  return best;
}

void compare_speeds(const Inputs& inputs, Report& report) {
  const Climbed vector(gemv(), inputs), matrix(gemm(), inputs);
  for (const Climbed* climbed : {&vector, &matrix}) {
    Report part = ladder_report(*climbed);
    report.grids.push_back(std::move(part.grids.front()));
  }
  for (std::size_t c = inputs.scale == Scale::smoke ? 0 : 1; c < (inputs.scale == Scale::smoke ? 1 : 3);
       ++c) {
    const double slow = best(vector, c), fast = best(matrix, c);
    const std::string n = fmt::format("N = {}", gemv().cases[c].shape["m"]);
    if (std::isnan(slow) || std::isnan(fast)) continue;
    report.findings.push_back(
        {fmt::format("GEMM, with O(N) operations an element, runs at a higher rate than GEMV ({})", n),
         fast > slow, fmt::format("best GEMM {} GFLOP/s, best GEMV {} GFLOP/s", figure(fast), figure(slow)),
         fast > slow ? "GEMM uses each element it loads N times, GEMV uses each element of its matrix once"
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
