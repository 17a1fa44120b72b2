// Error classes: their names, their order, and that the arithmetic of the GPU's split products keeps the
// bounds of theirs and not the standard one.
#include "common/error_class.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "common/ops/matmul.hpp"
#include "tests/hard_factors.hpp"
#include "tests/split_products.hpp"

namespace tallcache::test {
namespace {

TEST(ErrorClasses, HaveNamesThatAreReadBack) {
  std::set<std::string_view> names;
  for (const ErrorClass error_class : error_classes) {
    EXPECT_EQ(parse_error_class(name_of(error_class)), error_class);
    EXPECT_FALSE(bound_text(error_class).empty());
    names.insert(name_of(error_class));
  }
  EXPECT_EQ(names.size(), error_classes.size());
  EXPECT_FALSE(parse_error_class("exact"));
}

TEST(ErrorClasses, BoundsGrowFromClassToClass) {
  for (Index k = 1; k < 5000; k = k * 5 / 4 + 1) {
    const auto of = [&](ErrorClass error_class) {
      return product_bound<float>(error_class, k).componentwise;
    };
    EXPECT_LT(of(ErrorClass::standard), of(ErrorClass::split_factors)) << k;
    EXPECT_LT(of(ErrorClass::split_factors), of(ErrorClass::truncated_sums)) << k;
    const ProductBound norms = product_bound<float>(ErrorClass::normwise, k);
    EXPECT_EQ(norms.componentwise, 0);
    EXPECT_GE(norms.normwise, 0x1p-23 * static_cast<double>(k * k)) << k;
  }
  EXPECT_EQ(product_bound<float>(ErrorClass::standard, 1).componentwise, 3 * 0x1p-23);
  EXPECT_EQ(product_bound<Bfloat16>(ErrorClass::standard, 1).componentwise, 6 * 0x1p-23);
  EXPECT_GT(product_bound<Tf32>(ErrorClass::standard, 1).componentwise, 0x1p-9);
  EXPECT_EQ(product_bound<double>(ErrorClass::normwise, 8).normwise, 64 * 0x1p-52);
  EXPECT_EQ(product_bound<std::int32_t>(ErrorClass::normwise, 100).normwise, 0);
}

// One product by the emulated tensor core, with factors of a kind or, of the empty one, the operation's own.
struct SplitProduct {
  Index m, n, k;
  std::string_view kind;
  std::uint64_t seed = 1;
  std::vector<float> a = std::vector<float>(static_cast<std::size_t>(m * k)),
                     b = std::vector<float>(static_cast<std::size_t>(k * n)),
                     c = std::vector<float>(static_cast<std::size_t>(m * n));
  Matmul<float>::Args<> args{{c.data(), m, n, n}, {a.data(), m, k, k}, {b.data(), k, n, n}};

  SplitProduct(Index m, Index n, Index k, std::string_view kind, std::uint64_t seed)
      : m(m), n(n), k(k), kind(kind), seed(seed) {
    if (kind.empty()) {
      fill_matrix(MatrixView<float>{a.data(), m, k, k}, "uniform", seed);
      fill_matrix(MatrixView<float>{b.data(), k, n, n}, "uniform", seed + 1);
    } else {
      fill_hard(std::span(a), kind, true, seed, k);
      fill_hard(std::span(b), kind, false, seed + 10, k);
    }
  }

