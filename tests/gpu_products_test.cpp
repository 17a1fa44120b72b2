// The GPU's fast products at the edges of their paths: tiles of every size and one element more or less,
// rows that start anywhere, few steps along k and many, infinities. Skipped without a device.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "common/ops/matmul_tf32.hpp"
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

  template <class T>
  std::unique_ptr<Memory> on_device(const std::vector<T>& values) {
    auto memory = executor->allocate(values.size() * sizeof(T));
    executor->upload(*memory, std::as_bytes(std::span(values)));
    return memory;
  }

  /// C, with all that lies around it, by the variant of the product of T.
  template <class T, class Op = Matmul<T>>
  std::vector<typename Op::Sum> product(std::string_view name, const std::vector<T>& a,
                                        const std::vector<T>& b, Index m, Index n, Index k,
                                        const Layout& layout, const Params& given = {}) {
    const auto& [skip, pad] = layout;
    using Sum = typename Op::Sum;
    std::vector<Sum> c(skip + m * (n + pad) + 64, around);
    const auto a_memory = on_device(a), b_memory = on_device(b), c_memory = on_device(c);
    const Variant& variant = find_variant(operation_of<Op>, name, "gpu");
    const Params params = complete_params(variant, given);
    typename Op::template Args<> args{{place<Sum>(*c_memory, skip), m, n, n + pad},
                                      {place<const T>(*a_memory, skip), m, k, k + pad},
                                      {place<const T>(*b_memory, skip), k, n, n + pad}};
    const auto scratch = executor->allocate(variant.scratch(Op::shape_of(args), params));
    executor->fill(*scratch, 0xff);
    args.scratch = Scratch<>(scratch->bytes());
    run(variant, &args, params);
    EXPECT_TRUE(a_memory->guards_intact() && b_memory->guards_intact() && c_memory->guards_intact() &&
                scratch->guards_intact());
    executor->download(std::as_writable_bytes(std::span(c)), *c_memory);
    return c;
  }

  template <class T, class Op = Matmul<T>>
  void multiply(std::string_view name, Index m, Index n, Index k, const Layout& layout = {},
                const Params& params = {}) {
    SCOPED_TRACE(testing::Message() << name << " " << m << " x " << n << " x " << k << ", " << layout.skip
                                    << " elements in, pad " << layout.pad << ", " << to_string(params));
    const auto& [skip, pad] = layout;
    const std::vector<T> a = numbers<T>(skip + m * (k + pad), 1), b = numbers<T>(skip + k * (n + pad), 2);
    using Sum = typename Op::Sum;
    std::vector<Sum> expected(skip + m * (n + pad) + 64, around);
    for (Index i = 0; i < m; ++i) {
      Sum* const row = expected.data() + skip + i * (n + pad);
      std::fill_n(row, n, Sum{});
      for (Index l = 0; l < k; ++l)
        for (Index j = 0; j < n; ++j)
          row[j] += static_cast<Sum>(a[skip + i * (k + pad) + l]) * b[skip + l * (n + pad) + j];
    }
    const std::vector<Sum> c = product<T, Op>(name, a, b, m, n, k, layout, params);
    const auto differs = std::ranges::mismatch(c, expected).in1 - c.begin();
    EXPECT_TRUE(c == expected) << "first at " << differs;
  }

  // An infinity and a NaN of A reach their rows of C alone; zeros that fill tiles do not turn others to NaN.
  template <class Op>
  void multiply_infinity_and_nan(std::string_view name) {
    const Index m = 70, n = 90, k = 37;
    std::vector<float> a(m * k, 1.f), b(k * n, 2.f);
    a[5 * k + k - 1] = std::numeric_limits<float>::infinity();
    a[(m - 1) * k] = std::numeric_limits<float>::quiet_NaN();
    const std::vector<float> c = product<float, Op>(name, a, b, m, n, k, {});
    for (Index i = 0; i < m; ++i)
      for (Index j = 0; j < n; ++j) {
        const float got = c[i * n + j];
        const bool right = i == 5       ? std::isinf(got) && got > 0
                           : i == m - 1 ? std::isnan(got)
                                        : got == 2.f * k;
        ASSERT_TRUE(right) << name << " (" << i << ", " << j << "): " << got;
      }
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
  multiply<float>("any_shape", 687, 1107, 837);           // 64 x 128, B copied first
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

TEST_F(Multiplying, InfinityAndNaN) {
  for (const std::string_view name : float_variants) multiply_infinity_and_nan<Matmul<float>>(name);
}

TEST_F(Multiplying, DoublesOnTensorCores) {
  for (Index m : {1, 8, 63, 65, 127, 128, 129, 257})
    for (Index n : {1, 2, 15, 64, 65, 127, 128, 129, 257}) multiply<double>("warp_mma", m, n, (m + n) % 37);
  for (Index k : {0, 1, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 47, 48, 49, 63, 65, 4099})
    multiply<double>("warp_mma", 70, 68, k);
  for (Index skip : {0, 1, 2})
    for (Index pad : {0, 1, 2, 3}) multiply<double>("warp_mma", 131, 260, 35, {skip, pad});
  for (Index order : {0, 1, 2, 3})
    multiply<double>("warp_mma", 2500, 1300, 70, {}, {{"order", order}});  // large tiles, and a remainder
}

// Doubles in tiles of each size: clusters of blocks with parts of k, and steps that all blocks share.
TEST_F(Multiplying, DoublesSplitAlongK) {
  for (const Index n : {511, 512, 513, 1023, 1025}) multiply<double>("warp_mma", 257, n, n, {n % 2, n % 3});
  multiply<double>("warp_mma", 64, 64, 20000);
  multiply<double>("warp_mma", 63, 65, 20001, {1, 1});
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
  /// 70 x 71 = 70 x 75 times 75 x 71, from column 3 of row 1 of each on.
  template <class Op, class T>
  void multiply_parts(std::string_view name, Index a_ld, Index b_ld, Index c_ld) {
    SCOPED_TRACE(testing::Message() << name << ", leading dimensions " << a_ld << ", " << b_ld << ", "
                                    << c_ld);
    const Index m = 70, n = 71, k = 75;
    const auto start = [](Index ld) { return ld + 3; };
    const std::vector<T> a = numbers<T>((m + 2) * a_ld, 1), b = numbers<T>((k + 2) * b_ld, 2);
    std::vector<float> c((m + 2) * c_ld, around);
    const auto a_memory = on_device(a), b_memory = on_device(b), c_memory = on_device(c);
    typename Op::template Args<> args{{place<float>(*c_memory, start(c_ld)), m, n, c_ld},
                                      {place<const T>(*a_memory, start(a_ld)), m, k, a_ld},
                                      {place<const T>(*b_memory, start(b_ld)), k, n, b_ld}};
    const Variant& variant = find_variant(operation_of<Op>, name, "gpu");
    const Params params = complete_params(variant, {});
    const auto scratch = executor->allocate(variant.scratch(Op::shape_of(args), params));
    args.scratch = Scratch<>(scratch->bytes());
    run(variant, &args, params);
    std::vector<float> expected = c;
    for (Index i = 0; i < m; ++i)
      for (Index j = 0; j < n; ++j) {
        float& sum = expected[start(c_ld) + i * c_ld + j] = 0;
        for (Index l = 0; l < k; ++l)
          sum += static_cast<float>(a[start(a_ld) + i * a_ld + l]) * b[start(b_ld) + l * b_ld + j];
      }
    executor->download(std::as_writable_bytes(std::span(c)), *c_memory);
    EXPECT_TRUE(c == expected);
    EXPECT_TRUE(c_memory->guards_intact() && scratch->guards_intact());
  }

  /// By every variant for compute capability 9.0 alone.
  void multiply_all(Index m, Index n, Index k, const Layout& layout = {}) {
    multiply<Bfloat16>("specialised_warps", m, n, k, layout);
    multiply<float, MatmulTf32>("transposed_wgmma", m, n, k, layout);
    for (const std::string_view name : {"three_products", "three_truncated"})
      multiply<float>(name, m, n, k, layout);
  }
};

TEST_F(OnTensorCores, OneElementMoreOrLessThanTiles) {
  for (Index m : {1, 63, 64, 65, 127, 128, 129, 175, 176, 177, 255, 256, 257})
    for (Index n : {1, 15, 16, 17, 64, 127, 128, 129, 248, 256, 264}) multiply_all(m, n, 72);
}

TEST_F(OnTensorCores, StepsAlongK) {
  for (Index k :
       {0, 1, 2, 7, 8, 9, 15, 16, 31, 32, 33, 63, 64, 65, 96, 97, 128, 129, 160, 255, 256, 257, 320, 1000})
    multiply_all(130, 40, k);
}

// Bulk copies read rows that start at multiples of 16 bytes; others are copied first. C's rows start
// anywhere.
TEST_F(OnTensorCores, RowsThatStartAnywhere) {
  for (Index pad : {0, 1, 2, 4, 5, 7, 8, 9}) {
    multiply_all(100, 72, 72, {0, pad});
    multiply_all(33, 71, 65, {0, pad});
    multiply_all(70, 1, 1, {0, pad});
    multiply_all(70, 264, 72, {8, pad});
  }
  for (Index skip : {1, 2, 3, 5, 7}) multiply_all(70, 75, 73, {skip, 2});
}

// Rows of C that are whole 16 bytes apart, but end between multiples of 16 bytes: what lies behind them
// stays.
TEST_F(OnTensorCores, RowsThatEndBetweenMultiplesOf16Bytes) {
  for (Index n : {1, 2, 3, 4, 33, 71, 127, 255, 257, 1001}) multiply_all(70, n, 72, {0, 8 - n % 8});
  for (Index n : {71, 255}) multiply_all(2300, n, 72, {0, 8 - n % 8});
}

// Rows that are whole 16 bytes apart, but start between multiples of 16 bytes.
TEST_F(OnTensorCores, FactorsBetweenMultiplesOf16Bytes) {
  for (Index skip : {1, 2, 3, 4, 7, 9}) {
    multiply_all(70, 72, 72, {skip, 0});
    multiply_all(70, 64, 56, {skip, 8});
    multiply_all(1, 8, 8, {skip, 0});
  }
  multiply_all(700, 520, 264, {1, 0});
}

// Parts of larger matrices: A, B and C have leading dimensions of their own, of which the shape says nothing.
TEST_F(OnTensorCores, PartsOfLargerMatrices) {
  for (const Index a_ld : {80, 81})
    for (const Index b_ld : {96, 97, 99})
      for (const Index c_ld : {72, 73}) {
        multiply_parts<Matmul<Bfloat16>, Bfloat16>("specialised_warps", a_ld, b_ld, c_ld);
        multiply_parts<MatmulTf32, float>("transposed_wgmma", a_ld, b_ld, c_ld);
        multiply_parts<Matmul<float>, float>("three_products", a_ld, b_ld, c_ld);
      }
}

// Tiles of each size, also those whose blocks have parts of k, of factors that are copied and that are not.
TEST_F(OnTensorCores, ShortProducts) {
  for (const Index n : {64, 257, 512, 513, 1024}) {
    multiply_all(n, n, n % 8 == 0 ? 520 : 517);
    multiply_all(200, n, 1100, {0, n % 3});
  }
  for (const Index n : {1280, 1536, 2049, 2304}) multiply_all(n, n, 70, {0, 8 - n % 8});
}

// Blocks add the parts of a tile in the order of k.
TEST_F(OnTensorCores, TheSameBitsInEveryRun) {
  const Index m = 500, n = 512, k = 1024;
  std::vector<float> a(m * k), b(k * n);
  for (Index i = 0; i < m * k; ++i) a[i] = Element<float>::uniform(1, i);
  for (Index i = 0; i < k * n; ++i) b[i] = Element<float>::uniform(2, i);
  const auto run = [&] { return product<float, MatmulTf32>("transposed_wgmma", a, b, m, n, k, {}); };
  const std::vector<float> first = run();
  for (int again = 0; again < 3; ++again) EXPECT_TRUE(run() == first);
}

TEST_F(OnTensorCores, OrdersOfBlocks) {
  for (Index order : {0, 1, 2, 3}) {
    multiply<Bfloat16>("specialised_warps", 2600, 2100, 80, {}, {{"order", order}});
    multiply<float, MatmulTf32>("transposed_wgmma", 2600, 2100, 80, {}, {{"order", order}});
  }
  multiply<float>("three_products", 2600, 2100, 80);
}

TEST_F(OnTensorCores, InfinityAndNaN) {
  multiply_infinity_and_nan<MatmulTf32>("transposed_wgmma");
  multiply_infinity_and_nan<Matmul<float>>("three_products");
  multiply_infinity_and_nan<Matmul<float>>("three_truncated");
}

// The largest error over |A||B| in u = 2^-24, of a few rows. One TF32 product has thousands; sums that the
// tensor cores make alone have k / 8 and more where all elements are positive.
TEST_F(OnTensorCores, ThreeProductsAreAsExactAsFloat) {
  struct Case {
    Index m, n, k;
    double of_either_sign, positive;
  };
  // Sums of 32 steps; the same, compensated; sums of 128 (on an H200: more tiles than multiprocessors).
  constexpr Case cases[] = {
      {60, 50, 16, 6, 6}, {60, 50, 1000, 3, 12}, {60, 50, 3000, 1, 5}, {1700, 1500, 1100, 6, 40}};
  for (const auto& [m, n, k, of_either_sign, positive] : cases)
    for (const bool is_positive : {false, true}) {
      std::vector<float> a(m * k), b(k * n);
      for (Index i = 0; i < m * k; ++i) a[i] = Element<float>::uniform(1, i);
      for (Index i = 0; i < k * n; ++i) b[i] = Element<float>::uniform(2, i);
      for (auto* factor : {&a, &b})
        for (float& x : *factor)
          if (is_positive) x = std::abs(x);
      const std::vector<float> c = product<float>("three_products", a, b, m, n, k, {});
      double worst = 0;
      for (Index i = 0; i < m; i += m / 4)
        for (Index j = 0; j < n; ++j) {
          double sum = 0, magnitude = 0;
          for (Index l = 0; l < k; ++l) {
            const double product = static_cast<double>(a[i * k + l]) * b[l * n + j];
            sum += product;
            magnitude += std::abs(product);
          }
          const double error = std::abs(c[i * n + j] - sum) / magnitude;
          if (!(error <= worst)) worst = error;  // so that a NaN stays
        }
      EXPECT_LT(worst * 0x1p24, is_positive ? positive : of_either_sign) << m << " " << n << " " << k;
    }
}

}  // namespace
}  // namespace tallcache::test
