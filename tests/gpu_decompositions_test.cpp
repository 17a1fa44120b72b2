// The GPU's fast decompositions beyond the conformance tests' shapes: panels of one block, of clusters and of
// more rows than a cluster holds; equal results of equal runs; pivots of 0 and NaN. Skipped without a device.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

#include "common/ops/cholesky.hpp"
#include "common/ops/lu_batched.hpp"
#include "common/ops/qr.hpp"
#include "tests/on_executor.hpp"

namespace tallcache::test {
namespace {

class Decomposing : public OnExecutor {
 protected:
  using Buffers = std::vector<std::vector<std::byte>>;

  template <class Op>
  static std::vector<std::byte*> addresses(Buffers& buffers) {
    std::vector<std::byte*> all;
    for (auto& buffer : buffers) all.push_back(buffer.data());
    return all;
  }

  template <class Op>
  static Buffers filled(const Shape& shape, std::string_view input) {
    Buffers buffers;
    for (const BufferSpec& spec : Op::buffers(shape)) buffers.emplace_back(spec.bytes, std::byte{0x7f});
    Op::fill(shape, input, 1, addresses<Op>(buffers));
    return buffers;
  }

  /// The buffers after a run of the variant.
  template <class Op>
  Buffers decomposed(std::string_view name, const Shape& shape, Buffers buffers, const Params& given = {}) {
    const Variant& variant = find_variant(operation_of<Op>, name, "gpu");
    const Params params = complete_params(variant, given);
    std::vector<std::unique_ptr<Memory>> memory;
    std::vector<std::byte*> on_device;
    for (const auto& buffer : buffers) {
      memory.push_back(executor->allocate(buffer.size()));
      executor->upload(*memory.back(), buffer);
      on_device.push_back(memory.back()->bytes().data());
    }
    const auto scratch = executor->allocate(variant.scratch(shape, params));
    executor->fill(*scratch, 0xff);
    const auto args = Op::bind(shape, on_device, Scratch<>(scratch->bytes()));
    run(variant, &args, params);
    EXPECT_TRUE(scratch->guards_intact());
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      EXPECT_TRUE(memory[i]->guards_intact());
      executor->download(buffers[i], *memory[i]);
    }
    return buffers;
  }

