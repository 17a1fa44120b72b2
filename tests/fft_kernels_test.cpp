// The GPU's two passes on the host, at sizes beyond those that every kernel's text is tested on: that they
// are right, and that no number is stored but once a pass, in whole sectors.
#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <vector>

#include "common/catalogue.hpp"
#include "common/ops/fft.hpp"
#include "gpu/fft/mixed_plan.hpp"
#include "gpu/kernel_text.hpp"
#include "tests/support.hpp"

namespace tallcache::gpu {
namespace {

const gpu::KernelText& text_of(std::string_view name) {
  return find_kernel_text(operation_of<Fft<double>>, name);
}

TEST(TwoPasses, AreRightForColumnsOfEachLength) {
  for (const int lg : {16, 17, 18, 19, 20, 22}) {
    if (test::sanitized && lg > 17) continue;
    warp::HostDevice device(cache::warp_machine("h200"));
    const Check check = run_kernel_text(device, text_of("two_passes"), {{"n", Index{1} << lg}});
    EXPECT_TRUE(check) << "2^" << lg << ": " << check.message();
  }
}

TEST(TwoPasses, StoreWholeSectorsOnceAPass) {
  const Index n = 1 << 16, sectors = n * 16 / 32, roots = (2 << 14) + 4;
  warp::HostDevice device(cache::warp_machine("h200"));
  EXPECT_TRUE(run_kernel_text(device, text_of("two_passes"), {{"n", n}}));
  const auto stores = device.total(cache::Space::global, cache::AccessKind::store);
  EXPECT_EQ(stores.sectors, static_cast<std::uint64_t>(2 * sectors + roots * 16 / 32));
}

// Each level of radix 2 stores all numbers, the first one half a sector at a time; the six steps store them
// five times.
TEST(Textbook, StoresAllNumbersMoreOften) {
  const Index n = 1 << 14;
  const auto stores = [&](std::string_view name) {
    warp::HostDevice device(cache::warp_machine("h200"));
    EXPECT_TRUE(run_kernel_text(device, text_of(name), {{"n", n}})) << name;
    return device.total(cache::Space::global, cache::AccessKind::store).sectors;
  };
  EXPECT_EQ(stores("butterfly_a_thread"), static_cast<std::uint64_t>(15 * n / 2));
  EXPECT_EQ(stores("six_step"), static_cast<std::uint64_t>(5 * n / 2));
}

// What lies in shared memory is padded: no request takes more wavefronts than its bytes do.
TEST(TwoPasses, HaveNoBankConflicts) {
  warp::HostDevice device(cache::warp_machine("h200"));
  EXPECT_TRUE(run_kernel_text(device, text_of("two_passes"), {{"n", 1 << 16}}));
  for (const auto kind : {cache::AccessKind::load, cache::AccessKind::store}) {
    const auto shared = device.total(cache::Space::shared, kind);
    EXPECT_GT(shared.requests, 0u);
    EXPECT_EQ(shared.wavefronts, 4 * shared.requests);
  }
}

// Each radix, stages of sums, columns and rows that fill no tile, and both types.
TEST(MixedRadices, AreRight) {
  for (const Index n :
       {9, 77, 124, 210, 289, 1155, 2197, 4064, 4095, 4116, 4410, 5005, 6006, 7936, 8190, 10000}) {
    if (test::sanitized && n > 5000) continue;
    for (const Operation* operation : {&operation_of<Fft<double>>, &operation_of<Fft<float>>}) {
      warp::HostDevice device(cache::warp_machine("h200"));
      const Check check = run_kernel_text(device, find_kernel_text(*operation, "two_passes"), {{"n", n}});
      EXPECT_TRUE(check) << n << " " << operation->element << ": " << check.message();
    }
  }
}

TEST(MixedRadices, AreChosenForEveryLength) {
  for (int length = 1; length <= 6000; ++length) {
    const fft::Stages stages = fft::stages_of(length, 0);
    int rest = length, product = 1;
    for (const int prime : {2, 3, 5, 7, 11, 13, 17})
      while (rest % prime == 0) rest /= prime;
    const int other = length / rest;
    bool is_composite = false;  // what a stage of sums stands between
    for (int factor = 2; factor * factor <= other; ++factor) is_composite |= other % factor == 0;
    for (int s = 0; s < stages.count; ++s) {
      EXPECT_LE(stages.radix[s], s == 1 && rest > 1 ? rest : fft::max_radix);
      product *= stages.radix[s];
    }
    EXPECT_EQ(product == length, rest == 1 || (rest <= 127 && is_composite)) << length;
    if (product != length) continue;
    std::vector<bool> seen(static_cast<std::size_t>(length));
    const int last = stages.count ? stages.radix[stages.count - 1] : 1;
    for (int k = 0; k < length / last; ++k) seen[static_cast<std::size_t>(stages.reversed(k))] = true;
    EXPECT_EQ(std::count(seen.begin(), seen.end(), true), length / last) << length;
  }
}

// Whole pieces of 64 bytes where n has room for them.
TEST(MixedRadices, StoreWholeSectorsOnceAPass) {
  const Index n = 160 * 80, sectors = n * 16 / 32;
  warp::HostDevice device(cache::warp_machine("h200"));
  EXPECT_TRUE(run_kernel_text(device, text_of("two_passes"), {{"n", n}}));
  const auto& plan = fft::mixed_plan<double>(n);
  const auto stores = device.total(cache::Space::global, cache::AccessKind::store);
  const int roots = plan.columns.stages.roots() + plan.rows.stages.roots();
  EXPECT_LE(stores.sectors, static_cast<std::uint64_t>(2 * sectors + roots));
  EXPECT_GE(stores.sectors, static_cast<std::uint64_t>(2 * sectors + roots / 2));
}

TEST(Bluestein, IsRightBeyondABlock) {
  for (const Index n : {2049, 4099, 10007}) {
    warp::HostDevice device(cache::warp_machine("h200"));
    const Check check = run_kernel_text(device, text_of("bluestein"), {{"n", n}});
    EXPECT_TRUE(check) << n << ": " << check.message();
  }
}

// A convolution's factors go with its transforms: they store m numbers three times, and n at last. Before,
// the chirp is stored, transformed in two passes, and made even, where warps that go backwards begin in the
// middle of a sector.
TEST(Bluestein, StoresNothingBesideItsTransforms) {
  const Index n = 10007, m = 1 << 15, roots = (2 << 14) + 2;
  warp::HostDevice device(cache::warp_machine("h200"));
  EXPECT_TRUE(run_kernel_text(device, text_of("bluestein"), {{"n", n}}));
  const auto stores = device.total(cache::Space::global, cache::AccessKind::store);
  const Index backwards = m / 64, numbers = 7 * m - 2 + 2 * n + roots;
  EXPECT_GE(stores.sectors, static_cast<std::uint64_t>(numbers / 2));
  EXPECT_LE(stores.sectors, static_cast<std::uint64_t>(numbers / 2 + backwards + 16));
}

TEST(Transforms, OfNumbersThatBeginAtNoMultipleOf16BytesAreRefused) {
  std::vector<double> memory(64);
  auto* const odd = reinterpret_cast<std::complex<double>*>(memory.data() + 1);
  auto* const even = reinterpret_cast<std::complex<double>*>(memory.data() + 32);
  const Fft<double>::Args<> args{{even, 4}, {odd, 4}};
  warp::HostDevice device(cache::warp_machine("h200"));
  EXPECT_THROW(text_of("six_step").run(device, &args, {}), Error);
}

}  // namespace
}  // namespace tallcache::gpu
