// The updates of a stencil's rows: what they say under Traced is what they load and store.
#include <gtest/gtest.h>

#include "cpu/stencil/updates.hpp"
#include "tests/leaf_views.hpp"

namespace tallcache::test {
namespace {

using namespace cpu::stencil;
using tallcache::test::Leaf;

/// A step of the points lo <= x < hi of a grid. Those beyond its borders are points of it: a constant border
/// is a row of the text's own.
template <class T, template <int> class Update, int d>
Leaf step_leaf(const std::array<Index, d>& sizes, const std::array<Index, d>& lo,
               const std::array<Index, d>& hi, Border border) {
  Index rows = 1;
  for (int i = 0; i + 1 < d; ++i) rows *= sizes[i];
  const Index ld = sizes[d - 1] + 1, elements = (rows - 1) * ld + sizes[d - 1];
  return leaf_of({region(fractions<T>(1, elements)), region(fractions<T>(2, elements))}, [=](const auto& v) {
    using Access = std::remove_cvref_t<decltype(v.access)>;
    const Grids<T, d, Access> grids{.state = {v.template of<T>(0).data, v.template of<T>(1).data},
                                    .sizes = sizes,
                                    .ld = ld,
                                    .border = border,
                                    .outside = T(stencil_outside),
                                    .access = v.access};
    VectorGrids::step<T, d, Update<d>, Access>(
        grids, [&](const AnySteppedGrids<d, 1>& stepped) { stepped.step(0, lo, hi); });
  });
}

template <class T, template <int> class Update>
void see_update(See see) {
  for (const Index n : {1, 9, 70})
    for (const Border border : {Border::periodic, Border::mirrored, Border::constant}) {
      SCOPED_TRACE(testing::Message() << "rows of " << n << ", border " << static_cast<int>(border));
      see(step_leaf<T, Update, 1>({n}, {n / 8}, {n}, border), {1});
      if (border == Border::constant) continue;
      see(step_leaf<T, Update, 2>({4, n}, {1, 0}, {4, n}, border), {1});
      see(step_leaf<T, Update, 3>({3, 3, n}, {0, 1, n / 8}, {3, 3, n}, border), {1});
    }
}

template <class T>
void see_stencils(See see) {
  see_update<T, Heat>(see);
  see_update<T, HeatBox>(see);
  see_update<T, Wave>(see);
}

TEST(StencilLeaf, Doubles) { see_stencils<double>(expect_exact); }
TEST(StencilLeaf, Floats) { see_stencils<float>(expect_exact); }

// Not a test: a program that leaf_lackey_test.cpp runs.
TEST(LackeySubject, DISABLED_stencils) {
  see_stencils<double>(observe<11>);
  see_stencils<float>(observe<11>);
}

}  // namespace
}  // namespace tallcache::test
