// The product in bfloat16 with float sums: every register kernel that this machine can run, against sums in
// double.
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "common/amx.hpp"
#include "common/random.hpp"
#include "cpu/matmul/amx_kernel.hpp"
#include "cpu/matmul/gemm.hpp"
#include "cpu/matmul/tile_product.hpp"
#include "tests/each_target.hpp"
#include "tests/model_tiles.hpp"
#include "tests/support.hpp"

namespace tallcache {
namespace {

using namespace cpu::matmul;
using Kernel = RegisterKernel<Bfloat16>;

/// Calls body(kernel) for each kernel, the widening one on each target. That of AMX runs everywhere on a
/// model of the tile registers.
void for_each_kernel(const std::function<void(const Kernel&)>& body) {
  if (const Kernel* const dots = dot_kernel()) {
    SCOPED_TRACE("AVX-512 BF16");
    body(*dots);
  }
  if (amx_unavailable().empty()) {
    SCOPED_TRACE("AMX");
    body(amx_kernel());
  }
  {
    SCOPED_TRACE("a model of AMX");
    body(TileProduct<ModelTiles>::kernel);
  }
  test::for_each_target([&] { body(widening_kernel()); });
}

constexpr float nan_value = std::numeric_limits<float>::quiet_NaN();

struct Case {
  Index m, n, k, pad = 0;
  float alpha = 1, beta = 0;
  GemmSizes sizes{};
  bool random = false;  ///< else small whole numbers, whose sums are exact
};

std::vector<Bfloat16> factor(Index rows, Index cols, Index pad, bool random, std::uint64_t seed) {
  std::vector<Bfloat16> x(rows * (cols + pad), Bfloat16(nan_value));
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < cols; ++j) {
      const double unit = random_unit(seed, i * cols + j);
      x[i * (cols + pad) + j] =
          Bfloat16(static_cast<float>(random ? 2 * unit - 1 : std::floor(17 * unit) - 8));
    }
  return x;
}

template <class Fork = Serial>
void multiply(const Kernel& kernel, const Case& x, const std::vector<Bfloat16>& a,
              const std::vector<Bfloat16>& b, std::vector<float>& c) {
  std::vector<std::byte> memory(
      gemm_scratch_bytes<Bfloat16>(Layout::row_major, Trans::no, Trans::no, x.m, x.n, x.k, x.sizes, kernel) +
      64);
  const auto offset = (64 - reinterpret_cast<std::uintptr_t>(memory.data()) % 64) % 64;
  Fork fork;
  cpu::matmul::detail::gemm_rows<Fork, Bfloat16, Plain>(
      fork, Trans::no, Trans::no, x.alpha, {a.data(), x.m, x.k, x.k + x.pad},
      {b.data(), x.k, x.n, x.n + x.pad}, x.beta, {c.data(), x.m, x.n, x.n + x.pad},
      Scratch<>(std::span(memory).subspan(offset)), x.sizes, kernel);
}

void check(const Kernel& kernel, const Case& x) {
  SCOPED_TRACE(std::to_string(x.m) + " x " + std::to_string(x.n) + " x " + std::to_string(x.k) + " pad " +
               std::to_string(x.pad));
  const auto a = factor(x.m, x.k, x.pad, x.random, 1), b = factor(x.k, x.n, x.pad, x.random, 2);
  const Index ld = x.n + x.pad;
  std::vector<float> c(x.m * ld, nan_value);
  for (Index i = 0; i < x.m && x.beta != 0; ++i)
    for (Index j = 0; j < x.n; ++j) c[i * ld + j] = static_cast<float>((i + 2 * j) % 7);
  const std::vector<float> before = c;
  multiply(kernel, x, a, b, c);
  for (Index i = 0; i < x.m; ++i)
    for (Index j = 0; j < x.n; ++j) {
      double sum = 0, magnitude = 0;
      for (Index l = 0; l < x.k; ++l) {
        const double product = double{a[i * (x.k + x.pad) + l]} * double{b[l * ld + j]};
        sum += product, magnitude += std::abs(product);
      }
      const double old = x.beta == 0 ? 0 : x.beta * before[i * ld + j], expected = x.alpha * sum + old;
      const double bound = x.random ? (x.k + 4) * 0x1p-23 * (magnitude + std::abs(old)) : 0;
      ASSERT_LE(std::abs(c[i * ld + j] - expected), bound) << i << ", " << j << " is " << c[i * ld + j];
    }
  for (Index i = 0; i < x.m; ++i)
    for (Index j = x.n; j < ld; ++j) ASSERT_TRUE(std::isnan(c[i * ld + j])) << "the padding of row " << i;
}

TEST(GemmBfloat16, IsExactOnWholeNumbers) {
  for_each_kernel([](const Kernel& kernel) {
    for (const auto& [m, n, k] : {std::array<Index, 3>{1, 1, 1},
                                  {8, 48, 32},
                                  {9, 49, 33},
                                  {31, 33, 65},
                                  {32, 32, 64},
                                  {3, 97, 1},
                                  {64, 17, 5},
                                  {61, 67, 71}})
      for (const Index pad : {0, 3})
        for (const GemmSizes& sizes : {GemmSizes{}, GemmSizes{.kc = 7, .mc = 16, .nc = 16}})
          for (const float beta : {0.f, 1.f, -0.5f})
            check(kernel, {.m = m, .n = n, .k = k, .pad = pad, .alpha = 2, .beta = beta, .sizes = sizes});
  });
}

TEST(GemmBfloat16, RoundsAsFloatDoes) {
  for_each_kernel([](const Kernel& kernel) {
    check(kernel, {.m = 130, .n = 257, .k = 300, .pad = 1, .random = true});
    check(kernel, {.m = 37, .n = 41, .k = 2500, .random = true});
  });
}

// As on 16 threads, whose leaves pack for themselves.
TEST(GemmBfloat16, SameBytesAsSharedByManyThreads) {
  for_each_kernel([](const Kernel& kernel) {
    for (const auto& [m, n, k] : {std::array<Index, 3>{320, 320, 320}, {33, 900, 1100}, {131, 167, 2049}}) {
      const Case x{.m = m, .n = n, .k = k, .random = true};
      const auto a = factor(m, k, 0, true, 1), b = factor(k, n, 0, true, 2);
      std::vector<float> serial(m * n, nan_value), shared(m * n, nan_value);
      multiply(kernel, x, a, b, serial);
      multiply<test::SerialOf16>(kernel, x, a, b, shared);
      EXPECT_EQ(0, std::memcmp(serial.data(), shared.data(), serial.size() * sizeof(float))) << m;
    }
  });
}

TEST(GemmBfloat16, EmptySizes) {
  for_each_kernel([](const Kernel& kernel) {
    for (const auto& [m, n, k] : {std::array<Index, 3>{0, 5, 7}, {5, 0, 7}, {5, 7, 0}})
      check(kernel, {.m = m, .n = n, .k = k, .pad = 1});
  });
}

// They go where they go in the plain product, and no further: a panel's padding makes none.
TEST(GemmBfloat16, InfinitiesAndNans) {
  for_each_kernel([](const Kernel& kernel) {
    const Case x{.m = 35, .n = 53, .k = 39};
    auto a = factor(x.m, x.k, 0, false, 1), b = factor(x.k, x.n, 0, false, 2);
    for (Bfloat16& element : b)
      if (static_cast<float>(element) == 0) element = Bfloat16(1.f);  // infinity times zero is a NaN
    a[2 * x.k + 38] = Bfloat16(std::numeric_limits<float>::infinity());
    b[38 * x.n + 52] = Bfloat16(nan_value);
    std::vector<float> c(x.m * x.n);
    multiply(kernel, x, a, b, c);
    for (Index i = 0; i < x.m; ++i)
      for (Index j = 0; j < x.n; ++j) {
        const float element = c[i * x.n + j];
        if (j == 52)
          EXPECT_TRUE(std::isnan(element)) << i;
        else if (i == 2)
          EXPECT_EQ(element, static_cast<float>(b[38 * x.n + j]) * std::numeric_limits<float>::infinity())
              << j;
        else
          EXPECT_TRUE(std::isfinite(element)) << i << ", " << j;
      }
  });
}

}  // namespace
}  // namespace tallcache
