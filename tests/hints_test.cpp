// What variants foretell of their time on one thread (Variant::hint_ns): the work of a shape times one
// constant. Whether that is the machine's, `tallcache forks` shows.
#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <set>

#include "common/backend.hpp"
#include "common/ops/copy.hpp"
#include "common/variant_records.hpp"
#include "tests/support.hpp"

namespace tallcache::test {
namespace {

/// What a hint may be proportional to.
double work_of(const Operation& operation, const Cost& cost, bool bytes) {
  return bytes ? cost.bytes : rated_work(operation.rate, cost);
}

/// What is wrong with the hint of a variant, over the shapes of its operation and growing ones; "" for none.
std::string wrong_with(const Variant& variant) {
  const Operation& operation = *variant.operation;
  std::vector<Shape> shapes = operation.test_shapes();
  const Index most = operation.name == "fib" ? 90 : 100'000;
  for (Index size = 0; size < most; size = 2 * size + 1)
    shapes.push_back({{operation.dims.front().name, size}});
  std::array<std::optional<double>, 2> units;  // of the rate, of bytes
  std::array proportional{true, true};
  for (Shape& shape : shapes) {
    const Cost cost = operation.cost(shape = complete_shape(operation, shape));
    const double hint = variant.hint_ns(cost), work = work_of(operation, cost, false);
    const std::string at = " for " + to_string(operation, shape);
    if (!std::isfinite(hint) || hint < 0) return "no time" + at;
    if (work > 0 && hint == 0) return "none" + at;
    for (const bool bytes : {false, true}) {
      const double of = work_of(operation, cost, bytes);
      if (of == 0) continue;
      if (!units[bytes]) units[bytes] = hint / of;
      proportional[bytes] &= std::abs(hint / of / *units[bytes] - 1) < 1e-9;
    }
  }
  if (!proportional[0] && !proportional[1]) return "not in proportion to its work";
  // A picosecond a byte is beyond every cache, a microsecond a key beyond every sort.
  if (const double unit = *units[!proportional[0]]; unit < 1e-3 || unit > 1e3)
    return std::to_string(unit) + " ns a unit";
  Index larger = 0;
  for (std::size_t at = operation.test_shapes().size() + 1; at < shapes.size(); ++at) {
    const double before = variant.hint_ns(operation.cost(shapes[at - 1]));
    const double after = variant.hint_ns(operation.cost(shapes[at]));
    if (after < before) return "less for " + to_string(operation, shapes[at]);
    larger += after > before;
  }
  return larger > 0 ? "" : "the same for all sizes";
}

/// Variants that fork and foretell nothing as a whole.
const std::set<std::string> silent{
    // A loop, which foretells itself by its first iterations.
    "matmul naive", "matmul_bt naive", "copy rows", "gemv rows", "increment loop",
    // Products, which do so by their kernel's speed.
    "matmul recursive_packed", "matmul_bt recursive_packed", "matmul amx_tiles", "matmul_batched batched",
    "cholesky cholesky_gustavson", "lu_pivot lu_pivot_toledo", "lu_pivot_batched lu_pivot_batched",
    "solve refined",
    // Steps, passes or levels: a fork of one is no half of the run.
    "bfs bfs_bag", "bfs bfs_direction_optimizing", "bfs bfs_frontier", "counting_sort bucketed",
    "counting_sort bucketed_streaming", "counting_sort classical", "counting_sort lsd_radix",
    "counting_sort_in_place in_place", "fft fft_six_step", "integer_product six_step",
    "lu_pivot lu_pivot_recursive", "qr householder", "stencil tiles", "stencil trapezoids",
    "stencil vector_loops"};

TEST(Hints, EveryOtherVariantThatForksHasOne) {
  int checked = 0;
  std::set<std::string> found;
  for (const Variant* variant : find_backend("cpu").variants()) {
    if (!variant->parallel || variant->peer) continue;
    const std::string name = std::string(variant->operation->name) + " " + std::string(variant->name);
    const std::string wrong = wrong_with(*variant);
    if (silent.contains(name)) {
      EXPECT_EQ(wrong.substr(0, 8), "none for") << name << " has a hint";
      found.insert(name);
    } else {
      EXPECT_EQ(wrong, "") << identifier(*variant);
      ++checked;
    }
  }
  EXPECT_EQ(found, silent);
  EXPECT_GE(checked, 60);
}

struct Silent {
  static constexpr std::string_view idea = "says nothing", source = "";
  using operations = OperationList<Copy<float>, Copy<double>>;
  static constexpr bool parallel = true;
  static void call(const Launch&, const Copy<float>::Args<>&, const Params&) {}
  static void call(const Launch&, const Copy<double>::Args<>&, const Params&) {}
};
struct OfUnits : Silent {
  static constexpr double ns_per_unit = 0.5;
};
struct OfElements : Silent {
  template <class Op>
  static constexpr double ns_per_unit = std::is_same_v<Op, Copy<float>> ? 1 : 2;
};
struct OfBytes : Silent {
  static constexpr double ns_per_byte = 2;
};
struct TooLong : Silent {
  static constexpr double ns_per_unit = 1e6;
};

template <class V>
constexpr auto records_of = variant_records<V>("", "cpu", false);

TEST(Hints, AreOfTheUnitThatAVariantStates) {
  const Cost cost = operation_of<Copy<float>>.cost(complete_shape(operation_of<Copy<float>>, {{"m", 3}}));
  EXPECT_EQ(cost.bytes, 72);
  EXPECT_EQ(records_of<OfUnits>[0].hint_ns(cost), 36);
  EXPECT_EQ(records_of<OfElements>[0].hint_ns(cost), 72);
  EXPECT_EQ(records_of<OfElements>[1].hint_ns(cost), 144);
  EXPECT_EQ(records_of<OfBytes>[1].hint_ns(cost), 144);
}

// Sabotages.
TEST(Hints, AWrongOneIsNamed) {
  EXPECT_EQ(wrong_with(records_of<OfElements>[0]), "");
  EXPECT_NE(wrong_with(records_of<Silent>[0]).find("none for"), std::string::npos);
  EXPECT_NE(wrong_with(records_of<TooLong>[0]).find("ns a unit"), std::string::npos);
  Variant variant = records_of<OfUnits>[0];
  variant.hint_ns = [](const Cost& cost) { return std::sqrt(cost.bytes); };
  EXPECT_EQ(wrong_with(variant), "not in proportion to its work");
  variant.hint_ns = [](const Cost&) { return -1.0; };
  EXPECT_NE(wrong_with(variant).find("no time"), std::string::npos);
  variant.hint_ns = [](const Cost& cost) { return 1 / cost.bytes; };
  EXPECT_NE(wrong_with(variant), "");
}

}  // namespace
}  // namespace tallcache::test
