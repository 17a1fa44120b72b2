// gemm() against a product of its own, on every target that this machine can run; its misses in every
// ideal cache.
#include "cpu/matmul/gemm.hpp"
#include "common/fork/one_tbb.hpp"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "common/cache/run_traced.hpp"
#include "common/cache/stack_distances.hpp"
#include "common/random.hpp"
#include "cpu/matmul/recursive_packed.hpp"
#include "tests/support.hpp"

namespace tallcache::test {
namespace {

using cpu::matmul::gemm;
using cpu::matmul::gemm_scratch_bytes;
using cpu::matmul::GemmSizes;
using cpu::matmul::Layout;
using cpu::matmul::recursive_packed;
using cpu::matmul::Trans;

/// Dispatches to `target` alone for as long as it lives.
struct Target {
  explicit Target(std::int64_t target) { set(target); }
  ~Target() { set(0); }
  static void set(std::int64_t targets) {
    hwy::SetSupportedTargetsForTest(targets);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
};

/// Those of this machine whose kernels differ.
std::vector<std::int64_t> targets() {
  std::vector<std::int64_t> list{HWY_STATIC_TARGET};
  for (std::int64_t target : {HWY_AVX3, HWY_AVX2, HWY_NEON})
    if (target != HWY_STATIC_TARGET && (hwy::SupportedTargets() & target)) list.push_back(target);
  return list;
}

/// A stored matrix with padded leading dimension, the padding NaN.
template <class T>
struct Stored {
  Index rows, cols, ld;
  bool by_columns;
  std::vector<T> elements;

  Stored(Index m, Index n, Layout layout, Index pad, std::uint64_t seed)
      : rows(m),
        cols(n),
        ld((layout == Layout::row_major ? n : m) + pad),
        by_columns(layout == Layout::column_major),
        elements(std::max<Index>(1, ld * (by_columns ? n : m)), std::numeric_limits<T>::quiet_NaN()) {
    for (Index i = 0; i < m; ++i)
      for (Index j = 0; j < n; ++j) at(i, j) = static_cast<T>(2 * random_unit(seed, i * n + j) - 1);
  }
  T& at(Index i, Index j) { return elements[by_columns ? i + j * ld : i * ld + j]; }
  MatrixView<T> view() { return {elements.data(), rows, cols, ld}; }
  MatrixView<const T> const_view() { return view(); }
};

struct Case {
  Layout layout = Layout::row_major;
  Trans trans_a = Trans::no, trans_b = Trans::no;
  Index m = 0, n = 0, k = 0, pad = 0;
  double alpha = 1, beta = 0;
  GemmSizes sizes{};

