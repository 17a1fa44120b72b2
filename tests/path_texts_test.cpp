// The texts of shortest paths on the GPU, run on the host: the recursion has the bytes of the loops, with its
// predecessors and where many paths have one length; a negative cycle shows on the diagonal.
#include <gtest/gtest.h>

#include <bit>
#include <vector>

#include "common/cache/warp_machine.hpp"
#include "common/ops/shortest_paths.hpp"
#include "common/random.hpp"
#include "gpu/kernel_text.hpp"
#include "tests/support.hpp"

namespace tallcache {
namespace {

template <class Op>
struct Case;
template <class T, bool has_predecessors>
struct Case<ShortestPathsOf<T, has_predecessors>> {
  using Number = T;
  static constexpr bool trees = has_predecessors;
};

/// Distances and predecessors, rows `ld` apart, in memory that begins at a multiple of 256 bytes.
template <class Op>
class PathProblem {
 public:
  using T = typename Case<Op>::Number;

  PathProblem(Index n, Index pad) : n_(n), ld_(n + pad), bytes_((2 * n * ld_ + 128) * sizeof(T)) {
    fill(weights(), T{-1});
    if (Case<Op>::trees) fill(vertices(), std::int32_t{-7});
  }

  MatrixView<T> weights() { return {reinterpret_cast<T*>(begin()), n_, n_, ld_}; }
  MatrixView<std::int32_t> vertices() {
    return {reinterpret_cast<std::int32_t*>(begin() + (n_ * ld_ + 63) / 64 * 64 * sizeof(T)), n_, n_, ld_};
  }

  void run(std::string_view variant, const Params& params = {}) {
    const gpu::KernelText& text = gpu::find_kernel_text(operation_of<Op>, variant);
    const std::size_t scratch_bytes = text.scratch_bytes({{"n", n_}, {"pad", ld_ - n_}}, params);
    std::vector<std::byte> scratch(scratch_bytes + 256, std::byte{0x5a});
    std::byte* const aligned = aligned_begin(scratch);
    typename Op::template Args<> args{weights(), {}, Scratch<>({aligned, scratch_bytes})};
    if (Case<Op>::trees) args.p = vertices();
    warp::HostDevice device(cache::warp_machine("h200"));
    device.count_from(begin());
    text.run(device, &args, params);
  }

 private:
  template <class Value>
  static void fill(MatrixView<Value> a, Value value) {
    std::fill_n(a.data, a.rows * a.ld, value);
  }
  static std::byte* aligned_begin(std::vector<std::byte>& bytes) {
    const auto at = reinterpret_cast<std::uintptr_t>(bytes.data());
    return bytes.data() + ((at + 255) / 256 * 256 - at);
  }
  std::byte* begin() { return aligned_begin(storage_); }

  Index n_, ld_;
  std::size_t bytes_;
  std::vector<std::byte> storage_ = std::vector<std::byte>(bytes_ + 256);
};

template <class Op>
class PathTexts : public testing::Test {};
using Operations = testing::Types<ShortestPaths<float>, ShortestPaths<std::int32_t>, ShortestPathTrees<float>,
                                  ShortestPathTrees<std::int32_t>>;
TYPED_TEST_SUITE(PathTexts, Operations);

/// Six edges from each vertex, with weights of 0 to 2: many paths have one length, and some cycles none.
template <class T>
void fill_with_ties(MatrixView<T> weights) {
  const Index n = weights.rows;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) {
      const bool edge = random_up_to(5, i * n + j, n) < 6;
      weights(i, j) = i == j ? T{}
                      : edge ? static_cast<T>(random_up_to(6, i * n + j, 2))
                             : PathWeight<T>::infinite;
    }
}

template <class View>
void expect_same(View got, View expected, const char* what) {
  for (Index i = 0; i < got.rows; ++i)
    for (Index j = 0; j < got.ld; ++j)
      ASSERT_EQ(std::bit_cast<std::int32_t>(got.data[i * got.ld + j]),
                std::bit_cast<std::int32_t>(expected.data[i * got.ld + j]))
          << what << " " << i << ", " << j;
}

TYPED_TEST(PathTexts, RecursionHasTheBytesOfTheLoops) {
  for (const std::string_view input : {"negative", "ties"})
    for (const auto& [n, pad] : {std::pair<Index, Index>{5, 3}, {97, 0}, {131, 1}}) {
      if (test::sanitized && n == 131 && input == "ties") continue;  // accesses are those of the other input
      SCOPED_TRACE(testing::Message() << input << " " << n);
      PathProblem<TypeParam> loops(n, pad);
      const auto fill = [&, input = input](auto weights) {
        if (input == "ties")
          fill_with_ties(weights);
        else
          fill_path_weights(weights, input, 3);
      };
      fill(loops.weights());
      loops.run("floyd_warshall");
      for (const Index group : {64, 128}) {
        PathProblem<TypeParam> blocks(n, pad);
        fill(blocks.weights());
        blocks.run("cgep_recursive", {{"group", group}, {"tile", group}});
        expect_same(blocks.weights(), loops.weights(), "distance");
        if (Case<TypeParam>::trees) expect_same(blocks.vertices(), loops.vertices(), "predecessor");
      }
    }
}

TYPED_TEST(PathTexts, NegativeCycleShowsOnTheDiagonal) {
  using T = typename Case<TypeParam>::Number;
  const Index n = 150;
  for (const bool has_cycle : {true, false}) {
    PathProblem<TypeParam> paths(n, 0);
    const auto weights = paths.weights();
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j) weights(i, j) = PathWeight<T>::infinite;
    for (Index i = 0; i + 1 < n; ++i) weights(i, i + 1) = T{1};
    weights(140, 3) = static_cast<T>(has_cycle ? -138 : -137);
    paths.run("cgep_recursive", {{"group", 64}, {"tile", 0}});
    int negative = 0;
    for (Index i = 0; i < n; ++i) negative += weights(i, i) < T{};
    EXPECT_EQ(negative > 0, has_cycle);
    EXPECT_EQ(weights(140, 140) < T{}, has_cycle);
  }
}

}  // namespace
}  // namespace tallcache
