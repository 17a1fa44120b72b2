// The GPU's fast products at the edges of their paths: tiles of every size and one element more or less,
// rows that start anywhere, few steps along k and many, infinities. Skipped without a device.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "common/ops/matmul.hpp"
#include "common/random.hpp"
#include "tests/on_executor.hpp"

namespace tallcache::test {
namespace {

/// Where A, B and C lie: elements behind a multiple of 4096 bytes, and of a row behind its columns.
struct Layout {
  Index skip = 0, pad = 0;
};

class Multiplying : public OnExecutor {
 protected:
  static constexpr float around = -7;

  // Small whole numbers: every sum is exact.
  template <class T>
  static std::vector<T> numbers(Index size, std::uint64_t seed) {
    std::vector<T> values(size);
    for (Index i = 0; i < size; ++i)
      values[i] = T(static_cast<float>(static_cast<int>(random_up_to(seed, i, 8)) - 4));
    return values;
  }

  /// C, with all that lies around it, by the variant of the product of T.
  template <class T>
  std::vector<float> product(std::string_view name, const std::vector<T>& a, const std::vector<T>& b, Index m,
                             Index n, Index k, const Layout& layout, const Params& given = {}) {
    const auto& [skip, pad] = layout;
    std::vector<float> c(skip + m * (n + pad) + 64, around);
    const auto a_memory = executor->allocate(a.size() * sizeof(T)),
               b_memory = executor->allocate(b.size() * sizeof(T)),
               c_memory = executor->allocate(c.size() * sizeof(float));
    executor->upload(*a_memory, std::as_bytes(std::span(a)));
    executor->upload(*b_memory, std::as_bytes(std::span(b)));
    executor->upload(*c_memory, std::as_bytes(std::span(c)));
    const Variant& variant = find_variant(operation_of<Matmul<T>>, name, "gpu");
    const Params params = complete_params(variant, given);
    typename Matmul<T>::template Args<> args{{place<float>(*c_memory, skip), m, n, n + pad},
                                             {place<const T>(*a_memory, skip), m, k, k + pad},
                                             {place<const T>(*b_memory, skip), k, n, n + pad}};
    const auto scratch = executor->allocate(variant.scratch(Matmul<T>::shape_of(args), params));
    executor->fill(*scratch, 0xff);
    args.scratch = Scratch<>(scratch->bytes());
    run(variant, &args, params);
    EXPECT_TRUE(a_memory->guards_intact() && b_memory->guards_intact() && c_memory->guards_intact() &&
                scratch->guards_intact());
    executor->download(std::as_writable_bytes(std::span(c)), *c_memory);
    return c;
  }

