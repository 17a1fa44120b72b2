// One text, executed in several ways. Each textbook algorithm through a view that counts its loads and stores
// gives the same bytes as through the plain one, with exactly the accesses of its text. With its forks run
// backwards it gives the same result, so the branches are independent.
#include <gtest/gtest.h>

#include "common/traced.hpp"
#include "common/variant_records.hpp"
#include "cpu/copy/rows.hpp"
#include "cpu/counting_sort/bucketed.hpp"
#include "cpu/counting_sort/classical.hpp"
#include "cpu/matmul/loops_ikj.hpp"
#include "cpu/matmul/loops_jik.hpp"
#include "cpu/matmul/loops_jki.hpp"
#include "cpu/matmul/loops_kij.hpp"
#include "cpu/matmul/loops_kji.hpp"
#include "cpu/matmul/naive.hpp"
#include "cpu/matmul/recursive.hpp"
#include "cpu/matmul/recursive_temporary.hpp"
#include "cpu/matmul/tiled.hpp"
#include "cpu/matmul/transposed.hpp"
#include "cpu/matmul/transposed_tiled.hpp"
#include "cpu/transpose/in_place.hpp"
#include "cpu/transpose/naive.hpp"
#include "cpu/transpose/naive_columns.hpp"
#include "cpu/transpose/recursive.hpp"
#include "cpu/transpose/tiled.hpp"
#include "tests/support.hpp"
#include "tests/view_layout.hpp"

namespace tallcache::test {
namespace {

namespace mm = cpu::matmul;
namespace tr = cpu::transpose;
namespace cs = cpu::counting_sort;

struct Accesses {
  Index loads = 0, stores = 0;
  friend bool operator==(const Accesses&, const Accesses&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Accesses& a) {
    return out << a.loads << " loads, " << a.stores << " stores";
  }
};

struct CountingSink {
  Accesses accesses;
  void load(const void*, std::size_t) { ++accesses.loads; }
  void store(const void*, std::size_t) { ++accesses.stores; }
};

// A view in braces converts where nothing is lost: to its own type, but a constant or a plain view cannot
// drop or invent an access.
template <class To, class From>
concept InBraces = requires(From from) {
  To{from};
};
using TracedView = MatrixView<double, Traced<CountingSink>>;
static_assert(InBraces<TracedView, TracedView> &&
              !InBraces<MatrixView<const double, Traced<CountingSink>>, TracedView>);
static_assert(!InBraces<TracedView, MatrixView<double>> && !InBraces<MatrixView<double>, TracedView>);
static_assert(std::is_convertible_v<TracedView, MatrixView<const double, Traced<CountingSink>>>);
static_assert(std::is_convertible_v<MatrixView<double>, MatrixView<const double>> &&
              !std::is_convertible_v<MatrixView<const double>, MatrixView<double>>);

// The buffers and arguments of one problem.
template <class Op>
struct Bound {
  std::vector<std::vector<std::byte>> buffers;
  std::vector<std::byte> scratch;
  detail::ArgsOf<Op> args;