  std::string text() const {
    return std::string(layout == Layout::row_major ? "rows " : "columns ") +
           (trans_a == Trans::no ? "n" : "t") + (trans_b == Trans::no ? "n " : "t ") + std::to_string(m) +
           " x " + std::to_string(n) + " x " + std::to_string(k) + " pad " + std::to_string(pad) + " alpha " +
           std::to_string(alpha) + " beta " + std::to_string(beta);
  }
};

template <class T>
struct Matrices {
  Stored<T> a, b, c;
  explicit Matrices(const Case& x)
      : a(x.trans_a == Trans::no ? x.m : x.k, x.trans_a == Trans::no ? x.k : x.m, x.layout, x.pad, 1),
        b(x.trans_b == Trans::no ? x.k : x.n, x.trans_b == Trans::no ? x.n : x.k, x.layout, 2 * x.pad, 2),
        c(x.m, x.n, x.layout, 3 * x.pad, 3) {}
  T& op_a(const Case& x, Index i, Index l) { return x.trans_a == Trans::no ? a.at(i, l) : a.at(l, i); }
  T& op_b(const Case& x, Index l, Index j) { return x.trans_b == Trans::no ? b.at(l, j) : b.at(j, l); }
};

template <class T, class Fork>
void run(Fork& fork, const Case& x, Matrices<T>& on) {
  std::vector<std::byte> memory(
      gemm_scratch_bytes<T>(x.layout, x.trans_a, x.trans_b, x.m, x.n, x.k, x.sizes) + 64);
  const std::size_t skew = -reinterpret_cast<std::uintptr_t>(memory.data()) % 64;
  std::memset(memory.data(), 0xff, memory.size());
  gemm(fork, x.layout, x.trans_a, x.trans_b, static_cast<T>(x.alpha), on.a.const_view(), on.b.const_view(),
       static_cast<T>(x.beta), on.c.view(), Scratch<>(std::span(memory).subspan(skew, memory.size() - 64)),
       x.sizes);
}

/// Runs the case and compares every element with its sum in long double, as BLAS defines it.
template <class T>
void check(const Case& x, Matrices<T>& on) {
  Stored<T> expected = on.c;
  Serial fork;
  run(fork, x, on);
  const long double alpha = static_cast<T>(x.alpha), beta = static_cast<T>(x.beta);
  int wrong = 0;
  for (Index i = 0; i < x.m; ++i)
    for (Index j = 0; j < x.n; ++j) {
      long double sum = 0, magnitude = 0;
      if (alpha != 0)
        for (Index l = 0; l < x.k; ++l) {
          const long double product = static_cast<long double>(on.op_a(x, i, l)) * on.op_b(x, l, j);
          sum += product;
          magnitude += std::abs(product);
        }
      const long double old = beta == 0 ? 0 : beta * expected.at(i, j);
      const long double value = (alpha == 0 ? 0 : alpha * sum) + old, got = on.c.at(i, j);
      const long double bound = (x.k + 4) * static_cast<long double>(std::numeric_limits<T>::epsilon()) *
                                (std::abs(alpha) * magnitude + std::abs(old));
      const bool same = std::isnan(value)   ? std::isnan(got)
                        : std::isinf(value) ? got == value
                                            : std::abs(got - value) <= bound;
      if (!same && ++wrong < 3)
        ADD_FAILURE() << x.text() << ": C(" << i << ", " << j << ") is " << got << ", not " << value;
      expected.at(i, j) = on.c.at(i, j);
    }
  // The padding is as it was.
  EXPECT_EQ(0, std::memcmp(expected.elements.data(), on.c.elements.data(), on.c.elements.size() * sizeof(T)))
      << x.text();
}

template <class T>
void check(const Case& x) {
  Matrices<T> on(x);
  check(x, on);
}

/// Every layout and transposition of a case.
template <class Body>
void each_form(Case x, Body&& body) {
  for (Layout layout : {Layout::row_major, Layout::column_major})
    for (Trans trans_a : {Trans::no, Trans::yes})
      for (Trans trans_b : {Trans::no, Trans::yes}) {
        x.layout = layout, x.trans_a = trans_a, x.trans_b = trans_b;
        body(x);
      }
}

template <class T>
class Gemm : public testing::Test {};
using Elements = testing::Types<double, float>;
TYPED_TEST_SUITE(Gemm, Elements);

constexpr GemmSizes small{.kc = 7, .mc = 16, .nc = 16, .min_packed = 1};

TYPED_TEST(Gemm, EveryFormOnEveryTarget) {
  for (std::int64_t target : targets()) {
    const Target only(target);
    SCOPED_TRACE(hwy::TargetName(target));
    for (const auto& [m, n, k] : {std::array<Index, 3>{1, 1, 1},
                                  {8, 24, 16},
                                  {9, 25, 17},
                                  {7, 23, 31},
                                  {31, 5, 64},
                                  {3, 97, 13},
                                  {64, 32, 5},
                                  {61, 67, 71}})
      for (Index pad : {0, 3})
        for (const GemmSizes& sizes : {GemmSizes{}, small, GemmSizes{.kc = 16, .min_packed = 50}})
          each_form({.m = m, .n = n, .k = k, .pad = pad, .alpha = -0.5, .beta = 1, .sizes = sizes},
                    [](const Case& x) { check<TypeParam>(x); });
  }
}

TYPED_TEST(Gemm, FactorsOfOneAndZero) {
  for (double alpha : {0.0, 1.0, -0.5})
    for (double beta : {0.0, 1.0, -0.5})
      for (const GemmSizes& sizes : {GemmSizes{}, small})
        each_form({.m = 19, .n = 29, .k = 23, .pad = 1, .alpha = alpha, .beta = beta, .sizes = sizes},
                  [](const Case& x) { check<TypeParam>(x); });
}

TYPED_TEST(Gemm, EmptySizes) {
  for (const auto& [m, n, k] : {std::array<Index, 3>{0, 5, 7}, {5, 0, 7}, {5, 7, 0}, {0, 0, 0}})
    for (double beta : {0.0, -0.5})
      each_form({.m = m, .n = n, .k = k, .pad = 1, .beta = beta}, [](const Case& x) { check<TypeParam>(x); });
}

TYPED_TEST(Gemm, ManyLeavesAndSlabs) {
  // Under a sanitizer those packed panels alone that every size has.
  for (Index min_packed : sanitized ? std::vector<Index>{1} : std::vector<Index>{0, 1, 300})
    each_form({.m = 307,
               .n = 263,
               .k = 401,
               .pad = 5,
               .alpha = 1.5,
               .beta = -2,
               .sizes = {.min_packed = min_packed}},
              [](const Case& x) { check<TypeParam>(x); });
  check<TypeParam>({.m = 1030, .n = 9, .k = 20});
  check<TypeParam>({.m = 9, .n = 1030, .k = 20});
  check<TypeParam>({.m = 9, .n = 20, .k = 3001});
}

// Infinities and NaNs go where they go in the plain product, and no further: a panel's padding makes none.
TYPED_TEST(Gemm, InfinitiesAndNansOnEveryTarget) {
  constexpr TypeParam infinite = std::numeric_limits<TypeParam>::infinity(),
                      nan = std::numeric_limits<TypeParam>::quiet_NaN();
  for (std::int64_t target : targets()) {
    const Target only(target);
    SCOPED_TRACE(hwy::TargetName(target));
    for (const GemmSizes& sizes : {GemmSizes{}, small})
      for (double beta : {0.0, 1.0})
        each_form({.m = 27, .n = 51, .k = 19, .pad = 2, .alpha = 2, .beta = beta, .sizes = sizes},
                  [&](const Case& x) {
                    Matrices<TypeParam> on(x);
                    on.op_a(x, 26, 18) = infinite;
                    on.op_a(x, 3, 0) = nan;
                    on.op_a(x, 5, 7) = 0;
                    on.op_b(x, 7, 50) = -infinite;
                    on.op_b(x, 18, 49) = 0;
                    on.c.at(8, 8) = nan;
                    on.c.at(9, 9) = infinite;
                    check(x, on);
                  });
  }
}

// BLAS: a factor of zero hides what it multiplies.
TYPED_TEST(Gemm, ZeroFactorsDoNotRead) {
  constexpr TypeParam nan = std::numeric_limits<TypeParam>::quiet_NaN();
  each_form({.m = 17, .n = 33, .k = 9, .alpha = 0, .beta = 3}, [&](const Case& x) {
    Matrices<TypeParam> on(x);
    std::ranges::fill(on.a.elements, nan);
    std::ranges::fill(on.b.elements, nan);
    check(x, on);
  });
  each_form({.m = 17, .n = 33, .k = 9, .alpha = 1, .beta = 0}, [&](const Case& x) {
    Matrices<TypeParam> on(x);
    std::ranges::fill(on.c.elements, nan);
    check(x, on);
  });
}

TYPED_TEST(Gemm, KeepsDenormals) {
  for (std::int64_t target : targets()) {
    const Target only(target);
    each_form({.m = 21, .n = 21, .k = 21}, [&](const Case& x) {
      Matrices<TypeParam> on(x);
      for (Index i = 0; i < x.k; ++i)
        for (Index j = 0; j < x.k; ++j) {
          on.op_a(x, i, j) =
              static_cast<TypeParam>(i * x.k + j) * std::numeric_limits<TypeParam>::denorm_min();
          on.op_b(x, i, j) = i == j;
        }
      Serial fork;
      run(fork, x, on);
      for (Index i = 0; i < x.k; ++i)
        for (Index j = 0; j < x.k; ++j) ASSERT_EQ(on.c.at(i, j), on.op_a(x, i, j)) << hwy::TargetName(target);
    });
  }
}

TYPED_TEST(Gemm, SameBytesUnderEveryForkPolicy) {
  for (const auto& [m, n, k] : {std::array<Index, 3>{307, 263, 401}, {1000, 20, 30}, {20, 30, 2000}})
    each_form(
        {.m = m, .n = n, .k = k, .pad = 1, .alpha = 0.7, .beta = -1.3, .sizes = {.min_packed = 64}},
        [](const Case& x) {
          Matrices<TypeParam> serial(x), parallel(x), profiled(x);
          Serial fork;
          run(fork, x, serial);
          const int threads = std::min(usable_threads(), 4);
          in_arena(threads, [&] {
            OneTbb tbb{threads};
            run(tbb, x, parallel);
          });
          WorkSpan<Nanoseconds> work_span;
          work_span.profile([&] { run(work_span, x, profiled); });
          const std::size_t bytes = serial.c.elements.size() * sizeof(TypeParam);
          EXPECT_EQ(0, std::memcmp(serial.c.elements.data(), parallel.c.elements.data(), bytes)) << x.text();
          EXPECT_EQ(0, std::memcmp(serial.c.elements.data(), profiled.c.elements.data(), bytes)) << x.text();
        });
}

// As on 16 threads, on any machine: leaves are small and pack for themselves, and some factors stay unpacked.
TYPED_TEST(Gemm, SameBytesAsSharedByManyThreads) {
  for (const auto& [m, n, k] :
       {std::array<Index, 3>{307, 263, 401}, {1000, 20, 900}, {20, 530, 2000}, {129, 129, 129}})
    for (const Index min_packed : {0, 64}) {
      if (sanitized && m * n * k > 10'000'000) continue;
      each_form(
          {.m = m, .n = n, .k = k, .pad = 1, .alpha = 0.7, .beta = -1.3, .sizes = {.min_packed = min_packed}},
          [](const Case& x) {
            Matrices<TypeParam> serial(x), shared(x);
            Serial fork;
            run(fork, x, serial);
            SerialOf16 wide;
            run(wide, x, shared);
            const std::size_t bytes = serial.c.elements.size() * sizeof(TypeParam);
            EXPECT_EQ(0, std::memcmp(serial.c.elements.data(), shared.c.elements.data(), bytes)) << x.text();
          });
    }
}

TEST(GemmPlan, LetsLeavesOfManyThreadsPack) {
  using namespace cpu::matmul::detail;
  const auto& kernel = cpu::matmul::register_kernel<double>();
  const auto in_leaves = [&](Index n, bool b_rows, Index threads) {
    const Packing<double> packing(kernel, n, n, n, b_rows, threads, {});
    const auto plan = GemmPlan<double>::choose(n, n, n, packing, true, {});
    const Index packed = plan.pack_a * plan.mc * kernel.mr + plan.pack_b * plan.nc * kernel.nr;
    EXPECT_TRUE(!plan.in_leaves || plan.kc * packed * Index(sizeof(double)) <= packed_in_leaf);
    return plan.in_leaves;
  };
  EXPECT_TRUE(in_leaves(256, false, 16));
  EXPECT_FALSE(in_leaves(256, true, 16));  // nothing is packed
  EXPECT_FALSE(in_leaves(256, false, 2));
  EXPECT_FALSE(in_leaves(2000, false, 16));
}

// Threads have several leaves each, of two panels or more on a side.
TEST(GemmPlan, IsSharedByThreads) {
  using namespace cpu::matmul::detail;
  const auto& kernel = cpu::matmul::register_kernel<double>();
  for (Index n : {1, 31, 128, 257, 1000})
    for (Index m : {1, 129, 1024})
      for (Index threads : {2, 16, 500}) {
        const Packing<double> packing(kernel, m, n, 700, true, 1, {});
        const auto whole = GemmPlan<double>::choose(m, n, 700, packing, true, {});
        GemmPlan<double> shared = whole;
        shared.share(threads);
        EXPECT_EQ(shared.scratch(), whole.scratch());
        EXPECT_EQ(shared.kc, whole.kc);
        EXPECT_TRUE(1 <= shared.mc && shared.mc <= whole.mc && 1 <= shared.nc && shared.nc <= whole.nc);
        const Index leaves = ceil_div(shared.panels_m, shared.mc) * ceil_div(shared.panels_n, shared.nc);
        const bool least =
            std::min(shared.panels_m, shared.mc) <= 2 || std::min(shared.panels_n, shared.nc) <= 2;
        EXPECT_TRUE(leaves >= 2 * threads || least) << m << " x " << n << " on " << threads << ": " << leaves;
        if (ceil_div(whole.panels_m, whole.mc) * ceil_div(whole.panels_n, whole.nc) >= 4 * threads) {
          EXPECT_TRUE(shared.mc == whole.mc && shared.nc == whole.nc);
        }
      }
}

TEST(GemmErrors, AreOneLine) {
  std::vector<double> memory(100, 1.0);
  double* const at = memory.data();
  Serial fork;
  const auto call = [&](MatrixView<const double> a, MatrixView<const double> b, MatrixView<double> c) {
    gemm(fork, Layout::row_major, Trans::no, Trans::no, 1.0, a, b, 0.0, c, Scratch<>());
  };
  expect_error(
      [&] {
        call({at, 2, 3, 3}, {at, 4, 2, 2}, {at + 50, 2, 2, 2});
      },
      "op(A) is 2 x 3, op(B) 4 x 2");
  expect_error(
      [&] {
        call({at, 2, 3, 2}, {at, 3, 2, 2}, {at + 50, 2, 2, 2});
      },
      "leading dimension 2 is smaller");
  expect_error([&] { call({at, 2, 3, 3}, {at, 3, 2, 2}, {at + 5, 2, 2, 2}); }, "overlap");
  expect_error([&] { call({nullptr, 2, 3, 3}, {at, 3, 2, 2}, {at + 50, 2, 2, 2}); }, "no data");
}

// Q(Z) of the schedule is within a constant of mnk / (L sqrt Z) plus a pass over the matrices, in every
// cache: nothing in it is the size of one. The constant is largest where a panel of B just does not fit, and
// small behind. A leaf of A is read once for each panel of B, so that narrower panels cost more.
TEST(GemmMisses, FollowTheBoundInEveryCache) {
  constexpr double line = 8, widest = 24;
  const double passes = widest / static_cast<double>(cpu::matmul::register_kernel<double>().nr);
  for (const auto& [m, n, k] : {std::array<Index, 3>{560, 520, 512}, {960, 320, 320}, {200, 300, 1500}}) {
    cache::StackDistances distances;
    cache::trace(64, {&distances}, [&, m = m, n = n, k = k](cache::Tracer& tracer) {
      cache::run_traced<recursive_packed, Matmul<double>>(tracer, {{"m", m}, {"n", n}, {"k", k}, {"pad", 0}});
    });
    const double once = static_cast<double>(m * n + m * k + k * n) / line;
    for (double z = 256; z <= 1 << 20; z *= 2) {
      const double misses = static_cast<double>(distances.misses(static_cast<std::size_t>(z / line)));
      const double product = static_cast<double>(m) * n * k / (line * std::sqrt(z));
      const double constant = (z < 1 << 14 ? 11 : z < 1 << 16 ? 6 : 4) * passes;
      EXPECT_LE(misses, constant * (product + once)) << m << " x " << n << " x " << k << ", Z = " << z;
      // Of any order of these operations (Hong and Kung 1981, the constant of Irony, Toledo and Tiskin 2004).
      EXPECT_GE(misses, product / std::sqrt(8) - z / line) << m << " x " << n << " x " << k << ", Z = " << z;
    }
  }
}

}  // namespace
}  // namespace tallcache::test