  template <class T>
  void multiply(std::string_view name, Index m, Index n, Index k, const Layout& layout = {},
                const Params& params = {}) {
    SCOPED_TRACE(testing::Message() << name << " " << m << " x " << n << " x " << k << ", " << layout.skip
                                    << " elements in, pad " << layout.pad << ", " << to_string(params));
    const auto& [skip, pad] = layout;
    const std::vector<T> a = numbers<T>(skip + m * (k + pad), 1), b = numbers<T>(skip + k * (n + pad), 2);
    std::vector<float> expected(skip + m * (n + pad) + 64, around);
    for (Index i = 0; i < m; ++i) {
      float* const row = expected.data() + skip + i * (n + pad);
      std::fill_n(row, n, 0.f);
      for (Index l = 0; l < k; ++l)
        for (Index j = 0; j < n; ++j)
          row[j] += static_cast<float>(a[skip + i * (k + pad) + l]) * b[skip + l * (n + pad) + j];
    }
    const std::vector<float> c = product<T>(name, a, b, m, n, k, layout, params);
    const auto differs = std::ranges::mismatch(c, expected).in1 - c.begin();
    EXPECT_TRUE(c == expected) << "first at " << differs;
  }
};

constexpr std::string_view float_variants[] = {"register_tiles", "vector_loads", "asynchronous_copies",
                                               "warp_tiles", "any_shape"};

TEST_F(Multiplying, OneElementMoreOrLessThanTiles) {
  for (const std::string_view name : float_variants)
    for (Index m : {1, 31, 33, 65, 127, 128, 129, 257})
      for (Index n : {1, 32, 33, 64, 127, 129, 255, 256, 257})
        multiply<float>(name, m, n, (m + n) % 5 * 16 + n % 3);
}

TEST_F(Multiplying, StepsAlongK) {
  for (const std::string_view name : float_variants)
    for (Index k : {0, 1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 47, 48, 49, 64, 65, 97, 4099})
      multiply<float>(name, 70, 68, k);
}

TEST_F(Multiplying, RowsThatStartAnywhere) {
  for (const std::string_view name : float_variants)
    for (Index skip : {0, 1, 2, 4})
      for (Index pad : {0, 1, 2, 3, 4}) multiply<float>(name, 131, 260, 35, {skip, pad});
}

TEST_F(Multiplying, OrdersOfBlocks) {
  for (Index order : {0, 1, 2, 3}) multiply<float>("warp_tiles", 2500, 1300, 20, {}, {{"order", order}});
}

// Tiles of each size, whole and with a remainder that is split along k (for an H200's 132 multiprocessors).
TEST_F(Multiplying, TilesOfEachSize) {
  multiply<float>("any_shape", 1, 1, 100000);
  multiply<float>("any_shape", 129, 129, 129, {1, 2});    // 32 x 32
  multiply<float>("any_shape", 257, 255, 255);            // 32 x 32, k in four
  multiply<float>("any_shape", 40, 4000, 300);            // 64 x 32
  multiply<float>("any_shape", 64, 64, 20000);            // the same, split
  multiply<float>("any_shape", 2049, 2500, 66);           // 64 x 64
  multiply<float>("any_shape", 513, 513, 513);            // 64 x 64, k in four
  multiply<float>("any_shape", 64, 64, 100001, {1, 1});   // the same, split
  multiply<float>("any_shape", 1000, 1000, 500, {1, 1});  // 64 x 128, k in two
  multiply<float>("any_shape", 1050, 1030, 700);          // the same, split
}

// 128 x 256, split; rows of B copied to aligned ones, aligned, and read as they are. All sums are exact.
TEST_F(Multiplying, LargeTilesSplitAlongK) {
  const Index m = 2300, n = 6101, k = 3000;
  const auto a = numbers<float>(m * (k + 3) + 1, 1), b = numbers<float>(k * (n + 3) + 1, 2);
  for (const Layout& layout : {Layout{0, 0}, Layout{0, 3}, Layout{1, 3}})
    EXPECT_TRUE(product<float>("any_shape", a, b, m, n, k, layout) ==
                product<float>("warp_tiles", a, b, m, n, k, layout))
        << layout.skip << " elements in, pad " << layout.pad;
}

// C of few rows or columns, k in one piece and in many.
TEST_F(Multiplying, ThinProducts) {
  for (Index few : {1, 2, 3, 4, 5})
    for (Index many : {1, 4, 127, 128, 129, 3001})
      for (Index k : {0, 1, 31, 33, 700}) {
        multiply<float>("any_shape", few, many, k, {1, 2});
        multiply<float>("any_shape", many, few, k, {1, 2});
      }
  multiply<float>("any_shape", 1, 300, 20001);
  multiply<float>("any_shape", 300, 1, 20001);
}

// Partial sums are added in a fixed order.
TEST_F(Multiplying, TheSameBitsInEveryRun) {
  const Index m = 200, n = 300, k = 7000;
  std::vector<float> a(m * k), b(k * n);
  for (Index i = 0; i < m * k; ++i) a[i] = Element<float>::uniform(1, i);
  for (Index i = 0; i < k * n; ++i) b[i] = Element<float>::uniform(2, i);
  const std::vector<float> first = product<float>("any_shape", a, b, m, n, k, {});
  for (int run = 0; run < 3; ++run) EXPECT_TRUE(product<float>("any_shape", a, b, m, n, k, {}) == first);
}

// An infinity and a NaN of A reach their rows of C alone; zeros that fill tiles do not turn others to NaN.
TEST_F(Multiplying, InfinityAndNaN) {
  const Index m = 70, n = 90, k = 37;
  for (const std::string_view name : float_variants) {
    std::vector<float> a(m * k, 1.f), b(k * n, 2.f);
    a[5 * k + k - 1] = std::numeric_limits<float>::infinity();
    a[(m - 1) * k] = std::numeric_limits<float>::quiet_NaN();
    const std::vector<float> c = product<float>(name, a, b, m, n, k, {});
    for (Index i = 0; i < m; ++i)
      for (Index j = 0; j < n; ++j) {
        const float got = c[i * n + j];
        const bool right = i == 5       ? std::isinf(got) && got > 0
                           : i == m - 1 ? std::isnan(got)
                                        : got == 2.f * k;
        ASSERT_TRUE(right) << name << " (" << i << ", " << j << "): " << got;
      }
  }
}

class OnTensorCores : public Multiplying {
 protected:
  void SetUp() override {
    Multiplying::SetUp();
    if (!has_device()) return;
    const std::string reason =
        find_variant(operation_of<Matmul<Bfloat16>>, "specialised_warps", "gpu").unavailable();
    if (!reason.empty()) GTEST_SKIP() << reason;
  }
  void multiply_bfloat16(Index m, Index n, Index k, const Layout& layout = {}, const Params& params = {}) {
    multiply<Bfloat16>("specialised_warps", m, n, k, layout, params);
  }
};

TEST_F(OnTensorCores, OneElementMoreOrLessThanTiles) {
  for (Index m : {1, 63, 64, 65, 127, 128, 129, 255, 256, 257})
    for (Index n : {8, 16, 64, 248, 256, 264}) multiply_bfloat16(m, n, 72);
}

TEST_F(OnTensorCores, StepsAlongK) {
  for (Index k : {0, 1, 2, 15, 16, 63, 64, 65, 128, 255, 256, 257, 320, 1000}) multiply_bfloat16(130, 40, k);
}

// Rows of no whole 16 bytes are copied; C's rows start anywhere.
TEST_F(OnTensorCores, RowsThatStartAnywhere) {
  for (Index pad : {0, 1, 2, 4, 5, 7, 8, 9}) {
    multiply_bfloat16(100, 72, 72, {0, pad});
    multiply_bfloat16(33, 71, 65, {0, pad});
    multiply_bfloat16(70, 1, 1, {0, pad});
    multiply_bfloat16(70, 264, 72, {8, pad});
  }
}

TEST_F(OnTensorCores, OrdersOfBlocks) {
  for (Index order : {0, 1, 2, 3}) multiply_bfloat16(2600, 2100, 80, {}, {{"order", order}});
}

TEST_F(OnTensorCores, RefusesOddAddresses) {
  const auto memory = executor->allocate(1 << 16);
  const Matmul<Bfloat16>::Args<> args{{place<float>(*memory, 0), 8, 8, 8},
                                      {place<const Bfloat16>(*memory, 4097), 8, 8, 8},
                                      {place<const Bfloat16>(*memory, 8192), 8, 8, 8}};
  const Variant& variant = find_variant(operation_of<Matmul<Bfloat16>>, "specialised_warps", "gpu");
  EXPECT_THROW(run(variant, &args, complete_params(variant, {})), Error);
}

}  // namespace
}  // namespace tallcache::test