  Check check(const TensorCore& core, SplitSums sums, ErrorClass error_class) {
    multiply_split_on_host(core, sums, args.c, args.a, args.b);
    return Matmul<float>::check(Matmul<float>::shape_of(args), kind.empty() ? "uniform" : kind, seed, args,
                                error_class);
  }
};

template <class Visit>
void for_each_product(Index m, Index n, std::span<const Index> depths, Visit&& visit) {
  for (const Index k : depths)
    for (int kind = -1; kind < static_cast<int>(hard_kinds.size()); ++kind)
      for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        SplitProduct product(m, n, k, kind < 0 ? "" : hard_kinds[static_cast<std::size_t>(kind)], seed);
        visit(product);
      }
}

std::string name_of(const SplitProduct& product, const TensorCore& core) {
  return std::string(product.kind) + ", k = " + std::to_string(product.k) + ", " +
         std::to_string(core.extra_bits) + " extra bits";
}

TEST(SplitFactors, KeepTheBoundOfTheirClass) {
  constexpr Index depths[] = {1, 2, 3, 4, 7, 8, 9, 16, 17, 24, 25, 31, 32, 33, 40, 64, 65, 100, 257, 1024};
  for (const int extra_bits : {0, 1, 2, 3})
    for_each_product(6, 7, depths, [&](SplitProduct& product) {
      const TensorCore core{extra_bits};
      const Check fine = product.check(core, SplitSums::fine, ErrorClass::split_factors);
      EXPECT_TRUE(fine) << name_of(product, core) << ": " << fine.message();
    });
}

TEST(SplitFactors, KeepTheBoundOfTheirClassWhereKIsLong) {
  constexpr Index depths[] = {1025, 1100, 2500};
  for (const int extra_bits : {0, 2})
    for_each_product(3, 4, depths, [&](SplitProduct& product) {
      const TensorCore core{extra_bits};
      for (const SplitSums sums : {SplitSums::rounded, SplitSums::compensated}) {
        const Check check = product.check(core, sums, ErrorClass::split_factors);
        EXPECT_TRUE(check) << name_of(product, core) << ": " << check.message();
      }
    });
}

TEST(TruncatedSums, KeepTheBoundOfTheirClass) {
  constexpr Index depths[] = {1, 2, 3, 4, 7, 8, 9, 16, 17, 31, 32, 33, 64, 65, 257, 1500};
  for (const int extra_bits : {0, 1, 2, 3})
    for_each_product(6, 7, depths, [&](SplitProduct& product) {
      const TensorCore core{extra_bits};
      const Check check = product.check(core, SplitSums::truncated, ErrorClass::truncated_sums);
      EXPECT_TRUE(check) << name_of(product, core) << ": " << check.message();
    });
}

// One product of ones behind the digits that a tensor core reads exceeds float's bound at once, as some of
// random factors do.
TEST(SplitFactors, ExceedTheStandardBound) {
  const TensorCore core{2};
  SplitProduct split(11, 13, 1, "split", 1);
  EXPECT_FALSE(split.check(core, SplitSums::fine, ErrorClass::standard));
  EXPECT_TRUE(split.check(core, SplitSums::fine, ErrorClass::split_factors));
  int exceeded = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed)
    exceeded += !SplitProduct(8, 8, 1, "", seed).check(core, SplitSums::fine, ErrorClass::standard);
  EXPECT_GT(exceeded, 0);
  EXPECT_LT(exceeded, 150);
}

// After a first large product each further one, and those of its small parts, end below the last digit of the
// sum.
TEST(TruncatedSums, ExceedTheBoundOfSplitFactors) {
  const Index k = 600;
  SplitProduct product(1, 1, k, "ones", 1);
  constexpr float below_half = 0x1p-11f - 0x1p-23f;  // of the last digit of eleven
  std::ranges::fill(product.a, 1 + 0x1p-10f + below_half);
  std::ranges::fill(product.b, 2 - 0x1p-10f + below_half);
  product.a[0] = product.b[0] = 0x1p7f;
  const TensorCore core{0};
  EXPECT_FALSE(product.check(core, SplitSums::truncated, ErrorClass::split_factors));
  EXPECT_TRUE(product.check(core, SplitSums::truncated, ErrorClass::truncated_sums));
  EXPECT_TRUE(product.check(core, SplitSums::fine, ErrorClass::split_factors));
}

}  // namespace
}  // namespace tallcache::test
