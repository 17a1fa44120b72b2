// Wrong vectors: the results of increment and gemv.
#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <vector>

#include "common/ops/gemv.hpp"
#include "common/ops/increment.hpp"
#include "tests/checkers/matrix.hpp"

namespace tallcache::test {
namespace {

TYPED_TEST_SUITE(MatrixChecker, Elements);

// The vectors: right, and wrong in one element, by a rounding error too many, by a NaN.
TYPED_TEST(MatrixChecker, Vectors) {
  using T = TypeParam;
  const auto wrong_in = [](std::vector<T>& result, auto&& check) {
    EXPECT_TRUE(check());
    for (std::size_t i : {std::size_t{0}, result.size() / 2, result.size() - 1}) {
      const T right = result[i];
      std::vector<T> wrongs{static_cast<T>(right + 1), static_cast<T>(right - 2)};
      if (!Element<T>::is_exact) wrongs.push_back(std::numeric_limits<T>::quiet_NaN());
      for (T wrong : wrongs) {
        result[i] = wrong;
        EXPECT_FALSE(check()) << "element " << i << " is " << wrong << " instead of " << right;
      }
      result[i] = right;
    }
  };
  for (std::string_view kind : {"uniform", "integers"}) {
    const Shape sum{{"n", 101}};
    std::vector<T> a(101);
    std::byte* const of_sum[] = {reinterpret_cast<std::byte*>(a.data())};
    Increment<T>::fill(sum, kind, 1, of_sum);
    const auto increment = Increment<T>::bind(sum, of_sum, {});
    for (T& element : a) element = element + increment.b;
    wrong_in(a, [&] { return static_cast<bool>(Increment<T>::check(sum, kind, 1, increment)); });

    const Shape product{{"m", 33}, {"n", 65}, {"pad", 3}};
    std::vector<T> y(33), matrix(33 * 68), x(65);
    std::byte* const of_product[] = {reinterpret_cast<std::byte*>(y.data()),
                                     reinterpret_cast<std::byte*>(matrix.data()),
                                     reinterpret_cast<std::byte*>(x.data())};
    Gemv<T>::fill(product, kind, 1, of_product);
    const auto gemv = Gemv<T>::bind(product, of_product, {});
    for (Index i = 0; i < 33; ++i) {
      y[i] = 0;
      for (Index j = 0; j < 65; ++j) y[i] += gemv.a(i, j) * x[j];
    }
    wrong_in(y, [&] { return static_cast<bool>(Gemv<T>::check(product, kind, 1, gemv)); });
  }
}

}  // namespace
}  // namespace tallcache::test