  template <class Op>
  void decompose(std::string_view name, const Shape& shape, const Params& params = {}) {
    for (const std::string_view input : Op::inputs) {
      SCOPED_TRACE(testing::Message()
                   << name << " " << to_string(shape) << " " << input << " " << to_string(params));
      Buffers after = decomposed<Op>(name, shape, filled<Op>(shape, input), params);
      const Check check = Op::check(shape, input, 1, Op::bind(shape, addresses<Op>(after), {}));
      EXPECT_TRUE(check) << check.message();
    }
  }
};

TEST_F(Decomposing, PanelsOfOneBlockAndOfClusters) {
  for (const Index block : {32, 64, 128, 256})
    for (const auto& [m, n, pad] : {std::tuple<Index, Index, Index>{511, 300, 0},
                                    {513, 513, 1},
                                    {1030, 700, 2},
                                    {700, 1030, 0},
                                    {2049, 260, 3}}) {
      const Shape shape{{"n", n}, {"m", m}, {"pad", pad}};
      decompose<LuPivot<double>>("toledo", shape, {{"block", block}});
      decompose<LuPivot<float>>("toledo", shape, {{"block", block}});
      decompose<Qr<double>>("recursive_wy", shape, {{"block", block}});
      decompose<Qr<float>>("recursive_wy", shape, {{"block", block}});
    }
}

// As many rows as clusters have registers for with panels of 32, 16, 8 and 4 columns, and more.
TEST_F(Decomposing, TallPanels) {
  for (const auto& [m, n] : {std::pair<Index, Index>{8193, 70},
                             {12289, 40},
                             {16385, 40},
                             {24577, 40},
                             {32769, 20},
                             {49153, 20},
                             {65537, 9},
                             {140000, 5}}) {
    const Shape shape{{"n", n}, {"m", m}, {"pad", 1}};
    decompose<LuPivot<double>>("toledo", shape);
    decompose<LuPivot<float>>("toledo", shape);
    decompose<Qr<double>>("recursive_wy", shape);
    decompose<Qr<float>>("recursive_wy", shape);
  }
}

// As many rows as lanes, warps, a block and a cluster hold.
TEST_F(Decomposing, BatchesOfMatrices) {
  for (const auto& [m, n, batch, pad] : {std::tuple<Index, Index, Index, Index>{3, 3, 1000, 0},
                                         {8, 8, 1001, 1},
                                         {16, 13, 257, 0},
                                         {24, 24, 97, 0},
                                         {32, 32, 97, 3},
                                         {31, 33, 40, 0},
                                         {100, 100, 20, 0},
                                         {128, 129, 20, 1},
                                         {255, 120, 10, 0},
                                         {257, 300, 9, 1},
                                         {512, 512, 9, 0}}) {
    const Shape shape{{"n", n}, {"m", m}, {"batch", batch}, {"pad", pad}};
    decompose<LuBatched<double>>("batched", shape);
    decompose<LuBatched<float>>("batched", shape);
  }
}

TEST_F(Decomposing, SquaresOfCholesky) {
  for (const Index block : {64, 128, 256})
    for (const Index n : {255, 256, 257, 511, 700, 1025}) {
      const Shape shape{{"n", n}, {"pad", n % 3}};
      decompose<Cholesky<double>>("gustavson", shape, {{"block", block}});
      decompose<Cholesky<float>>("gustavson", shape, {{"block", block}});
    }
}

TEST_F(Decomposing, EqualRunsGiveEqualBytes) {
  const Shape shape{{"n", 700}, {"m", 900}, {"pad", 0}}, square{{"n", 700}, {"pad", 0}};
  const Buffers lu = filled<LuPivot<double>>(shape, "uniform");
  const Buffers cholesky = filled<Cholesky<double>>(square, "dominant");
  const Buffers qr = filled<Qr<double>>(shape, "uniform");
  const Buffers first_qr = decomposed<Qr<double>>("recursive_wy", shape, qr);
  const Buffers first_lu = decomposed<LuPivot<double>>("toledo", shape, lu);
  const Buffers first_cholesky = decomposed<Cholesky<double>>("gustavson", square, cholesky);
  for (int run = 0; run < 20; ++run) {
    EXPECT_EQ(decomposed<LuPivot<double>>("toledo", shape, lu), first_lu) << run;
    EXPECT_EQ(decomposed<Cholesky<double>>("gustavson", square, cholesky), first_cholesky) << run;
    EXPECT_EQ(decomposed<Qr<double>>("recursive_wy", shape, qr), first_qr) << run;
  }
}

// A column of zeros has no pivot: its row stays, and all other numbers are right.
TEST_F(Decomposing, ColumnsOfZeros) {
  const Index m = 600, n = 90;
  const Shape shape{{"n", n}, {"m", m}, {"pad", 0}};
  Buffers buffers = filled<LuPivot<double>>(shape, "uniform");
  auto* const a = reinterpret_cast<double*>(buffers[0].data());
  for (Index i = 0; i < m; ++i) a[i * n + 40] = 0;
  Buffers after = decomposed<LuPivot<double>>("toledo", shape, buffers);
  const auto* const f = reinterpret_cast<const double*>(after[0].data());
  const auto* const exchanges = reinterpret_cast<const std::int32_t*>(after[1].data());
  EXPECT_EQ(exchanges[40], 40);
  for (Index i = 0; i < m; ++i) {
    EXPECT_EQ(f[i * n + 40], 0) << i;
    for (Index j = 0; j < n; ++j) EXPECT_TRUE(std::isfinite(f[i * n + j])) << i << ", " << j;
  }
}

TEST_F(Decomposing, NanShows) {
  const Index n = 200;
  const Shape shape{{"n", n}, {"m", n}, {"pad", 0}};
  Buffers buffers = filled<LuPivot<float>>(shape, "uniform");
  reinterpret_cast<float*>(buffers[0].data())[150 * n + 7] = std::numeric_limits<float>::quiet_NaN();
  const Buffers after = decomposed<LuPivot<float>>("toledo", shape, buffers);
  EXPECT_TRUE(std::isnan(reinterpret_cast<const float*>(after[0].data())[n * n - 1]));
}

// What is no number reaches its column's factor and all behind it, and nothing before.
TEST_F(Decomposing, ReflectorsOfWhatIsNoNumber) {
  const Index n = 200;
  const Shape shape{{"n", n}, {"m", n}, {"pad", 0}};
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    Buffers buffers = filled<Qr<double>>(shape, "uniform");
    reinterpret_cast<double*>(buffers[0].data())[150 * n + 7] = bad;
    const Buffers after = decomposed<Qr<double>>("recursive_wy", shape, buffers);
    const auto* const f = reinterpret_cast<const double*>(after[0].data());
    const auto* const tau = reinterpret_cast<const double*>(after[1].data());
    EXPECT_FALSE(std::isfinite(tau[7]));
    EXPECT_FALSE(std::isfinite(f[n * n - 1]));
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < 7; ++j) EXPECT_TRUE(std::isfinite(f[i * n + j])) << i << ", " << j;
  }
}

}  // namespace
}  // namespace tallcache::test
