// Plans of transforms in a GPU's memory beside the CPU's plans: sizes of every route, batches with strides,
// grids, real numbers, forward and inverse, in place and not. Its compilation takes minutes, and it needs a
// device: it is a long test.
#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <cstring>
#include <random>
#include <type_traits>
#include <vector>

#include "cpu/tallcache/fft.hpp"
#include "gpu/check.hpp"
#include "gpu/tallcache/device_fft.hpp"

namespace tallcache::test {
namespace {

/// An array of the device. A new one is poisoned.
template <class T>
struct OnDevice {
  T* data = nullptr;
  Index size;

  explicit OnDevice(Index n) : size(n) {
    TALLCACHE_CUDA(cudaMalloc(&data, std::max<std::size_t>(1, static_cast<std::size_t>(n)) * sizeof(T)));
    TALLCACHE_CUDA(cudaMemset(data, 0xff, static_cast<std::size_t>(n) * sizeof(T)));
  }
  explicit OnDevice(const std::vector<T>& host) : OnDevice(static_cast<Index>(host.size())) {
    TALLCACHE_CUDA(cudaMemcpy(data, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  ~OnDevice() { cudaFree(data); }

  std::vector<T> host() const {
    std::vector<T> copy(static_cast<std::size_t>(size));
    TALLCACHE_CUDA(cudaMemcpy(copy.data(), data, copy.size() * sizeof(T), cudaMemcpyDeviceToHost));
    return copy;
  }
  VectorView<T> view() const { return {data, size}; }
  VectorView<const T> constant() const { return {data, size}; }
};

template <class T>
std::vector<T> random_numbers(Index n) {
  std::mt19937_64 random(static_cast<std::uint64_t>(n));
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<T> numbers(static_cast<std::size_t>(n));
  for (T& number : numbers) {
    if constexpr (std::is_floating_point_v<T>)
      number = static_cast<T>(uniform(random));
    else
      number = {static_cast<typename T::value_type>(uniform(random)),
                static_cast<typename T::value_type>(uniform(random))};
  }
  return numbers;
}

/// Of the largest difference over the largest number; NaN where either has one.
template <class T>
double difference(const std::vector<T>& got, const std::vector<T>& expected) {
  double worst = 0, largest = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double off = std::abs(got[i] - expected[i]);
    if (!(off <= worst)) worst = off;
    largest = std::max<double>(largest, std::abs(expected[i]));
  }
  return worst / std::max(largest, 1e-300);
}

template <class T>
constexpr double bound = sizeof(T) == 4 ? 4e-6 : 8e-15;

template <class T>
class DevicePlans : public testing::Test {
 protected:
  using Complex = std::complex<T>;
  Launch launch{};

  void SetUp() override {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) GTEST_SKIP() << "no device";
  }

  template <class DevicePlan, class HostPlan>
  void expect_equal(DevicePlan plan, const HostPlan& host, Index extent) {
    OnDevice<std::byte> scratch(static_cast<Index>(plan.bytes()));
    plan.prepare(launch, Scratch<>(std::span(scratch.data, plan.bytes())));
    const auto in = random_numbers<Complex>(extent);
    for (const bool inverse : {false, true}) {
      auto expected = in;
      const OnDevice<Complex> from(in), place(in), out(in);
      if (inverse) {
        host.inverse(expected, in);
        plan.inverse(launch, out.view(), from.constant());
        plan.inverse(launch, place.view(), place.constant());
      } else {
        host.forward(expected, in);
        plan.forward(launch, out.view(), from.constant());
        plan.forward(launch, place.view(), place.constant());
      }
      EXPECT_LT(difference(out.host(), expected), bound<T>) << "inverse " << inverse;
      EXPECT_LT(difference(place.host(), expected), bound<T>) << "in place, inverse " << inverse;
      const auto kept = from.host();
      EXPECT_EQ(std::memcmp(kept.data(), in.data(), in.size() * sizeof(Complex)), 0);
    }
  }
};
using Numbers = testing::Types<double, float>;
TYPED_TEST_SUITE(DevicePlans, Numbers);

TYPED_TEST(DevicePlans, OfEverySize) {
  for (const Index n :
       {1,     2,     3,     4,     8,     15,     16,      17,      64,         100,    101,
        1024,  2048,  4096,  4099,  8192,  16384,  32768,   65536,   131072,     10000,  10007,
        44100, 19683, 31744, 65535, 65537, 262144, 1000000, 1048576, 17 * 65536, 2097152}) {
    SCOPED_TRACE(n);
    this->expect_equal(DeviceFftPlan<TypeParam>(n), FftPlan<TypeParam>(n), n);
  }
}

TYPED_TEST(DevicePlans, OfBatches) {
  struct Batch {
    Index n, count, stride, distance;
  };
  for (const auto& [n, count, stride, distance] : {Batch{16, 1000, 1, 16},
                                                   {64, 77, 1, 70},
                                                   {100, 33, 1, 100},
                                                   {128, 50, 50, 1},
                                                   {1024, 19, 1, 1024},
                                                   {1024, 19, 19, 1},
                                                   {32, 1000, 1000, 1},
                                                   {4096, 9, 2, 8192},
                                                   {8192, 7, 1, 8192},
                                                   {16384, 5, 1, 16384},
                                                   {65536, 3, 1, 65536},
                                                   {131072, 3, 1, 131072},
                                                   {101, 20, 1, 101},
                                                   {4099, 3, 3, 1}}) {
    SCOPED_TRACE(testing::Message() << n << " x " << count << ", " << stride << ", " << distance);
    // What lies between the numbers stays as it is: both outputs begin as the input.
    this->expect_equal(DeviceFftPlan<TypeParam>(n, count, stride, distance),
                       FftBatchPlan<TypeParam>(n, count, stride, distance),
                       (n - 1) * stride + (count - 1) * distance + 1);
  }
}

TYPED_TEST(DevicePlans, OfGrids) {
  this->expect_equal(DeviceFftPlan<TypeParam>::grid({64, 100}), FftGridPlan<TypeParam>({64, 100}), 6400);
  this->expect_equal(DeviceFftPlan<TypeParam>::grid({512, 512}), FftGridPlan<TypeParam>({512, 512}), 262144);
  this->expect_equal(DeviceFftPlan<TypeParam>::grid({17, 32, 81}), FftGridPlan<TypeParam>({17, 32, 81}),
                     44064);
}

TYPED_TEST(DevicePlans, OfRealNumbers) {
  for (const Index n : {1, 2, 3, 4, 10, 15, 16, 1000, 1001, 4096, 65536, 100000}) {
    SCOPED_TRACE(n);
    const auto in = random_numbers<TypeParam>(n);
    std::vector<std::complex<TypeParam>> full(in.begin(), in.end()), expected(full.size());
    FftPlan<TypeParam>(n).forward(expected, full);
    expected.resize(static_cast<std::size_t>(n / 2 + 1));
    DeviceRealFftPlan<TypeParam> plan(n);
    OnDevice<std::byte> scratch(static_cast<Index>(plan.bytes()));
    plan.prepare(this->launch, Scratch<>(std::span(scratch.data, plan.bytes())));
    const OnDevice<TypeParam> from(in), back(n);
    const OnDevice<std::complex<TypeParam>> out(n / 2 + 1);
    plan.forward(this->launch, out.view(), from.constant());
    EXPECT_LT(difference(out.host(), expected), bound<TypeParam>);
    plan.inverse(this->launch, back.view(), out.constant());
    auto scaled = in;
    for (TypeParam& number : scaled) number *= static_cast<TypeParam>(n);
    EXPECT_LT(difference(back.host(), scaled), bound<TypeParam>);
  }
}

}  // namespace
}  // namespace tallcache::test
