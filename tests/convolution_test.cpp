// Convolutions, and products of integers modulo two primes, on the CPU and by the GPU's texts on the model.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "common/residues.hpp"
#include "cpu/tallcache/convolution.hpp"
#include "gpu/kernel_text.hpp"
#include "tests/counted_array.hpp"

namespace tallcache::test {
namespace {

template <class Number>
std::vector<Number> numbers(Index n, std::uint64_t seed) {
  std::vector<Number> v;
  for (Index i = 0; i < n; ++i) {
    const auto unit = [&](Index at) { return 2 * random_unit(seed, static_cast<std::uint64_t>(at)) - 1; };
    if constexpr (std::is_floating_point_v<Number>)
      v.push_back(static_cast<Number>(unit(i)));
    else
      v.push_back(Number(std::complex<double>(unit(2 * i), unit(2 * i + 1))));
  }
  return v;
}

template <class Number>
void expect_schoolbook(Index m, Index n, double unit_of_rounding) {
  using Wide = std::conditional_t<std::is_floating_point_v<Number>, double, std::complex<double>>;
  const auto a = numbers<Number>(m, 1), b = numbers<Number>(n, 2);
  std::vector<Wide> expected(static_cast<std::size_t>(m && n ? m + n - 1 : 0));
  double a_norm = 0, b_norm = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b.size(); ++j) expected[i + j] += Wide(a[i]) * Wide(b[j]);
  for (const Number x : a) a_norm += std::norm(x);
  for (const Number x : b) b_norm += std::norm(x);
  const auto got = convolve(a, b);
  ASSERT_EQ(got.size(), expected.size()) << m << ", " << n;
  const double bound = 4 * unit_of_rounding * (2 + std::log2(m + n + 1.0)) * std::sqrt(a_norm * b_norm);
  for (std::size_t k = 0; k < got.size(); ++k)
    ASSERT_LE(std::abs(Wide(got[k]) - expected[k]), bound) << m << ", " << n << ": number " << k;
}

TEST(Convolution, IsTheSchoolbooks) {
  for (const auto& [m, n] : std::vector<std::pair<Index, Index>>{{0, 0},
                                                                 {0, 4},
                                                                 {4, 0},
                                                                 {1, 1},
                                                                 {1, 2},
                                                                 {2, 1},
                                                                 {3, 5},
                                                                 {31, 34},
                                                                 {63, 65},
                                                                 {64, 64},
                                                                 {65, 64},
                                                                 {1, 500},
                                                                 {127, 131},
                                                                 {257, 3},
                                                                 {900, 1109}}) {
    expect_schoolbook<double>(m, n, 0x1p-53);
    expect_schoolbook<float>(m, n, 0x1p-24);
    expect_schoolbook<std::complex<double>>(m, n, 0x1p-53);
    expect_schoolbook<std::complex<float>>(m, n, 0x1p-24);
  }
}

TEST(Convolution, APlanIsTakenAgainOnItsOwnInputs) {
  const auto a = numbers<double>(40, 1), b = numbers<double>(3, 2), expected = convolve(a, b);
  ConvolutionPlan<double> plan(40, 3);
  std::vector<double> memory(42);
  for (int run = 0; run < 2; ++run) {
    std::ranges::copy(a, memory.begin());
    plan(memory, std::span(memory).first(40), b);
    EXPECT_EQ(memory, expected);
  }
}

TEST(Convolution, NamesBadInput) {
  ConvolutionPlan<double> plan(4, 3);
  std::vector<double> four(4), three(3), out(7);
  EXPECT_EQ(message_of([&] { plan(out, four, three); }), "fft: an array of 7 numbers where 6 are needed");
  EXPECT_EQ(message_of([] { ConvolutionPlan<double>(-1, 3); }), "fft: negative size -1");
  EXPECT_NE(message_of([] { ConvolutionPlan<double>(Index{1} << 59, Index{1} << 59); }), "");
}

TEST(Residues, AreTheNumbersModuloBothPrimes) {
  static_assert(Residues::of(0).value() == 0 && Residues::of(4294967295u).value() == 4294967295u);
  static_assert((Residues::of(0) - Residues::of(1)).value() == Residues::modulus - 1);  // the largest
  static_assert((Residues::of(0) - Residues::of(1) + Residues::of(1)).value() == 0);    // it wraps
  static_assert((Residues::of(4294967295u) * Residues::of(4294967295u)).value() ==
                4294967295ull * 4294967295ull % Residues::modulus);
  static_assert(Residues::of(77) * Residues::of(77).inverse() == Residues::of(1));
  for (const std::uint32_t prime : {Residues::p, Residues::q})  // 0 modulo one of them
    EXPECT_EQ(Residues::of(prime).value(), prime);
  for (int lg = 1; lg <= Residues::max_lg_order; ++lg) {
    const Index n = Index{1} << lg;
    EXPECT_EQ(Residues::root(n / 2, n).value(), Residues::modulus - 1) << lg;  // so that the order is n
    EXPECT_EQ(Residues::root(n - 1, n) * Residues::root(1, n), Residues::of(1)) << lg;
  }
}

using Limbs = std::vector<std::uint32_t>;

TEST(IntegerProducts, AreExact) {
  EXPECT_EQ(multiply_integers(Limbs{}, Limbs{5}), Limbs{0});
  EXPECT_EQ(multiply_integers(Limbs{0, 1}, Limbs{3}), (Limbs{0, 3, 0}));
  // (2^(32 n) - 1)^2 = 2^(64 n) - 2 2^(32 n) + 1, by the schoolbook and by transforms.
  for (const std::size_t n : {1, 64, 400, 401, 1023, 4096}) {
    Limbs expected(2 * n, ~0u);
    std::fill_n(expected.begin(), n, 0);
    expected[0] = 1, expected[n] = ~0u - 1;
    EXPECT_EQ(multiply_integers(Limbs(n, ~0u), Limbs(n, ~0u)), expected) << n;
  }
}

TEST(IntegerProducts, NameBadInput) {
  Limbs a(100), b(100), out(199);
  EXPECT_EQ(message_of([&] { multiply_integers(out, a, b); }),
            "integer_product: the product of 100 and 100 limbs does not fit into 199");
  EXPECT_EQ(message_of([&] { multiply_integers(a, std::span(a).first(50), std::span(b).first(50)); }),
            "product and first factor overlap");
}

// Carries through several groups of limbs, and the largest digits.
TEST(IntegerProducts, OfTheKernelsTextsAreRight) {
  for (const gpu::KernelText* text : gpu::kernel_texts()) {
    if (text->operation->name != "integer_product") continue;
    for (const std::string_view input : text->operation->inputs)
      for (const Shape& shape : {Shape{{"m", 600}, {"n", 601}}, Shape{{"m", 2300}, {"n", 2}}}) {
        warp::HostDevice device(cache::warp_machine("h200"));
        const Check check = gpu::run_kernel_text(device, *text, shape, {}, input);
        EXPECT_TRUE(check) << text->name << " " << input << ": " << check.message();
      }
  }
}

TEST(IntegerProducts, TheCheckFindsAnyWrongLimb) {
  for (const Index n : {Index{40}, Index{3000}}) {  // by limbs, and by remainders
    const Shape shape{{"m", n}, {"n", n}};
    Limbs a(n), b(n), out(2 * n);
    std::byte* const buffers[] = {reinterpret_cast<std::byte*>(out.data()),
                                  reinterpret_cast<std::byte*>(a.data()),
                                  reinterpret_cast<std::byte*>(b.data())};
    IntegerProduct::fill(shape, "random", 1, buffers);
    multiply_integers(out, a, b);
    const auto check = [&] {
      return IntegerProduct::check(shape, "", 1, IntegerProduct::bind(shape, buffers, {}));
    };
    EXPECT_TRUE(check());
    for (const Index at : {Index{0}, n, 2 * n - 1}) {
      out[at] ^= 1;
      EXPECT_FALSE(check()) << n << ": limb " << at;
      out[at] ^= 1;
    }
    std::swap(out[1], out[2]);
    EXPECT_FALSE(check()) << n << ": two limbs exchanged";
  }
}

}  // namespace
}  // namespace tallcache::test
