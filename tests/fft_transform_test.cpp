// Fourier transforms of every kind of size, against sums in long double and by what transforms are known to
// keep.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <numbers>
#include <vector>

#include "common/fork/processors.hpp"
#include "common/traced.hpp"
#include "cpu/fft/owned_plan.hpp"
#include "cpu/fft/transform.hpp"
#include "tests/fft_reference.hpp"

namespace tallcache::test {
namespace {

TEST(FftTransform, EverySizeTo512) {
  for (Index n = 1; n <= 512; ++n) expect_transforms<double>(n);
  for (Index n = 1; n <= 512; n += n < 64 ? 1 : 7) expect_transforms<float>(n);
}

TEST(FftTransform, PrimesAndNeighboursOfPowersOfTwo) {
  for (const Index n : {521, 599, 701, 809, 907, 1009, 1021}) expect_transforms<double>(n);
  for (const Index n : {1023, 1024, 1025, 2047, 2048})
    expect_transforms<double>(n), expect_transforms<float>(n);
}

// The checks of this file reject what is wrong in one number or in the last digits.
TEST(FftTransform, WrongOnesAreSeen) {
  const auto in = random_numbers<double>(240);
  const auto expected = reference(in);
  const FftPlan<double> plan(240);
  auto out = in;
  plan.forward(out, in);
  ASSERT_LE(relative_error(out, expected), bound<double>(240));
  const auto wrong = [&](auto&& change) {
    auto changed = out;
    change(changed);
    EXPECT_GT(relative_error(changed, expected), bound<double>(240));
  };
  wrong([](auto& x) { x[17] *= 1 + 1e-13; });
  wrong([](auto& x) { std::swap(x[3], x[4]); });
  wrong([](auto& x) { x[239] = std::numeric_limits<double>::quiet_NaN(); });
  wrong([](auto& x) {
    for (auto& z : x) z = std::conj(z);
  });
  wrong([](auto& x) {
    for (auto& z : x) z = std::complex<double>(std::complex<float>(z));
  });
}

// Sizes at which a transform goes another way: larger than a block of a buffer, several shares.
TEST(FftTransform, RoundTripParsevalShift) {
  for (const Index n : {8192, 16384, 30030, 1 << 16, 65537, 100000}) {
    const FftPlan<double> plan(n);
    const auto in = random_numbers<double>(n);
    Numbers<double> out(in.size()), back(in.size()), shifted(in.size());
    plan.forward(out, in);
    plan.inverse(back, out);
    long double difference = 0, norm_in = 0, norm_out = 0;
    for (std::size_t j = 0; j < in.size(); ++j) {
      difference += std::norm(back[j] / static_cast<double>(n) - in[j]);
      norm_in += std::norm(in[j]);
      norm_out += std::norm(out[j]);
    }
    EXPECT_LE(std::sqrt(difference / norm_in), 2 * bound<double>(n)) << n;
    EXPECT_NEAR(static_cast<double>(norm_out / norm_in / n), 1, 4 * bound<double>(n)) << n;
    for (std::size_t j = 0; j < in.size(); ++j) shifted[j] = in[(j + 1) % in.size()];
    plan.forward(back, shifted);
    difference = 0;
    for (std::size_t k = 0; k < in.size(); ++k)
      difference +=
          std::norm(Wide(back[k]) -
                    Wide(out[k]) * std::polar<long double>(1, 2 * std::numbers::pi_v<long double> * k / n));
    EXPECT_LE(std::sqrt(difference / norm_out), 2.5 * bound<double>(n)) << n;
  }
}

TEST(FftTransform, AnImpulseIsARow) {
  for (const Index n : {12, 64, 101, 4096, 16384})
    for (const Index at : {Index{0}, Index{1}, n / 2, n - 1}) {
      Numbers<double> x(static_cast<std::size_t>(n));
      x[static_cast<std::size_t>(at)] = 1;
      FftPlan<double>(n).forward(x, x);
      for (Index k = 0; k < n; ++k) {
        const long double angle =
            2 * std::numbers::pi_v<long double> * static_cast<long double>(at * k % n) / n;
        ASSERT_LE(std::abs(Wide(x[static_cast<std::size_t>(k)]) - std::polar<long double>(1, -angle)),
                  20 * bound<double>(n))
            << n << ", " << at << ", " << k;
      }
    }
}

// The errors grow as sqrt(lg n). float's are measured against the transform in double.
TEST(FftTransform, ErrorsGrowAsTheRootOfTheLogarithm) {
  for (Index n = 64; n <= 1 << 18; n *= 8) {
    const auto in = random_numbers<float>(n);
    Numbers<float> out(in.size());
    const Numbers<double> wide(in.begin(), in.end());
    Numbers<double> exact(in.size());
    fft(out, in);
    fft(exact, wide);
    const double error = relative_error(out, {exact.begin(), exact.end()}),
                 eps = std::numeric_limits<float>::epsilon();
    EXPECT_LE(error, 0.35 * eps * std::sqrt(std::log2(static_cast<double>(n)))) << n;
    RecordProperty("eps_at_" + std::to_string(n), std::to_string(error / eps));
  }
}

TEST(FftTransform, DenormalsInfinitiesNans) {
  for (const Index n : {15, 16, 64, 67, 512, 16384}) {
    const FftPlan<double> plan(n);
    auto in = random_numbers<double>(n);
    Numbers<double> out(in.size()), tiny(in.size());
    plan.forward(out, in);
    for (std::size_t j = 0; j < in.size(); ++j) tiny[j] = in[j] * 0x1p-1040;
    plan.forward(tiny, tiny);
    for (std::size_t k = 0; k < in.size(); ++k)
      ASSERT_LE(std::abs(tiny[k] * 0x1p1000 * 0x1p40 - out[k]), 1e-7) << n << ", " << k;
    for (const double value :
         {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
      auto bad = in;
      bad[in.size() / 2] = {1, value};
      plan.forward(out, bad);
      for (const auto& z : out) ASSERT_FALSE(std::isfinite(z.real()) && std::isfinite(z.imag())) << n;
    }
  }
}

TEST(FftTransform, AnyAlignmentAndNoNumberOutside) {
  for (const Index n : {4, 30, 64, 77, 101, 600, 4096, 20000}) {
    const auto in = random_numbers<double>(n);
    Numbers<double> expected(in.size());
    const FftPlan<double> plan(n);
    plan.forward(expected, in);
    std::vector<double> from(2 * in.size() + 3, -7), to(2 * in.size() + 3, -7);
    std::memcpy(from.data() + 1, in.data(), in.size() * sizeof in[0]);
    plan.forward({reinterpret_cast<std::complex<double>*>(to.data() + 1), in.size()},
                 {reinterpret_cast<std::complex<double>*>(from.data() + 1), in.size()});
    EXPECT_EQ(std::memcmp(to.data() + 1, expected.data(), in.size() * sizeof in[0]), 0) << n;
    EXPECT_TRUE(to[0] == -7 && to[2 * in.size() + 1] == -7 && to[2 * in.size() + 2] == -7) << n;
  }
}

TEST(FftTransform, SameBytesOnAnyNumberOfThreads) {
  if (usable_threads() < 2) GTEST_SKIP() << "needs 2 processors";
  for (const Index n : {1000, 1 << 15, 1 << 16, 65537, 90000, 1 << 18}) {
    const auto in = random_numbers<double>(n);
    Numbers<double> one(in.size()), many(in.size());
    fft(one, in);
    for (int threads = 2; threads <= std::min(usable_threads(), 4); ++threads) {
      fft(many, in, threads);
      EXPECT_EQ(std::memcmp(one.data(), many.data(), in.size() * sizeof in[0]), 0) << n << " on " << threads;
    }
  }
  const auto in = random_numbers<double>(1 << 18);
  Numbers<double> one(in.size()), two(in.size());
  FftGridPlan<double>({512, 512}).forward(one, in);
  FftGridPlan<double>({512, 512}, 2).forward(two, in);
  EXPECT_EQ(std::memcmp(one.data(), two.data(), in.size() * sizeof in[0]), 0) << "512 x 512";
  // Fewer than threads, so that each is on all of them: a row, and a column of every second number.
  for (const Index stride : {1, 2}) {
    one = two = in;
    const Index n = (1 << 18) / stride;
    FftBatchPlan<double>(n, 1, stride, n * stride).forward(one, in);
    FftBatchPlan<double>(n, 1, stride, n * stride, 2).forward(two, in);
    EXPECT_NE(std::memcmp(one.data(), in.data(), in.size() * sizeof in[0]), 0) << "stride " << stride;
    EXPECT_EQ(std::memcmp(one.data(), two.data(), in.size() * sizeof in[0]), 0) << "stride " << stride;
  }
}

struct Counted {
  Index loads = 0, stores = 0;
  void load(const void*, std::size_t) { ++loads; }
  void store(const void*, std::size_t) { ++stores; }
};

// Sizes of each kind of layout; those of primes are convolutions, which have an inverse transform.
template <class T>
void expect_traced() {
  using cpu::fft::Transform;
  for (const Index n : {1, 7, 64, 67, 509, 1000}) {
    const cpu::fft::AlignedBytes bytes(Transform<T>::scratch(n, 1, Transform<T>::base));
    auto scratch = bytes.scratch();
    const Transform<T> plan(n, 1, Transform<T>::base, scratch);
    plan.prepare();
    const auto in = random_numbers<T>(n);
    Numbers<T> out(in.size(), -7);
    const T* const from = reinterpret_cast<const T*>(in.data());
    Serial fork;
    Counted counted;
    AnySink sink(counted);
    const Traced<AnySink> access{&sink};
    plan.with(access)(fork, reinterpret_cast<T*>(out.data()), from, access);
    EXPECT_LE(relative_error(out, reference(in)), bound<T>(n)) << n;
    EXPECT_TRUE(counted.loads >= 2 * n && counted.stores >= 2 * n) << n;
  }
}
TEST(FftTransform, ATraceIsOfTheTransform) {
  expect_traced<double>();
  expect_traced<float>();
}

TEST(FftTransform, SizesThatAreNone) {
  Numbers<double> none;
  FftPlan<double>(0).forward(none, none);
  FftGridPlan<double>({0, 5}).forward(none, none);
  FftBatchPlan<double>(4, 0, 1, 4).forward(none, none);
  EXPECT_THROW(FftPlan<double>(-1), Error);
  EXPECT_THROW(FftPlan<double>(std::numeric_limits<Index>::max() / 2), Error);
  EXPECT_THROW(FftPlan<float>(std::numeric_limits<Index>::max() / 16 - 1), Error);
  EXPECT_THROW(FftGridPlan<double>({Index{1} << 40, Index{1} << 40}), Error);
  EXPECT_THROW(FftBatchPlan<double>(4, 4, Index{1} << 62, 4), Error);
  EXPECT_THROW(FftPlan<double>(4, 0), Error);
  Numbers<double> three(3), four(4);
  EXPECT_THROW(FftPlan<double>(4).forward(three, four), Error);
  EXPECT_THROW(FftBatchPlan<double>(2, 2, 1, 3).forward(four, four), Error);
}

template <class T>
void expect_batch(Index n, Index count, Index stride, Index distance, int threads) {
  const auto in = random_numbers<T>((n - 1) * stride + (count - 1) * distance + 1);
  auto out = poisoned<T>(static_cast<Index>(in.size()));
  FftBatchPlan<T>(n, count, stride, distance, threads).forward(out, in);
  for (Index c = 0; c < count; ++c) {
    Numbers<T> one, got;
    for (Index i = 0; i < n; ++i) {
      one.push_back(in[static_cast<std::size_t>(c * distance + i * stride)]);
      got.push_back(out[static_cast<std::size_t>(c * distance + i * stride)]);
    }
    EXPECT_LE(relative_error(got, reference(one)), bound<T>(n))
        << n << " x " << count << ", " << stride << ", " << distance;
  }
}

TEST(FftTransform, Batches) {
  for (int threads = 1; threads <= std::min(usable_threads(), 2); ++threads)
    for (const Index n : {1, 2, 7, 16, 17, 60, 64, 128}) {
      expect_batch<double>(n, 5, 1, n, threads);
      expect_batch<double>(n, 5, 1, n + 3, threads);
      expect_batch<double>(n, 11, 11, 1, threads);
      expect_batch<float>(n, 19, 21, 1, threads);
      expect_batch<double>(n, 3, 3, 3 * n + 1, threads);
    }
}

// Each as one transform, there and back in place; what lies between two rows is nobody's.
template <class T>
void expect_rows(Index n, Index count, Index distance) {
  SCOPED_TRACE(testing::Message() << count << " rows of " << n << ", " << distance << " apart");
  const auto in = random_numbers<T>((count - 1) * distance + n);
  auto out = in;
  const FftBatchPlan<T> plan(n, count, 1, distance);
  const FftPlan<T> of_one(n);
  plan.forward(out, in);
  for (Index c = 0; c < count; ++c) {
    const auto row = [at = c * distance, n](const Numbers<T>& all) {
      return Numbers<T>(all.begin() + at, all.begin() + at + n);
    };
    Numbers<T> one = row(in);
    of_one.forward(one, one);
    ASSERT_LE(relative_error(row(out), std::vector<Wide>(one.begin(), one.end())), 2 * bound<T>(n)) << c;
  }
  plan.inverse(out, out);
  for (Index i = 0; i < static_cast<Index>(in.size()); ++i) {
    const Wide x = in[static_cast<std::size_t>(i)], y = out[static_cast<std::size_t>(i)];
    const bool between = i % distance >= n;
    const double off = static_cast<double>(std::abs(y - (between ? x : x * Wide(n))));
    ASSERT_LE(off, between ? 0 : 20 * bound<T>(n) * static_cast<double>(n)) << i;
  }
}

TEST(FftTransform, BatchesOfEverySize) {
  for (Index n = 1; n <= 130; ++n) {
    expect_rows<double>(n, 1 + n % 19, n + n % 3);
    expect_rows<float>(n, 1 + n % 21, n + n % 4);
  }
  expect_rows<double>(256, 17, 257);
  expect_rows<float>(16, 131, 16);
}

TEST(FftTransform, TwoAndThreeDimensions) {
  const Index a = 6, b = 16, c = 17;
  const auto in = random_numbers<double>(a * b * c);
  const std::vector<Wide> wide(in.begin(), in.end());
  const auto expected = along(along(along(wide, a, b * c), b, c), c, 1);
  for (int threads = 1; threads <= std::min(usable_threads(), 2); ++threads) {
    auto out = poisoned<double>(a * b * c);
    const FftGridPlan<double> plan({a, b, c}, threads);
    plan.forward(out, in);
    EXPECT_LE(relative_error(out, expected), 3 * bound<double>(17));
    plan.inverse(out, out);
    for (auto& z : out) z /= static_cast<double>(a * b * c);
    EXPECT_LE(relative_error(out, wide), 6 * bound<double>(17));
  }
  auto out = poisoned<double>(a * b * c);
  FftGridPlan<double>({a * b, c}).forward(out, in);
  EXPECT_LE(relative_error(out, along(along(wide, a * b, c), c, 1)), 3 * bound<double>(17));
}

template <class T>
void transform_reals(Index n) {
  SCOPED_TRACE(n);
  const auto count = static_cast<std::size_t>(n);
  auto out = poisoned<T>(n / 2 + 1), within = out;
  std::vector<T> in(count), back(count, std::numeric_limits<T>::quiet_NaN());
  for (std::size_t j = 0; j < count; ++j) in[j] = static_cast<T>(2 * random_unit(3, j) - 1);
  RealFftPlan<T> plan(n);
  plan.forward(out, in);
  auto expected = reference(Numbers<T>(in.begin(), in.end()));
  expected.resize(out.size());
  EXPECT_LE(relative_error(out, expected), 2 * bound<T>(n));
  plan.inverse(back, out);
  for (std::size_t j = 0; j < count; ++j)
    ASSERT_NEAR(back[j] / static_cast<double>(n), in[j], 20 * bound<T>(n));
  // In place.
  T* const numbers = reinterpret_cast<T*>(within.data());
  std::copy(in.begin(), in.end(), numbers);
  plan.forward(within, std::span(numbers, count));
  EXPECT_EQ(within, out);
  plan.inverse(std::span(numbers, count), within);
  EXPECT_TRUE(std::equal(back.begin(), back.end(), numbers));
}

TEST(FftTransform, RealNumbers) {
  for (Index n = 1; n <= 200; ++n) transform_reals<double>(n), transform_reals<float>(n);
  for (const Index n : {1000, 4096}) transform_reals<double>(n), transform_reals<float>(n);
}

}  // namespace
}  // namespace tallcache::test
