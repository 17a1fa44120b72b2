// Every public header in one program, and what each is for.
#include <tallcache/catalogue.hpp>
#include <tallcache/edit_distance.hpp>
#include <tallcache/factor.hpp>
#include <tallcache/fork.hpp>
#include <tallcache/matmul.hpp>
#include <tallcache/measure.hpp>
#include <tallcache/paths.hpp>
#include <tallcache/qr.hpp>
#include <tallcache/solve.hpp>
#include <tallcache/sort.hpp>
#include <tallcache/stencil.hpp>
#include <tallcache/trace.hpp>
#include <tallcache/transpose.hpp>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <span>
#include <vector>

using namespace tallcache;

namespace {

bool sorts() {
  std::vector<std::uint32_t> in{5, 3, 9, 3, 0}, out(5), payload{0, 1, 2, 3, 4}, moved(5);
  counting_sort({out.data(), 5}, {in.data(), 5}, 9);
  if (!std::ranges::is_sorted(out)) return false;
  counting_sort({out.data(), 5}, {moved.data(), 5}, {in.data(), 5}, {payload.data(), 5}, 9);
  return moved == std::vector<std::uint32_t>{4, 1, 3, 0, 2};
}

// std::span and what converts to it, in place of views and iterators.
bool takes_spans() {
  std::vector<std::uint32_t> in{5, 3, 9, 3, 0}, out(5), payload{0, 1, 2, 3, 4}, moved(5);
  counting_sort(out, std::span(in), 9);
  if (!std::ranges::is_sorted(out)) return false;
  counting_sort(out, moved, in, payload, 9);
  if (moved != std::vector<std::uint32_t>{4, 1, 3, 0, 2}) return false;
  sort(std::span(in).first(3), std::greater<>{});
  if (in != std::vector<std::uint32_t>{9, 5, 3, 3, 0}) return false;
  std::vector<float> a{1, 2, 3, 4, 5, 6}, b(6);
  transpose(matrix_view(std::span(b), 3, 2), matrix_view(std::span(a), 2, 3));
  if (b != std::vector<float>{1, 4, 2, 5, 3, 6}) return false;
  try {
    matrix_view(std::span(a), 2, 3, 4);  // seven elements
    return false;
  } catch (const Error&) {
  }
  return matrix_view(std::span(a), 2, 2, 4).ld == 4;
}

bool transposes() {
  std::vector<float> a{1, 2, 3, 4, 5, 6}, b(6), square{1, 2, 3, 4};
  transpose(MatrixView<float>{b.data(), 3, 2, 2}, MatrixView<float>{a.data(), 2, 3, 3});
  transpose(MatrixView<float>{square.data(), 2, 2, 2});
  return b == std::vector<float>{1, 4, 2, 5, 3, 6} && square == std::vector<float>{1, 3, 2, 4};
}

// C = 2 A B^T + 3 C, on all processors.
bool multiplies() {
  std::vector<double> a{1, 2, 3, 4, 5, 6}, bt{1, 0, 1, 0, 1, 0}, c{1, 1, 1, 1};
  gemm(Layout::row_major, Trans::no, Trans::yes, 2, MatrixView<double>{a.data(), 2, 3, 3},
       MatrixView<double>{bt.data(), 2, 3, 3}, 3, MatrixView<double>{c.data(), 2, 2, 2}, usable_threads());
  return c == std::vector<double>{11, 7, 23, 13};
}

// A X = B by P A = L U, and a Cholesky decomposition.
bool factors() {
  std::vector<double> a{2, 1, 4, 3}, b{3, 7}, s{4, -1, 2, 5};
  std::vector<std::int32_t> exchanges(2);
  const MatrixView<double> lu{a.data(), 2, 2, 2}, x{b.data(), 2, 1, 1};
  lu_factor(lu, {exchanges.data(), 2}, usable_threads());
  exchange_rows(x, {exchanges.data(), 2});
  solve_triangular(Side::left, Triangle::lower, Trans::no, Diagonal::unit, lu, x);
  solve_triangular(Side::left, Triangle::upper, Trans::no, Diagonal::non_unit, lu, x);
  cholesky_factor(MatrixView<double>{s.data(), 2, 2, 2});
  return b == std::vector<double>{1, 1} && s == std::vector<double>{2, -1, 1, 2};
}

// A X = B, from factors in double at once, as the system is small.
bool solves() {
  std::vector<double> a{2, 1, 4, 3}, b{3, 7}, x(2);
  const MatrixView<double> sides{b.data(), 2, 1, 1};
  const SolveReport report =
      solve(MatrixView<double>{a.data(), 2, 2, 2}, sides, {x.data(), 2, 1, 1}, usable_threads());
  return report.refinement == Refinement::not_tried && x == std::vector<double>{1, 1};
}

// |R| is the norm of the only column, and Q^T A is R.
bool factors_orthogonally() {
  std::vector<double> a{3, 4}, b = a, tau(1), q(2);
  const MatrixView<double> column{a.data(), 2, 1, 1};
  qr_factor(column, {tau.data(), 1}, usable_threads());
  qr_apply_q(Trans::yes, column, {tau.data(), 1}, MatrixView<double>{b.data(), 2, 1, 1});
  qr_form_q(MatrixView<double>{q.data(), 2, 1, 1}, column, {tau.data(), 1});
  const auto near = [](double x, double y) { return x - y < 1e-14 && y - x < 1e-14; };
  return near(a[0], -5) && near(b[0], -5) && near(b[1], 0) && near(q[0], -0.6) && near(q[1], -0.8);
}

// 0 to 2 by 1, and which vertices reach which.
bool finds_paths() {
  std::vector<std::int32_t> d{0, 2, 9, no_path<std::int32_t>, 0, 3, 4, 8, 0}, before(9);
  shortest_paths(MatrixView<std::int32_t>{d.data(), 3, 3, 3}, {before.data(), 3, 3, 3}, usable_threads());
  std::vector<std::uint64_t> bits{2, 4, 0};
  transitive_closure({bits.data(), 3, 1, 1});
  return d[2] == 5 && path_between({before.data(), 3, 3, 3}, 0, 2) == std::vector<Index>{0, 1, 2} &&
         bits[0] == 6;
}

bool compares_strings() {
  const std::string_view a[] = {"kitten", ""}, b[] = {"sitting", "abc"};
  return edit_distance(a[0], b[0], usable_threads()) == 3 && longest_common_subsequence(a[0], b[0]) == 4 &&
         align(a[0], b[0]).operations == "X===X=I" && edit_distances(a, b) == std::vector<std::int32_t>{3, 3};
}

Index fib(Index n, auto& fork) {
  if (n < 2) return n;
  Index x = 0, y = 0;
  fork([&] { x = fib(n - 1, fork); }, [&] { y = fib(n - 2, fork); });
  return x + y;
}

bool forks() {
  Serial serial;
  Index parallel = 0;
  in_arena(usable_threads(), [&] {
    OneTbb fork{usable_threads()};
    parallel = fib(12, fork);
  });
  Heartbeat heartbeat(usable_threads());
  const Index without_grain = fib(20, heartbeat);
  WorkSpan<UnitCost> profiler(ProfileOptions{});
  const Profile profile = profiler.profile([&] { fib(12, profiler); });
  return fib(12, serial) == 144 && parallel == 144 && without_grain == 6765 && profile.spawns == 232 &&
         profile.parallelism() > 1;
}

bool steps() {
  std::vector<double> even{0, 3, 0}, odd(3);
  const StencilGrid<double, 1> grid{{even.data(), odd.data()}, {3}, StencilBorder::mirrored};
  const auto mean = [](auto at) { return (at(-1) + at(0) + at(1)) / 3; };
  return stencil(grid, mean, 1) == odd.data() && odd == std::vector<double>{1, 1, 1};
}

// The misses of one pass over 1024 doubles in lines of 64 bytes, in a cache that holds 16 of them.
bool traces() {
  alignas(64) static double data[1024];
  cache::LruCache ideal(16);
  const auto counts = cache::trace(64, {&ideal}, [&](cache::Tracer& tracer) {
    const auto traced = VectorView<double>{data, 1024}.with(Traced<cache::Tracer>{&tracer});
    for (Index i = 0; i < traced.size; ++i) traced[i] = 1;
  });
  return counts.stores == 1024 && ideal.misses() == 128;
}

}  // namespace

int main() {
  const bool right[] = {sorts(),   takes_spans(), transposes(),  multiplies(),
                        factors(), solves(),      finds_paths(), factors_orthogonally(),
                        forks(),   steps(),       traces(),      compares_strings()};
  for (const bool one : right) std::printf("%s\n", one ? "right" : "WRONG");
  return std::ranges::count(right, false) == 0 ? 0 : 1;
}
