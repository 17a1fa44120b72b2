// One plan of a product (GemmPlan::choose) behind all of its doors: BLAS, gemm() and execute() give the same
// bytes, which the division of the inner dimension decides.
#include <gtest/gtest.h>
#include <tallcache/catalogue.hpp>
#include <tallcache/matmul.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "tests/blas/blas.hpp"
#include "tests/blas/matrix.hpp"

namespace {

using namespace tallcache;

template <class T>
class Doors : public RandomMatrices<T> {
 protected:
  /// Log-uniform from 1 to `most`.
  Int size(double most) {
    return static_cast<Int>(std::exp(std::uniform_real_distribution<>(0, std::log(most))(this->random)));
  }
};
TYPED_TEST_SUITE(Doors, Elements);

TYPED_TEST(Doors, SameBytes) {
  using T = TypeParam;
  const auto view = [](auto& x) { return MatrixView<T>{x.data.data(), x.rows, x.cols, x.ld}; };
  for (int round = 0; round < 60; ++round) {
    const Int m = this->size(300), n = this->size(300), k = this->size(3000);
    Matrix<T> a(row_major, m, k, this->any(2)), b(row_major, k, n, this->any(2)), bt(row_major, n, k, 1);
    a.fill(this->random), b.fill(this->random);
    for (Int l = 0; l < k; ++l)
      for (Int j = 0; j < n; ++j) bt(j, l) = b(l, j);
    const Matrix<T> poisoned(row_major, m, n, this->any(2));
    for (const int trans_b : {no, yes}) {
      auto by_blas = poisoned, by_gemm = poisoned, by_name = poisoned;
      auto& factor = trans_b == no ? b : bt;
      Blas<T>::gemm(row_major, no, trans_b, m, n, k, 1, a.data.data(), a.ld, factor.data.data(), factor.ld, 0,
                    by_blas.data.data(), by_blas.ld);
      const int threads = std::min(1 + round % 2, usable_threads());
      tallcache::gemm<T>(Layout::row_major, Trans::no, trans_b == no ? Trans::no : Trans::yes, T{1}, view(a),
                         view(factor), T{0}, view(by_gemm), threads);
      if (trans_b == no)
        execute<Matmul<T>>("recursive_packed", {view(by_name), view(a), view(b)}, {}, threads);
      else
        execute<MatmulBt<T>>("recursive_packed", {view(by_name), view(a), view(bt)}, {}, threads);
      ASSERT_TRUE(same_bytes(by_blas.data, by_gemm.data)) << "BLAS: " << m << " x " << n << " x " << k;
      ASSERT_TRUE(same_bytes(by_name.data, by_gemm.data)) << "execute: " << m << " x " << n << " x " << k;
    }
  }
}

}  // namespace