  Bound(const Shape& shape, std::string_view input, std::size_t scratch_size) : scratch(scratch_size) {
    std::vector<std::byte*> data;
    for (const BufferSpec& spec : Op::buffers(shape))
      data.push_back(buffers.emplace_back(spec.bytes, std::byte{spec.poison}).data());
    Op::fill(shape, input, 7, data);
    args = Op::bind(shape, data, Scratch<>(scratch));
  }
};

template <class V, std::size_t... phase>
void run_phases(auto& fork, const auto& args, const Params& params, auto&& after,
                std::index_sequence<phase...>) {
  if constexpr (requires { V::phases; })
    ((V::template run<phase>(fork, args, params), after()), ...);
  else
    (V::run(fork, args, params), after());
}

// The accesses of each phase of V; its result is checked, and compared with that of the plain view.
template <class V, class Op>
std::vector<Accesses> trace(Shape shape, const Params& given = {}, std::string_view input = Op::inputs[0]) {
  const Params params = complete_params({.name = "traced", .params = detail::params_of<V>()}, given);
  shape = complete_shape(operation_of<Op>, shape);
  constexpr std::make_index_sequence<detail::phases_of<V>().size()> phases;
  const std::size_t scratch = detail::scratch_of<V, Op>(shape, params, 1);
  Bound<Op> plain(shape, input, scratch), traced(shape, input, scratch);
  Serial fork;
  run_phases<V>(
      fork, plain.args, params, [] {}, phases);

  CountingSink sink;
  std::vector<Accesses> result;
  run_phases<V>(
      fork, traced.args.with(Traced<CountingSink>{&sink}), params,
      [&] {
        result.push_back(sink.accesses);
        sink = {};
      },
      phases);
  const Check check = Op::check(shape, input, 7, traced.args);
  EXPECT_TRUE(check) << check.message();
  EXPECT_EQ(plain.buffers, traced.buffers);
  return result;
}

template <class T>
class MatmulAccesses : public testing::Test {};
using Elements = testing::Types<double, float, std::int32_t>;
TYPED_TEST_SUITE(MatmulAccesses, Elements);

constexpr Index m = 13, n = 7, k = 10;
const Shape rectangular{{"m", m}, {"n", n}, {"k", k}, {"pad", 3}};

// Each product loads an element of A, of B and of C and stores one of C; C is set to zero first.
constexpr Accesses by_definition{3 * m * n * k, m* n + m* n* k};

TYPED_TEST(MatmulAccesses, LoopOrders) {
  using Op = Matmul<TypeParam>;
  EXPECT_EQ((trace<mm::naive, Op>(rectangular)[0]), by_definition);
  EXPECT_EQ((trace<mm::loops_ikj, Op>(rectangular)[0]), by_definition);
  EXPECT_EQ((trace<mm::loops_jik, Op>(rectangular)[0]), by_definition);
  EXPECT_EQ((trace<mm::loops_jki, Op>(rectangular)[0]), by_definition);
  EXPECT_EQ((trace<mm::loops_kij, Op>(rectangular)[0]), by_definition);
  EXPECT_EQ((trace<mm::loops_kji, Op>(rectangular)[0]), by_definition);
}

TYPED_TEST(MatmulAccesses, TransposedAndTiled) {
  using Op = Matmul<TypeParam>;
  // The transposition reads and writes each element of B once.
  constexpr Accesses with_transposition{by_definition.loads + k * n, by_definition.stores + k * n};
  EXPECT_EQ((trace<mm::transposed, Op>(rectangular)[0]), with_transposition);
  for (Index tile : {1, 3, 64}) {
    const Params tiles{{"tile_m", tile}, {"tile_n", tile + 1}, {"tile_k", tile + 2}};
    EXPECT_EQ((trace<mm::tiled, Op>(rectangular, tiles)[0]), by_definition);
    EXPECT_EQ((trace<mm::transposed_tiled, Op>(rectangular, tiles)[0]), with_transposition);
  }
}

// A leaf loads each of its elements of A once, and an element of B and of C for each product.
TYPED_TEST(MatmulAccesses, Recursive) {
  using Op = Matmul<TypeParam>;
  EXPECT_EQ((trace<mm::recursive, Op>(rectangular)[0]), (Accesses{2 * m * n * k + m * k, m * n + m * n * k}));
  EXPECT_EQ((trace<mm::recursive, Op>(rectangular, {{"base", 1}})[0]), by_definition);
  for (Index base : {2, 4, 8}) {  // (16 / base)^3 leaves with base^2 elements of A each
    EXPECT_EQ((trace<mm::recursive, Op>({{"m", 16}}, {{"base", base}})[0]),
              (Accesses{2 * 4096 + 4096 / base, 256 + 4096}));
  }
}

TEST(Accesses, TransposeAndCopyTouchEachElementOnce) {
  const Accesses once{m * n, m * n};
  const Shape shape{{"m", m}, {"n", n}, {"pad", 2}};
  EXPECT_EQ((trace<tr::naive, Transpose<float>>(shape)[0]), once);
  EXPECT_EQ((trace<tr::naive_columns, Transpose<double>>(shape)[0]), once);
  for (Index size : {1, 3, 64}) {
    EXPECT_EQ((trace<tr::tiled, Transpose<float>>(shape, {{"tile", size}})[0]), once);
    EXPECT_EQ((trace<tr::recursive, Transpose<std::int32_t>>(shape, {{"base", size}})[0]), once);
  }
  EXPECT_EQ((trace<cpu::copy::rows, Copy<double>>(shape)[0]), once);
  // In place, the diagonal is not accessed.
  EXPECT_EQ((trace<tr::in_place, TransposeInPlace<float>>({{"n", n}, {"pad", 2}})[0]),
            (Accesses{n * (n - 1), n * (n - 1)}));
}

// The passes of a counting sort of `keys` keys with `counters` counters, one extra access a key for its
// payload: zero, histogram (key, counter), prefix sums, placement (key, counter, output).
Accesses counting_passes(Index keys, Index counters, bool payload) {
  return {4 * keys + counters + payload * keys, 3 * keys + 2 * counters + payload * keys};
}

TEST(Accesses, ClassicalCountingSort) {
  const Shape shape{{"n", 500}, {"range", 41}};
  EXPECT_EQ((trace<cs::classical, CountingSort<false>>(shape)[0]), counting_passes(500, 42, false));
  EXPECT_EQ((trace<cs::classical, CountingSort<true>>(shape)[0]), counting_passes(500, 42, true));
}

template <class Op>
void expect_bucketed(Index keys, Index range, Index buckets, bool payload) {
  const Shape shape{{"n", keys}, {"range", range}};
  const auto phases = trace<cs::bucketed, Op>(shape, {{"buckets", buckets}});
  ASSERT_EQ(phases.size(), 2u);
  EXPECT_EQ(phases[0], counting_passes(keys, buckets, payload));
  // Each bucket that holds a key is a counting sort of its own, and the end of every bucket is read.
  std::vector<bool> holds_one(buckets);
  for (Index i = 0; i < keys; ++i)
    holds_one[Keys("uniform", 7, keys, range)(i) * buckets / (range + 1)] = true;
  Index counters = 0;
  for (Index key = 0; key <= range; ++key) counters += holds_one[key * buckets / (range + 1)];
  const Accesses sorts = counting_passes(keys, counters, payload);
  EXPECT_EQ(phases[1], (Accesses{sorts.loads + buckets, sorts.stores})) << buckets << " buckets";
}

TEST(Accesses, BucketedCountingSort) {
  for (Index buckets : {1, 3, 7, 100, 499, 500, 1000}) {
    expect_bucketed<CountingSort<false>>(500, 499, buckets, false);
    expect_bucketed<CountingSort<true>>(500, 300, buckets, true);
  }
}

/// Runs the second branch of a fork first, and loops from the end.
struct Backwards {
  static constexpr Index width() { return 3; }
  void operator()(auto&& f, auto&& g) const {
    g();
    f();
  }
  void adding(auto&& f, auto&& g) const {
    f();
    g();
  }
  void blocks(Index count, auto&& body) const { loop(0, count, 1, body); }
  void loop(Index begin, Index end, Index step, auto&& body) const {
    if (begin >= end) return;
    for (Index i = begin + (end - begin - 1) / step * step; i >= begin; i -= step) body(i);
  }
};

template <class V>
struct backwards : V {
  static void call(const Launch&, const auto& args, const Params& params) {
    Backwards fork;
    V::run(fork, args, params);
  }
};

template <class V>
class Forks : public testing::Test {};
using Forking = testing::Types<mm::naive, mm::recursive, mm::recursive_temporary, mm::tiled,
                               mm::transposed_tiled, tr::recursive, tr::tiled, tr::in_place, cpu::copy::rows>;
TYPED_TEST_SUITE(Forks, Forking);

TYPED_TEST(Forks, AreIndependent) {
  static constexpr auto records = variant_records<backwards<TypeParam>>("backwards", "cpu", false);
  const auto executor = make_executor("cpu");
  for (const Variant& variant : records)
    for (const Shape& shape : variant.operation->test_shapes()) {
      Workspace workspace({variant.operation, shape, "uniform"}, *executor);
      for (Index size : {1, 7, 64}) {
        if (size == 1 && largest_size(shape) > 100) continue;
        Candidate candidate{&variant};
        for (const ParamSpec& spec : variant.params) candidate.params.set(spec.name, size);
        const Check check = workspace.verify(candidate);
        EXPECT_TRUE(check) << describe(candidate, workspace.problem()) << ": " << check.message();
      }
    }
}

}  // namespace
}  // namespace tallcache::test
