// The kernels' own text on the host: the results are right, and the requests equal the counts of an
// H200's counters.
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <typeinfo>
#include <vector>

#include "common/catalogue.hpp"
#include "common/ops/matmul_bt.hpp"
#include "gpu/exercises/foo.hpp"
#include "gpu/gemv/warp_per_row.hpp"
#include "gpu/kernel_text.hpp"
#include "gpu/matmul_bt/corner_turning.hpp"
#include "gpu/transpose/diagonal.hpp"
#include "gpu/widths.hpp"
#include "tests/counted_array.hpp"
#include "tests/support.hpp"

namespace tallcache::gpu {
namespace {

using cache::AccessKind;
using cache::RequestCounts;
using cache::Space;
using cache::warp_machine;
using test::Array;
using test::message_of;
using warp::Counted;
using warp::HostDevice;

/// The counters' figures of a kernel.
struct Counts {
  std::uint64_t loads, load_sectors, stores, store_sectors;
  std::uint64_t shared_loads, shared_load_wavefronts, shared_stores, shared_store_wavefronts;
  friend bool operator==(const Counts&, const Counts&) = default;
};
std::ostream& operator<<(std::ostream& out, const Counts& c) {
  return out << "global loads " << c.loads << "/" << c.load_sectors << ", stores " << c.stores << "/"
             << c.store_sectors << "; shared loads " << c.shared_loads << "/" << c.shared_load_wavefronts
             << ", stores " << c.shared_stores << "/" << c.shared_store_wavefronts;
}

Counts counts_of(const HostDevice& device) {
  const RequestCounts load = device.total(Space::global, AccessKind::load),
                      store = device.total(Space::global, AccessKind::store),
                      shared_load = device.total(Space::shared, AccessKind::load),
                      shared_store = device.total(Space::shared, AccessKind::store);
  return {load.requests,        load.sectors,           store.requests,        store.sectors,
          shared_load.requests, shared_load.wavefronts, shared_store.requests, shared_store.wavefronts};
}

class KernelText : public testing::TestWithParam<const gpu::KernelText*> {};

TEST_P(KernelText, IsRight) {
  const gpu::KernelText& text = *GetParam();
  HostDevice device(warp_machine("h200"));
  int shapes = 0;
  for (const Shape& shape : text.operation->test_shapes()) {
    Index work = 1;
    for (const auto& [name, value] : shape)
      if (name != "pad" && name != "range") work *= value;
    if (work > (test::sanitized ? 20000 : 70000) || !text.supports(shape)) continue;
    if (test::sanitized && text.operation->cost(shape).flops > 1e6) continue;
    const Check check = run_kernel_text(device, text, shape);
    EXPECT_TRUE(check) << to_string(*text.operation, shape) << ": " << check.message();
    ++shapes;
  }
  EXPECT_GT(shapes, test::sanitized ? 4 : 5);
}

class KernelTextWithParams : public KernelText {};

TEST_P(KernelTextWithParams, IsRightWithEveryChoice) {
  const gpu::KernelText& text = *GetParam();
  const Shape shape = text.operation->name == "stencil" ? Shape{{"cols", 67}, {"rows", 41}, {"steps", 11}}
                      : text.operation->dims.size() > 3 ? Shape{{"m", 37}, {"n", 45}, {"k", 39}}
                                                        : Shape{{text.operation->dims[0].name, 70}};
  for (const ParamSpec& spec : text.params)
    for (const Index value : spec.choices.empty()
                                 ? std::vector<Index>{2, 3}
                                 : std::vector<Index>(spec.choices.begin(), spec.choices.end())) {
      HostDevice device(warp_machine("h200"));
      const Check check = run_kernel_text(device, text, shape, {{spec.name, value}});
      EXPECT_TRUE(check) << spec.name << " " << value << ": " << check.message();
    }
}

// Every update and border, in one to three dimensions; passes with a halo wider than the grid, too.
TEST(StencilTexts, AreRightOnEveryInput) {
  const Shape shapes[] = {{{"cols", 45}, {"steps", 7}},
                          {{"cols", 2}, {"rows", 3}, {"steps", 9}},
                          {{"cols", 37}, {"rows", 19}, {"steps", 10}, {"pad", 3}},
                          {{"cols", 13}, {"rows", 6}, {"planes", 5}, {"steps", 5}}};
  for (const gpu::KernelText* text : kernel_texts()) {
    if (text->operation->name != "stencil") continue;
    for (const Shape& shape : shapes)
      for (const std::string_view input : text->operation->inputs) {
        HostDevice device(warp_machine("h200"));
        const Check check = run_kernel_text(device, *text, shape, {}, input);
        EXPECT_TRUE(check) << text->name << " " << input << " " << to_string(*text->operation, shape) << ": "
                           << check.message();
      }
  }
}

std::string name_of(const testing::TestParamInfo<const gpu::KernelText*>& test) {
  const Operation& operation = *test.param->operation;
  return std::string(operation.name) + "_" + std::string(operation.element) + "_" +
         std::string(test.param->name);
}

std::vector<const gpu::KernelText*> with_params() {
  std::vector<const gpu::KernelText*> some;
  for (const gpu::KernelText* text : kernel_texts())
    if (!text->params.empty()) some.push_back(text);
  return some;
}

INSTANTIATE_TEST_SUITE_P(Modelled, KernelText,
                         testing::ValuesIn(kernel_texts().begin(), kernel_texts().end()), name_of);
INSTANTIATE_TEST_SUITE_P(Modelled, KernelTextWithParams, testing::ValuesIn(with_params()), name_of);

TEST(KernelTexts, OneThatIsNotModelledIsNamed) {
  EXPECT_EQ(message_of([] { find_kernel_text(find_operation("transpose", "float"), "naiv"); }),
            "unknown modelled variant of transpose 'naiv'; did you mean 'naive'?");
}

Counts counts_of(std::string_view operation, std::string_view name, const Shape& shape,
                 const Params& params = {}, std::string_view machine = "h200") {
  HostDevice device(warp_machine(machine));
  for (const gpu::KernelText* text : kernel_texts())
    if (text->operation->name == operation && text->operation->element == "float" && text->name == name) {
      EXPECT_TRUE(run_kernel_text(device, *text, shape, params)) << name;
      return counts_of(device);
    }
  ADD_FAILURE() << "no text of " << operation << " " << name;
  return {};
}

// An H200's counters gave the same counts, of the whole kernel and of each instruction.
TEST(Counted, FooKernel) {
  HostDevice device(warp_machine("h200"));
  constexpr Index threads = 32 * 256;
  Array<float> a(device, threads), b(device, 4 * threads), c(device, 4 * threads), d(device, threads + 8),
      e(device, 8 * threads);
  device.launch({{32}, {256}}, exercises::Foo{}, a.view, b.view, c.view, d.view, e.view);
  EXPECT_EQ(counts_of(device), (Counts{2304, 21504, 512, 9216, 512, 1280, 1280, 1280}));
  for (Index i = 0; i < threads; ++i) ASSERT_EQ(d.elements[i + 8], static_cast<float>(i));
  // Thread 255 takes element 3 * 256 + 252 of bc_s.
  EXPECT_EQ(e.elements[8 * 255], static_cast<float>(3 * threads + 252 + 4 * 252 + 3));

  // By place in the text: each access of the exercise has one place.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> sectors, wavefronts;
  for (const warp::SiteCounts& site : device.sites()) {
    const RequestCounts& counts = site.counts;
    if (site.site.space == Space::global)
      sectors.push_back({counts.sectors / counts.requests, counts.lines / counts.requests});
    else
      wavefronts.push_back({static_cast<std::uint64_t>(site.site.kind), counts.wavefronts / counts.requests});
  }
  EXPECT_STREQ(device.sites().front().site.where.file, "gpu/exercises/foo.hpp");
  using Pairs = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
  EXPECT_EQ(sectors, (Pairs{{4, 1}, {4, 1}, {16, 4}, {4, 2}, {32, 8}})) << "a, b, c, d, e: sectors, lines";
  EXPECT_EQ(wavefronts, (Pairs{{1, 1}, {1, 1}, {0, 1}, {0, 4}})) << "stores to a_s, bc_s; loads of both";
}

TEST(Counted, CopiesAndTranspositionsOf1024) {
  const Shape shape{{"m", 1024}, {"n", 1024}};
  constexpr std::uint64_t warps = 1024 * 1024 / 32;
  const Counts copy{warps, 4 * warps, warps, 4 * warps, 0, 0, 0, 0};
  const Counts by_elements{warps, 4 * warps, warps, 32 * warps, 0, 0, 0, 0};
  const auto by_tiles = [](std::uint64_t ways) {
    return Counts{warps, 4 * warps, warps, 4 * warps, warps, ways * warps, warps, warps};
  };
  EXPECT_EQ(counts_of("copy", "simple", shape), copy);
  EXPECT_EQ(counts_of("copy", "through_shared_memory", shape), by_tiles(1));
  EXPECT_EQ(counts_of("transpose", "naive", shape), by_elements);
  EXPECT_EQ(counts_of("transpose", "thread_per_element", shape), by_elements);
  EXPECT_EQ(counts_of("transpose", "coalesced", shape), by_tiles(32));
  EXPECT_EQ(counts_of("transpose", "shared_memory_tiled", shape), by_tiles(32));
  EXPECT_EQ(counts_of("transpose", "bank_conflict_free", shape), by_tiles(1));
  EXPECT_EQ(counts_of("transpose", "shared_memory_padded", shape), by_tiles(1));
  for (const Index elements : {2, 4, 8, 16})
    EXPECT_EQ(counts_of("transpose", "coarsened", shape, {{"elements", elements}}), by_tiles(1));
  EXPECT_EQ(counts_of("transpose", "diagonal", shape), by_tiles(1));
}

// S-e: the printed figures of transpose2 and transpose3 at 2048, on a K40.
TEST(Counted, TranspositionsOf2048OnAK40) {
  const Shape shape{{"m", 2048}, {"n", 2048}};
  const Counts by_elements = counts_of("transpose", "thread_per_element", shape, {}, "k40");
  EXPECT_EQ(by_elements.stores, 131072u);
  EXPECT_EQ(by_elements.store_sectors, 4194304u);
  const Counts by_tiles = counts_of("transpose", "shared_memory_tiled", shape, {}, "k40");
  EXPECT_EQ(by_tiles.shared_load_wavefronts, 16 * by_tiles.shared_loads);
}

TEST(Counted, Products) {
  const Shape n128{{"m", 128}, {"n", 128}, {"k", 128}};
  constexpr std::uint64_t warps = 128 * 128 / 32, products = 128 * warps;
  // A row of A is one element for the whole warp, four sectors come of B.
  EXPECT_EQ(counts_of("matmul", "coalesced", n128),
            (Counts{2 * products, 5 * products, warps, 4 * warps, 0, 0, 0, 0}));
  EXPECT_EQ(counts_of("matmul_bt", "uncoalesced", n128),
            (Counts{2 * products, 33 * products, warps, 4 * warps, 0, 0, 0, 0}));
  // 131,072 shared loads as written; ptxas makes four of a_tile one.
  const Counts tiled = counts_of("matmul", "shared_memory_tiled", n128);
  EXPECT_EQ(tiled, (Counts{2 * warps * 4, 8 * warps * 4, warps, 4 * warps, 131072, 131072, 4096, 4096}));
}

// As compiled, four shared loads of A are one of 16 bytes: an H200 counted 81,920 loads in 98,304 wavefronts.
TEST(Counted, ProductsAsCompiled) {
  const Shape n128{{"m", 128}, {"n", 128}, {"k", 128}};
  const gpu::KernelText& text = find_kernel_text(find_operation("matmul", "float"), "shared_memory_tiled");
  HostDevice device(warp_machine("h200"));
  device.use(compiled_widths());
  EXPECT_TRUE(run_kernel_text(device, text, n128));
  const Counts as_compiled = counts_of(device), as_written = counts_of("matmul", "shared_memory_tiled", n128);
  EXPECT_EQ(as_compiled.shared_loads, 81920u);
  EXPECT_EQ(as_compiled.shared_load_wavefronts, 98304u);
  EXPECT_EQ(as_compiled.load_sectors, as_written.load_sectors);
  EXPECT_EQ(as_compiled.shared_stores, as_written.shared_stores);
}

// Every kernel of float and double is in the table, by the name that its launch looks up.
TEST(CompiledWidths, AreFoundByTheKernelsOnTheHost) {
  const std::string name = warp::compiled_name(
      typeid(std::tuple<gemv::MultiplyRows, VectorView<float, Counted>, MatrixView<const float, Counted>,
                        VectorView<const float, Counted>>)
          .name());
  const auto accesses = accesses_of(compiled_widths(), name);
  ASSERT_EQ(accesses.size(), 2u) << name;
  EXPECT_EQ(accesses[0].file, "gpu/gemv/warp_per_row.hpp");
  EXPECT_EQ(accesses[0].widest(), 4);
  EXPECT_TRUE(accesses_of(compiled_widths(), "gpu::gemv::MultiplyColumns").empty());
}

/// The text's corner turning of 128 x 128, whose tile has no padding.
template <int tile>
std::uint64_t text_store_wavefronts() {
  HostDevice device(warp_machine("h200"));
  std::vector<float> storage(3 * 128 * 128, 1);
  const auto matrix = [&](std::size_t number) {
    float* begins = storage.data() + number * 128 * 128;
    return MatrixView<float, Counted>{begins, 128, 128, 128, device.access(begins)};
  };
  const auto bt = matrix(2);
  matmul::multiply_tiles<tile, 1>(device, matrix(0), matrix(1),
                                  matmul_bt::TransposedTile<tile, std::decay_t<decltype(bt)>, 0>{bt});
  EXPECT_EQ(storage.front(), 128);
  return device.total(Space::shared, AccessKind::store).wavefronts;
}

struct BlockNumber {
  unsigned number;
  Dim block() const { return {number, 1, 1}; }
};

// The printed figure: the block that processes each tile of 4 x 4.
TEST(Diagonal, TakesTheTilesOfThePicture) {
  const Tiling tiling(128, 128, 32, 32);
  constexpr unsigned picture[4][4] = {{0, 4, 8, 12}, {13, 1, 5, 9}, {10, 14, 2, 6}, {7, 11, 15, 3}};
  for (unsigned number = 0; number < 16; ++number) {
    const Tile tile = transpose::Diagonal::tile(BlockNumber{number}, tiling);
    EXPECT_EQ(picture[tile.row][tile.col], number);
  }
}

TEST(Counted, CornerTurning) {
  EXPECT_EQ(text_store_wavefronts<16>(), 36864u);
  EXPECT_EQ(text_store_wavefronts<32>(), 67584u);
  const Counts padded = counts_of("matmul_bt", "corner_turning", {{"m", 128}, {"n", 128}, {"k", 128}});
  EXPECT_EQ(padded.shared_store_wavefronts, padded.shared_stores);
}

TEST(Counted, AtomicsOfCountingSort) {
  const auto& sort = *find_kernel_text(find_operation("counting_sort", "uint32"), "global_atomics").operation;
  HostDevice device(warp_machine("h200"));
  ASSERT_TRUE(
      run_kernel_text(device, find_kernel_text(sort, "global_atomics"), {{"n", 10000}, {"range", 50}}));
  const RequestCounts atomics = device.total(Space::global, AccessKind::atomic);
  EXPECT_EQ(atomics.requests, 2 * ((10000 + 31) / 32u));
  EXPECT_EQ(atomics.lanes, 2 * 10000u);
  EXPECT_GT(atomics.atomic_steps, atomics.requests) << "of 50 values some meet in a warp";
}

}  // namespace
}  // namespace tallcache::gpu
