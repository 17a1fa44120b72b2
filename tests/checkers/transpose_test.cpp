// Wrong transpositions and copies.
#include <gtest/gtest.h>

#include <utility>

#include "common/ops/copy.hpp"
#include "common/ops/grained_transpose.hpp"
#include "common/ops/transpose.hpp"
#include "tests/checkers/matrix.hpp"

namespace tallcache {

template <class T>
static void solve(Transpose<T>, const auto& args) {
  for (Index i = 0; i < args.a.rows; ++i)
    for (Index j = 0; j < args.a.cols; ++j) args.b(j, i) = args.a(i, j);
}
template <class T>
static void solve(TransposeInPlace<T>, const auto& args) {
  for (Index i = 0; i < args.a.rows; ++i)
    for (Index j = 0; j < i; ++j) std::swap(args.a(i, j), args.a(j, i));
}
template <class T>
static void solve(Copy<T>, const auto& args) {
  for (Index i = 0; i < args.a.rows; ++i)
    for (Index j = 0; j < args.a.cols; ++j) args.b(i, j) = args.a(i, j);
}
// Tile by tile, cut ones as they are.
template <class T>
static void solve(FineGrained<T>, const auto& args) {
  solve(Copy<T>{}, args);
  for (Index i = 0; i + 32 <= args.a.rows; i += 32)
    for (Index j = 0; j + 32 <= args.a.cols; j += 32)
      solve(Transpose<T>{},
            typename Copy<T>::template Args<>{args.b.block(i, j, 32, 32), args.a.block(i, j, 32, 32), {}});
}
template <class T>
static void solve(CoarseGrained<T>, const auto& args) {
  solve(Transpose<T>{}, args);
  for (Index i = 0; i + 32 <= args.a.rows; i += 32)
    for (Index j = 0; j + 32 <= args.a.cols; j += 32)
      solve(Copy<T>{},
            typename Copy<T>::template Args<>{args.b.block(j, i, 32, 32), args.a.block(i, j, 32, 32), {}});
}

namespace test {
namespace {

TYPED_TEST_SUITE(MatrixChecker, Elements);

TYPED_TEST(MatrixChecker, Transpose) {
  for (std::string_view kind : {"uniform", "integers"})
    this->template matrix_rejected<Transpose<TypeParam>, changes_input, one_off_by_a_thousandth>(
        {{{"m", 5}, {"n", 4}, {"pad", 1}},
         {{"m", 64}, {"n", 65}, {"pad", 3}},
         {{"m", 700}, {"n", 900}, {"pad", 1}}},
        kind);
}

TYPED_TEST(MatrixChecker, TransposeInPlace) {
  for (std::string_view kind : {"uniform", "integers"})
    this->template matrix_rejected<TransposeInPlace<TypeParam>, one_off_by_a_thousandth>(
        {{{"n", 5}, {"pad", 1}}, {{"n", 64}, {"pad", 3}}, {{"n", 700}, {"pad", 1}}}, kind);
}

TYPED_TEST(MatrixChecker, Copy) {
  for (std::string_view kind : {"uniform", "integers"})
    this->template matrix_rejected<Copy<TypeParam>, changes_input, one_off_by_a_thousandth>(
        {{{"m", 5}, {"n", 4}, {"pad", 1}},
         {{"m", 64}, {"n", 65}, {"pad", 3}},
         {{"m", 700}, {"n", 900}, {"pad", 1}}},
        kind);
}

TYPED_TEST(MatrixChecker, GrainedTransposes) {
  const std::vector<Shape> shapes{{{"m", 5}, {"n", 4}, {"pad", 1}}, {{"m", 96}, {"n", 65}, {"pad", 3}}};
  for (std::string_view kind : {"uniform", "integers"}) {
    this->template matrix_rejected<FineGrained<TypeParam>, changes_input, one_off_by_a_thousandth>(shapes,
                                                                                                   kind);
    this->template matrix_rejected<CoarseGrained<TypeParam>, changes_input, one_off_by_a_thousandth>(shapes,
                                                                                                     kind);
  }
}

}  // namespace
}  // namespace test
}  // namespace tallcache
