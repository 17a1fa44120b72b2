// A function of one's own beside the catalogue's: verified before and after, timed in turn. By CMake, or:
//   c++ -std=c++20 -O3 -march=native -o timed timed.cpp $(pkg-config --cflags --libs tallcache)
#include <tallcache/catalogue.hpp>
#include <tallcache/measure.hpp>

#include <cstdio>

using namespace tallcache;
struct Mine {
  static constexpr std::string_view idea = "rows of B times elements of A", source = "my own";
  using operations = OperationList<Matmul<double>>;
  static void call(const Launch&, const Matmul<double>::Args<>& args, const Params&) {
    zero(args.c);
    for (Index i = 0; i < args.c.rows; ++i)
      for (Index k = 0; k < args.b.rows; ++k)
        for (Index j = 0; j < args.c.cols; ++j) args.c(i, j) += args.a(i, k) * args.b(k, j);
  }
};

int main() {
  static constexpr auto mine = variant_records<Mine>("mine", "cpu", /*peer=*/false);
  const Operation& product = operation_of<Matmul<double>>;
  const auto executor = make_executor("cpu");
  Workspace workspace({.operation = &product, .shape = complete_shape(product, {{"m", 300}})}, *executor);
  const Candidate all[] = {{&mine[0]}, {&find_variant(product, "naive")}};
  for (const Measurement& m : measure(workspace, all, {.seconds = 0.1})) {
    std::printf("%s: %g +- %g s\n", m.candidate.variant->name.data(), m.median_s(), m.mad_s());
    if (!m.outcome.measured()) return 1;  // it is wrong, and m.outcome.reason says where
  }
}
