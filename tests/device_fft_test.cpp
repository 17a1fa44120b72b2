// Plans of transforms on the GPU: the kernels' text on the model, against sums in long double.
#include "gpu/tallcache/device_convolution.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "common/warp/host_device.hpp"
#include "tests/counted_array.hpp"
#include "tests/fft_reference.hpp"
#include "tests/support.hpp"

namespace tallcache::test {
namespace {

using warp::Counted;
template <class T>
using Plan = DeviceFftPlan<T, Counted>;

/// Memory that begins at a multiple of 64 bytes.
struct alignas(64) Line {
  std::byte bytes[64];
};

class OnModel : public testing::Test {
 protected:
  warp::HostDevice device{cache::warp_machine("h200")};
  std::vector<Line> memory;

  template <class AnyPlan>
  void prepare(AnyPlan& plan) {
    memory.resize(ceil_div(plan.bytes(), sizeof(Line)));
    std::memset(static_cast<void*>(memory.data()), 0xff, memory.size() * sizeof(Line));
    plan.prepare(device, scratch());
  }
  Scratch<Counted> scratch() {
    return Scratch<Counted>({reinterpret_cast<std::byte*>(memory.data()), memory.size() * sizeof(Line)},
                            device.access());
  }
  template <class T>
  auto view(std::vector<T>& x) {
    return VectorView<T>{x.data(), static_cast<Index>(x.size())}.with(device.access());
  }
  template <class T>
  VectorView<const T, Counted> view(const std::vector<T>& x) {
    return VectorView<const T>{x.data(), static_cast<Index>(x.size())}.with(device.access());
  }

  /// A batch forward, inverse and in place. What lies between its numbers stays as it is.
  template <class T>
  void expect_batch(Index n, Index count, Index stride, Index distance) {
    SCOPED_TRACE(testing::Message() << n << " x " << count << ", stride " << stride << ", distance "
                                    << distance);
    const auto in = random_numbers<T>((n - 1) * stride + (count - 1) * distance + 1);
    Plan<T> plan(n, count, stride, distance);
    prepare(plan);
    auto out = poisoned<T>(static_cast<Index>(in.size())), back = out, place = in;
    plan.forward(device, view(out), view(in));
    plan.inverse(device, view(back), view(in));
    plan.forward(device, view(place), view(std::as_const(place)));
    std::vector<bool> used(in.size());
    for (Index c = 0; c < count; ++c) {
      Numbers<T> one, forward, inverse;
      for (Index i = 0; i < n; ++i) {
        const auto at = static_cast<std::size_t>(c * distance + i * stride);
        used[at] = true;
        one.push_back(in[at]), forward.push_back(out[at]), inverse.push_back(back[at]);
      }
      auto expected = reference(one);
      ASSERT_LE(relative_error(forward, expected), device_bound<T>(n)) << "transform " << c;
      std::reverse(expected.begin() + 1, expected.end());
      ASSERT_LE(relative_error(inverse, expected), device_bound<T>(n)) << "inverse transform " << c;
    }
    for (std::size_t at = 0; at < in.size(); ++at) {
      const auto& expected = used[at] ? out[at] : in[at];
      ASSERT_EQ(std::memcmp(&place[at], &expected, sizeof expected), 0) << "in place, number " << at;
      ASSERT_TRUE(used[at] || (std::isnan(out[at].real()) && std::isnan(back[at].imag()))) << at;
    }
  }

