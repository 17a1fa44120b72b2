// The kernels of the panels of LU, Cholesky and QR: what they say under Traced is what they load and store.
#include <gtest/gtest.h>

#include "common/ceil_div.hpp"
#include "cpu/lu/panel_kernel.hpp"
#include "cpu/qr/panel_kernel.hpp"
#include "tests/each_target.hpp"
#include "tests/leaf_views.hpp"

namespace tallcache::test {
namespace {

using tallcache::test::Leaf;

/// n elements up to whole vectors of 64 bytes.
template <class T>
constexpr Index whole(Index n) {
  return ceil_div(n, static_cast<Index>(64 / sizeof(T))) * static_cast<Index>(64 / sizeof(T));
}

template <class T>
void see_elimination(See see, Index rows) {
  const Index ld = whole<T>(rows) + whole<T>(1);  // vectors begin at any row
  for (const Index left : {0, 1, 3, 7})
    for (const T reciprocal : {T(0), T(1) / T(3)}) {
      const bool is_last = left == 7;
      Region panel = region(fractions<T>(1, (left + (is_last ? 1 : 2)) * ld));
      panel.keeps = reciprocal == 0;  // behind the rows, which are divided, it multiplies by 1
      see(leaf_of({panel},
                  [=](const auto& v) {
                    cpu::lu::Elimination<T> e{.columns = v.template of<T>(0).data,
                                              .ld = ld,
                                              .left = left,
                                              .is_last = is_last,
                                              .pivot = T(3),
                                              .reciprocal = reciprocal,
                                              .upper = {}};
                    for (T& upper : e.upper) upper = T(0.375);
                    cpu::lu::panel_kernel<T>().text.under(v.access).eliminate(e, 1, rows, v.access);
                  }),
          {0});
    }
  // The pivot is stored by what calls.
  Region column = region(fractions<T>(2, ld));
  column.idle = [](std::size_t) { return true; };
  see(leaf_of({column, own<T>(1)},
              [=](const auto& v) {
                const auto pivot = cpu::lu::panel_kernel<T>().text.under(v.access).search(
                    v.template of<const T>(0).data, 0, rows, v.access);
                v.template of<T>(1)[0] = static_cast<T>(pivot.row);
              }),
      {1});
}

template <class T>
void see_copies(See see, Index n) {
  see(leaf_of({region(fractions<T>(1, n)), region(fractions<T>(2, n))},
              [=](const auto& v) {
                cpu::lu::panel_kernel<T>().text.under(v.access).exchange(
                    v.template of<T>(0).data, v.template of<T>(1).data, n, v.access);
              }),
      {0, 1});
  for (const Index rows : {3, 8, 13}) {
    const Index from_ld = n + 1, to_ld = rows + 2;
    see(leaf_of({region(fractions<T>(1, (rows - 1) * from_ld + n)), own<T>((n - 1) * to_ld + rows)},
                [=](const auto& v) {
                  cpu::lu::panel_kernel<T>().text.under(v.access).transpose(v.template of<T>(1).data, to_ld,
                                                                            v.template of<const T>(0).data,
                                                                            from_ld, rows, n, v.access);
                }),
        {1});
  }
}

template <class T>
void see_triangles(See see, Index n) {
  const Index ld = whole<T>(n);
  // Definite: a heavy diagonal.
  auto a = fractions<T>(1, n * ld), lower = fractions<T>(2, n * ld);
  for (Index i = 0; i < n; ++i)
    a[static_cast<std::size_t>(i * (ld + 1))] = lower[static_cast<std::size_t>(i * (ld + 1))] = T(8);
  Region definite = region(a);
  definite.keeps = true;  // a column of zeros
  see(leaf_of({definite},
              [=](const auto& v) {
                cpu::lu::panel_kernel<T>().text.under(v.access).cholesky(v.template of<T>(0).data, ld, n,
                                                                         v.access);
              }),
      {});
  for (const bool unit : {false, true})
    for (const bool by_columns : {false, true})
      see(leaf_of({region(lower), own<T>(n * ld)},
                  [=](const auto& v) {
                    cpu::lu::panel_kernel<T>().text.under(v.access).invert(
                        v.template of<T>(1).data, ld, v.template of<const T>(0).data, by_columns ? 1 : ld,
                        by_columns ? ld : 1, n, unit, v.access);
                  }),
          {1});
}

template <class T>
void see_reflections(See see, Index rows) {
  constexpr int columns = cpu::qr::leaf_columns;
  Region inner_products = own<T>(columns);
  inner_products.keeps = true;  // some are 0
  for (const int j : {-1, 0, 3, 7})
    see(leaf_of({region(fractions<T>(1, columns * rows)), inner_products},
                [=](const auto& v) {
                  cpu::qr::ReflectorPass<T> pass{.j = j, .scale = T(0.75), .factors = {}};
                  for (T& factor : pass.factors) factor = T(0.375);
                  T products[columns];
                  cpu::qr::panel_kernel<T>().text.under(v.access).reflect(pass, v.template of<T>(0).data,
                                                                          rows, rows, products, v.access);
                  for (int c = 0; c < columns; ++c) v.template of<T>(1)[c] = products[c];
                }),
        {});
  for (const Index m : {1, 5})
    for (const Index n : {3, 6})
      see(leaf_of({region(fractions<T>(1, (m - 1) * (rows + 8) + rows)),
                   region(fractions<T>(2, (n - 1) * (rows + 8) + rows)), own<T>((m - 1) * (n + 1) + n)},
                  [=](const auto& v) {
                    cpu::qr::panel_kernel<T>().text.under(v.access).multiply_rows(
                        m, n, rows, v.template of<const T>(0).data, v.template of<const T>(1).data, rows + 8,
                        v.template of<T>(2).data, n + 1, v.access);
                  }),
          {2});
}

template <class T>
void see_panels(See see) {
  for (const Index rows : {2, 17, 40}) {
    SCOPED_TRACE(testing::Message() << rows << " rows");
    see_elimination<T>(see, rows);
    see_copies<T>(see, rows);
    see_triangles<T>(see, rows);
    see_reflections<T>(see, ceil_div(rows, Index{8}) * 8);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(PanelLeaf, Doubles) {
  for_each_target([] { see_panels<double>(expect_exact); });
}
TEST(PanelLeaf, Floats) {
  for_each_target([] { see_panels<float>(expect_exact); });
}

// Not a test: a program that leaf_lackey_test.cpp runs.
TEST(LackeySubject, DISABLED_panels) {
  see_panels<double>(observe<11>);
  see_panels<float>(observe<11>);
}

}  // namespace
}  // namespace tallcache::test
