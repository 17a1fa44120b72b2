// Products and other results of parallel programs in any floating-point mode: the bytes of one thread in that
// mode.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/catalogue.hpp"
#include "common/random.hpp"
#include "cpu/tallcache/matmul.hpp"
#include "tests/floating_point_modes.hpp"
#include "tests/heartbeat_trees.hpp"
#include "tests/support.hpp"

namespace tallcache::test {
namespace {

/// Every buffer after a run of a variant on `threads` threads, from the same inputs, scaled where they are
/// doubles.
std::vector<std::vector<std::byte>> results(const Variant& variant, const Shape& shape, int threads,
                                            double scale) {
  const Operation& operation = *variant.operation;
  const Params params = complete_params(variant, {});
  std::vector<std::vector<std::byte>> buffers;
  std::vector<std::byte*> pointers;
  for (const BufferSpec& spec : operation.buffers(shape))
    pointers.push_back(buffers.emplace_back(spec.bytes + 1).data());
  {
    const InMode in(to_nearest);
    operation.fill(shape, operation.inputs.front(), 1, pointers);
    if (operation.element == "double" && scale != 1)
      for (auto& buffer : buffers)
        for (std::size_t i = 0; i + sizeof(double) < buffer.size(); i += sizeof(double))
          reinterpret_cast<double&>(buffer[i]) *= scale;
  }
  // From a line on, as an executor's.
  const std::size_t scratch_bytes = variant.scratch(shape, params, threads);
  std::vector<std::byte> memory(scratch_bytes + 64);
  void* scratch = memory.data();
  std::size_t room = memory.size();
  std::align(64, scratch_bytes, scratch, room);
  ArgsStorage args;
  operation.bind(shape, pointers, {static_cast<std::byte*>(scratch), scratch_bytes}, args);
  for (Entry entry : variant.entries) entry(args.bytes, params, Launch{.threads = threads});
  return buffers;
}

// The bytes of one thread in the mode, of every parallel variant on numbers; they are not those of rounding
// to nearest.
TEST(FloatingPointOfVariants, SameBytesOnAnyNumberOfThreads) {
  if (usable_threads() < 2) GTEST_SKIP() << "needs 2 processors";
  const Impatience promoting;
  const std::pair<std::string_view, Shape> shapes[] = {
      {"matmul", {{"m", 170}, {"n", 150}, {"k", 160}}},
      {"matmul_bt", {{"m", 170}, {"n", 150}, {"k", 160}}},
      {"matmul_batched", {{"batch", 40}, {"m", 30}, {"n", 30}, {"k", 30}}},
      {"lu", {{"n", 200}}},
      {"lu_pivot", {{"n", 200}}},
      {"fft", {{"n", 4096}}},
      {"fft_real", {{"n", 4096}}},
      {"fft_batched", {{"n", 64}, {"batch", 100}}},
      {"fft_2d", {{"m", 64}, {"n", 60}}},
      {"gemv", {{"m", 500}, {"n", 500}}}};
  std::vector<std::string_view> compared;
  for (const Variant* variant : variants())
    for (const auto& [name, sizes] : shapes) {
      if (variant->backend != "cpu" || variant->peer || !variant->parallel ||
          variant->operation->name != name || !variant->unavailable().empty())
        continue;
      const Shape shape = complete_shape(*variant->operation, sizes);
      if (variant->operation->element == "int32" || !variant->supports(shape)) continue;
      for (const FloatingPointMode& mode : odd_modes) {
        // Products and sums of such doubles are subnormal. Other types are not flushed here.
        if (mode.flushes && (variant->operation->element != "double" || name != "matmul")) continue;
        const double scale = mode.flushes ? 0x1p-520 : 1;
        const auto nearest = results(*variant, shape, 1, scale);
        const auto in_mode = [&](int threads) {
          const InMode in(mode);
          return results(*variant, shape, threads, scale);
        };
        const auto serial = in_mode(1);
        if (name != "lu" && name != "lu_pivot" && variant->operation->element == "double") {
          EXPECT_NE(serial, nearest) << identifier(*variant) << ": " << mode << " makes no difference";
        }
        for (ForkPolicy policy : fork_policies) {
          set_fork_policy(policy);
          EXPECT_EQ(in_mode(2), serial)
              << identifier(*variant) << " " << mode << " " << tallcache::name_of(policy);
          EXPECT_EQ(results(*variant, shape, 2, scale), nearest)
              << identifier(*variant) << " after " << mode << " " << tallcache::name_of(policy);
        }
        set_fork_policy(default_fork_policy);
      }
      compared.push_back(name);
    }
  EXPECT_GE(compared.size(), 15u);
}

TEST(FloatingPointOfGemm, SameBytesOnAnyNumberOfThreads) {
  if (usable_threads() < 2) GTEST_SKIP() << "needs 2 processors";
  constexpr Index n = 300;
  std::vector<double> a(n * n), b(n * n);
  const auto fill = [&](double scale) {
    for (Index i = 0; i < n * n; ++i) a[i] = scale * random_unit(1, i), b[i] = scale * random_unit(2, i);
  };
  const auto product = [&](int threads) {
    std::vector<double> c(n * n);
    gemm(MatrixView<double>{c.data(), n, n, n}, {a.data(), n, n, n}, {b.data(), n, n, n}, threads);
    return c;
  };
  for (ForkPolicy policy : fork_policies)
    for (const FloatingPointMode& mode : odd_modes) {
      set_fork_policy(policy);
      fill(mode.flushes ? 0x1p-520 : 1);
      const auto nearest = product(1);
      {
        const InMode in(mode);
        EXPECT_TRUE(same_bytes(product(2), product(1))) << mode;
        EXPECT_FALSE(same_bytes(product(2), nearest)) << mode;
      }
      EXPECT_TRUE(same_bytes(product(2), nearest)) << "after " << mode;
    }
  set_fork_policy(default_fork_policy);
}

}  // namespace
}  // namespace tallcache::test