  /// Roots of the power passes are products of several.
  template <class T>
  static double device_bound(Index n) {
    return 1.5 * bound<T>(n);
  }
};

TEST_F(OnModel, TransformsEverySmallSize) {
  for (Index n = 1; n <= 72; ++n) expect_batch<double>(n, 1, 1, n);
  for (const Index n : {1, 2, 13, 17, 64, 100}) expect_batch<float>(n, 1, 1, n);
}

TEST_F(OnModel, TransformsEachWay) {
  for (const Index n : {512, 1000, 1024, 2048, 4096, 4410}) expect_batch<double>(n, 1, 1, n);
  for (const Index n : {509, 1155}) expect_batch<float>(n, 1, 1, n);
}

TEST_F(OnModel, TransformsBatches) {
  for (const Index n : {1, 2, 7, 15, 16, 17, 60, 64, 128}) {
    expect_batch<double>(n, 5, 1, n);
    expect_batch<double>(n, 3, 1, n + 3);
    expect_batch<double>(n, 11, 11, 1);
    expect_batch<float>(n, 19, 21, 1);
    expect_batch<double>(n, 2, 3, 3 * n + 1);
  }
  expect_batch<double>(8192, 2, 1, 8192);
  expect_batch<double>(4116, 3, 3, 1);
  expect_batch<double>(5005, 2, 1, 5005);
}

TEST_F(OnModel, TransformsGrids) {
  const std::initializer_list<Index> all[] = {{6, 16, 17}, {16, 8, 4}, {1, 12},
                                              {12, 1},     {1, 1},     {15, 3, 1, 5}};
  for (const auto& sizes : all) {
    Index total = 1, inner = 1;
    for (const Index n : sizes) total *= n;
    const auto in = random_numbers<double>(total);
    std::vector<Wide> expected(in.begin(), in.end());
    for (auto n = sizes.end(); n != sizes.begin(); inner *= *n) expected = along(expected, *--n, inner);
    auto plan = Plan<double>::grid(sizes);
    prepare(plan);
    auto out = poisoned<double>(total);
    plan.forward(device, view(out), view(in));
    EXPECT_LE(relative_error(out, expected), 3 * device_bound<double>(17)) << total;
    plan.inverse(device, view(out), view(std::as_const(out)));
    for (auto& z : out) z /= static_cast<double>(total);
    EXPECT_LE(relative_error(out, std::vector<Wide>(in.begin(), in.end())), 6 * device_bound<double>(17))
        << total;
  }
}

TEST_F(OnModel, TransformsReals) {
  for (const Index n : {1, 2, 3, 4, 5, 6, 8, 15, 16, 30, 34, 64, 101, 202, 1000})
    for (const Index count : {1, 3}) {
      SCOPED_TRACE(testing::Message() << n << " x " << count);
      std::vector<double> in(static_cast<std::size_t>(n * count)), back(in.size(), std::nan(""));
      for (std::size_t j = 0; j < in.size(); ++j) in[j] = 2 * random_unit(3, j) - 1;
      const auto sums = static_cast<std::size_t>(n / 2 + 1);
      DeviceRealFftPlan<double, Counted> plan(n, count);
      prepare(plan);
      auto out = poisoned<double>(static_cast<Index>(sums) * count);
      plan.forward(device, view(out), view(std::as_const(in)));
      for (std::size_t c = 0; c < static_cast<std::size_t>(count); ++c) {
        auto expected = reference(Numbers<double>(in.begin() + c * n, in.begin() + (c + 1) * n));
        expected.resize(sums);
        EXPECT_LE(
            relative_error(Numbers<double>(out.begin() + c * sums, out.begin() + (c + 1) * sums), expected),
            2 * device_bound<double>(n));
        out[c * sums] += std::complex<double>(0, 7);  // which counts as 0
        if (n % 2 == 0) out[c * sums + n / 2] += std::complex<double>(0, 7);
      }
      plan.inverse(device, view(back), view(std::as_const(out)));
      for (std::size_t j = 0; j < in.size(); ++j)
        ASSERT_NEAR(back[j] / static_cast<double>(n), in[j], 20 * device_bound<double>(n));
    }
}

template <class Number>
void fill_with_numbers(std::vector<Number>& numbers, std::uint64_t seed) {
  for (std::size_t j = 0; j < numbers.size(); ++j) {
    const double re = 2 * random_unit(seed, 2 * j) - 1, im = 2 * random_unit(seed, 2 * j + 1) - 1;
    if constexpr (std::is_floating_point_v<Number>)
      numbers[j] = static_cast<Number>(re);
    else
      numbers[j] = Number(std::complex<double>(re, im));
  }
}

template <class T>
class Convolutions : public OnModel {};
using ConvolvedNumbers = testing::Types<double, float, std::complex<double>, std::complex<float>>;
TYPED_TEST_SUITE(Convolutions, ConvolvedNumbers);

// Sizes of transforms that are powers of two, and 3 and 5 times such.
TYPED_TEST(Convolutions, AreTheSumsOfProducts) {
  using Real = typename DeviceConvolutionPlan<TypeParam, Counted>::Real;
  for (const auto& [m, n] : std::vector<std::pair<Index, Index>>{
           {1, 1}, {1, 2}, {3, 2}, {5, 6}, {17, 16}, {40, 9}, {3, 300}, {65, 64}, {0, 4}, {4, 0}}) {
    SCOPED_TRACE(testing::Message() << m << " and " << n);
    DeviceConvolutionPlan<TypeParam, Counted> plan(m, n);
    this->prepare(plan);
    std::vector<TypeParam> a(static_cast<std::size_t>(m)), b(static_cast<std::size_t>(n)),
        out(static_cast<std::size_t>(plan.size()), std::numeric_limits<Real>::quiet_NaN());
    fill_with_numbers(a, 1), fill_with_numbers(b, 2);
    plan(this->device, this->view(out), this->view(std::as_const(a)), this->view(std::as_const(b)));
    for (Index k = 0; k < plan.size(); ++k) {
      std::complex<double> sum = 0;
      for (Index i = std::max<Index>(0, k - n + 1); i <= std::min(k, m - 1); ++i)
        sum += std::complex<double>(a[i]) * std::complex<double>(b[k - i]);
      const double off = std::abs(std::complex<double>(out[k]) - sum);
      ASSERT_LE(off, 10 * std::sqrt(static_cast<double>(m * n)) * std::numeric_limits<Real>::epsilon()) << k;
    }
  }
}

TEST_F(OnModel, RefusesArraysOfOtherSizesThanAConvolutionHas) {
  DeviceConvolutionPlan<double, Counted> plan(3, 2);
  std::vector<double> four(4), three(3), two(2);
  const auto run = [&](std::vector<double>& out, const std::vector<double>& a) {
    return message_of([&] { plan(device, view(out), view(a), view(std::as_const(two))); });
  };
  EXPECT_EQ(run(four, three), "fft: a plan that was not prepared");
  EXPECT_EQ(run(three, three), "convolution: an array of 3 numbers in place of 4");
  EXPECT_EQ(run(four, four), "convolution: an array of 4 numbers in place of 3");
  EXPECT_EQ(message_of([] { DeviceConvolutionPlan<float, Counted>(-1, 2); }), "fft: negative size -1");
}

TEST_F(OnModel, RefusesWhatIsNone) {
  using Limits = std::numeric_limits<Index>;
  const auto refused = [](Index n, Index count, Index stride, Index distance) {
    return message_of([&] { Plan<double>(n, count, stride, distance); });
  };
  EXPECT_EQ(refused(-1, 1, 1, 1), "fft: negative size -1");
  EXPECT_EQ(refused(4, -2, 1, 1), "fft: negative size -2");
  EXPECT_EQ(refused(4, 2, 0, 4), "fft: strides and distances are positive");
  EXPECT_EQ(refused(1 << 25, 1, 1, 1), "fft: a transform of 33554432 numbers is larger than a GPU's can be");
  EXPECT_EQ(refused(1 << 20, 1 << 12, 1, 1 << 20),
            "fft: 4096 transforms of 1048576 numbers are more than 2^32 - 1 numbers");
  EXPECT_NE(refused(Limits::max() / 2, 1, 1, 1), "");
  EXPECT_NE(refused(4, 4, Index{1} << 62, 4), "");
  EXPECT_NE(message_of([] { Plan<double>::grid({Index{1} << 40, Index{1} << 40}); }), "");
  EXPECT_EQ(message_of([] { DeviceRealFftPlan<float, Counted>(-3); }), "fft: negative size -3");

  Plan<double> plan(4);
  Numbers<double> four(4), three(3), eight(8);
  const auto run = [&](VectorView<std::complex<double>, Counted> out,
                       VectorView<const std::complex<double>, Counted> in) {
    return message_of([&] { plan.forward(device, out, in); });
  };
  EXPECT_EQ(run(view(four), view(std::as_const(eight))), "fft: a plan that was not prepared");
  EXPECT_EQ(message_of([&] { plan.prepare(device, scratch()); }),
            "scratch: a variant took more than it asked for");
  prepare(plan);
  EXPECT_EQ(run(view(three), view(std::as_const(four))), "fft: 4 numbers do not fit into an array of 3");
  EXPECT_EQ(run(view(eight).block(1, 4), view(std::as_const(eight))), "fft: the output overlaps the input");
  EXPECT_EQ(
      run(VectorView<std::complex<double>>{nullptr, 4}.with(device.access()), view(std::as_const(four))),
      "fft: no data");
  for (const auto& none : {Plan<double>(0), Plan<double>(4, 0, 1, 4), Plan<double>::grid({0, 5})}) {
    EXPECT_EQ(none.bytes(), 0u);
    none.forward(device, {}, {});
  }
  DeviceRealFftPlan<double, Counted>(0).forward(device, {}, {});
}

}  // namespace
}  // namespace tallcache::test
