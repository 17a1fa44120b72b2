// First touch by memory node: the blocks of each node cover the arrays and follow the recursion's order, on
// lists of nodes and on the topologies that hwloc simulates. Speed on several nodes is not tested: no such
// machine is needed.
#include "cpu/first_touch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "common/measure/host_memory.hpp"
#include "common/measure/machine_topology.hpp"
#include "common/ops/counting_sort.hpp"
#include "common/ops/matmul.hpp"
#include "common/ops/transpose.hpp"

namespace tallcache::test {
namespace {

using Blocks = std::vector<cpu::TouchedBlock>;
using Nodes = std::vector<MemoryNode>;

const std::vector<Nodes> node_lists = {
    {{0, 1}}, {{0, 4}, {1, 4}}, {{0, 2}, {1, 2}, {2, 2}}, {{0, 8}, {1, 8}, {2, 8}, {3, 8}}, {{3, 1}, {7, 3}}};

struct Size {
  Index rows, cols, pad;
};
constexpr Size sizes[] = {{1, 1, 0},     {1, 2, 0},     {2, 1, 3},   {3, 5, 0},     {7, 7, 1},
                          {64, 64, 0},   {1, 97, 0},    {101, 1, 2}, {63, 65, 0},   {127, 31, 9},
                          {256, 512, 0}, {509, 257, 7}, {0, 5, 0},   {1023, 33, 0}, {300, 300, 0}};

/// The place of element (row, col) of A in the order of REC-TRANSPOSE, written here once more.
Index place(Index row, Index col, Index rows, Index cols) {
  Index before = 0;
  while (rows > 1 || cols > 1) {
    Index& size = cols >= rows ? cols : rows;
    Index& at = cols >= rows ? col : row;
    const Index other = cols >= rows ? rows : cols, half = size / 2;
    if (at < half) {
      size = half;
    } else {
      before += half * other;
      at -= half;
      size -= half;
    }
  }
  return before;
}

/// The number of the node of each element of a buffer; -1: of none, -2: of several.
std::vector<int> owners(const Blocks& blocks, std::size_t buffer, Size size) {
  std::vector<int> result(static_cast<std::size_t>(size.rows * size.cols), -1);
  for (const cpu::TouchedBlock& block : blocks) {
    if (block.buffer != buffer) continue;
    EXPECT_EQ(block.ld, size.cols + size.pad);
    for (Index i = block.row; i < block.row + block.rows; ++i)
      for (Index j = block.col; j < block.col + block.cols; ++j) {
        int& owner = result.at(static_cast<std::size_t>(i * size.cols + j));
        owner = owner == -1 ? static_cast<int>(block.node) : -2;
      }
  }
  return result;
}

/// What is wrong with the blocks of a transposition; empty: nothing.
std::string complaint(const Blocks& blocks, Size a, const Nodes& nodes) {
  const std::vector<int> of_b = owners(blocks, 0, {a.cols, a.rows, a.pad}), of_a = owners(blocks, 1, a);
  Index processors = 0, wrong = 0;
  for (const MemoryNode& node : nodes) processors += node.processors;
  const Index all = a.rows * a.cols;
  for (Index i = 0; i < a.rows; ++i)
    for (Index j = 0; j < a.cols; ++j) {
      const int owner = of_a[static_cast<std::size_t>(i * a.cols + j)];
      if (owner < 0) return "an element is not of one node";
      if (of_b[static_cast<std::size_t>(j * a.rows + i)] != owner) return "an element and its copy differ";
      std::size_t fair = 0;
      const Index position = place(i, j, a.rows, a.cols);
      for (Index before = nodes[0].processors; all * before / processors <= position;)
        before += nodes[++fair].processors;
      wrong += owner != static_cast<int>(fair);
    }
  // A sixteenth of a share may be on either side.
  return wrong > all / 8 ? "the order is not the recursion's" : "";
}

template <class T>
Blocks blocks_of(Size a, const Nodes& nodes) {
  return cpu::first_touches(operation_of<Transpose<T>>, {{"m", a.rows}, {"n", a.cols}, {"pad", a.pad}},
                            nodes);
}

TEST(FirstTouch, OfATranspositionFollowsItsRecursion) {
  for (const Nodes& nodes : node_lists)
    for (const Size size : sizes) {
      SCOPED_TRACE(std::to_string(size.rows) + " x " + std::to_string(size.cols) + " on " +
                   std::to_string(nodes.size()));
      EXPECT_EQ(complaint(blocks_of<float>(size, nodes), size, nodes), "");
      EXPECT_EQ(complaint(blocks_of<double>(size, nodes), size, nodes), "");
    }
}

TEST(FirstTouch, OfTwoNodesAreTheHalvesOfASquare) {
  const Blocks blocks = blocks_of<float>({8, 8, 0}, node_lists[1]);
  const Blocks expected = {
      {0, 0, 0, 4, 8, 8, 4, 0}, {1, 0, 0, 8, 4, 8, 4, 0}, {0, 4, 0, 4, 8, 8, 4, 1}, {1, 0, 4, 8, 4, 8, 4, 1}};
  EXPECT_EQ(blocks, expected);
}

TEST(FirstTouch, CheckerNamesWhatIsWrong) {
  const Size size{127, 31, 9};
  const Nodes& nodes = node_lists[3];
  const Blocks right = blocks_of<float>(size, nodes);
  Blocks blocks = right;
  blocks.pop_back();
  EXPECT_EQ(complaint(blocks, size, nodes), "an element is not of one node");
  blocks = right;
  blocks.push_back(blocks.front());
  EXPECT_NE(complaint(blocks, size, nodes), "");
  blocks = right;
  std::ranges::find(blocks, 1u, &cpu::TouchedBlock::buffer)->node = 3;
  EXPECT_EQ(complaint(blocks, size, nodes), "an element and its copy differ");
  blocks = right;
  for (cpu::TouchedBlock& block : blocks) block.node = 3 - block.node;
  EXPECT_EQ(complaint(blocks, size, nodes), "the order is not the recursion's");
}

TEST(FirstTouch, OfAProductEveryElementHasANode) {
  for (const Nodes& nodes : node_lists)
    for (const auto& [m, n, k] : {std::array<Index, 3>{1, 1, 1}, {64, 64, 64}, {63, 65, 7}, {31, 129, 257}}) {
      const Shape shape{{"m", m}, {"n", n}, {"k", k}, {"pad", 3}};
      const Blocks blocks = cpu::first_touches(operation_of<Matmul<double>>, shape, nodes);
      const std::vector<int> of_c = owners(blocks, 0, {m, n, 3});
      EXPECT_EQ(std::ranges::count_if(of_c, [](int node) { return node < 0; }), 0);
      if (m >= 63) {
        for (int node = 0; node < static_cast<int>(nodes.size()); ++node)
          EXPECT_GT(std::ranges::count(of_c, node), 0);
      }
      EXPECT_EQ(std::ranges::count(owners(blocks, 1, {m, k, 3}), -1), 0);
      EXPECT_EQ(std::ranges::count(owners(blocks, 2, {k, n, 3}), -1), 0);
    }
  // Of two nodes each has half of C and A, and half of the B that both read.
  const Blocks halves = cpu::first_touches(operation_of<Matmul<float>>,
                                           {{"m", 8}, {"n", 8}, {"k", 8}, {"pad", 0}}, node_lists[1]);
  const Blocks expected = {{0, 0, 0, 4, 8, 8, 4, 0}, {1, 0, 0, 4, 8, 8, 4, 0}, {2, 0, 0, 4, 8, 8, 4, 0},
                           {2, 4, 0, 4, 8, 8, 4, 1}, {0, 4, 0, 4, 8, 8, 4, 1}, {1, 4, 0, 4, 8, 8, 4, 1}};
  EXPECT_EQ(halves, expected);
}

TEST(FirstTouch, OfOtherArraysIsInOrder) {
  const Operation& operation = operation_of<CountingSort<false>>;
  const Shape shape = complete_shape(operation, {{"n", 1001}});
  for (const Nodes& nodes : node_lists) {
    const Blocks blocks = cpu::first_touches(operation, shape, nodes);
    const std::vector<BufferSpec> buffers = operation.buffers(shape);
    for (std::size_t buffer = 0; buffer < buffers.size(); ++buffer) {
      const std::vector<int> of = owners(blocks, buffer, {1, static_cast<Index>(buffers[buffer].bytes), 0});
      EXPECT_TRUE(std::ranges::is_sorted(of));
      for (int node = 0; node < static_cast<int>(nodes.size()); ++node)
        EXPECT_GT(std::ranges::count(of, node), 0);
      EXPECT_EQ(std::ranges::count_if(of, [](int node) { return node < 0; }), 0);
    }
  }
}

/// hwloc shows this topology while this lives.
struct Simulated {
  explicit Simulated(const char* topology) { setenv("HWLOC_SYNTHETIC", topology, 1); }
  ~Simulated() { unsetenv("HWLOC_SYNTHETIC"); }
};

TEST(FirstTouch, FindsTheNodesOfASimulatedTopology) {
  const auto nodes_of = [](const char* topology) {
    const Simulated simulated(topology);
    return Topology().memory_nodes();
  };
  EXPECT_EQ(nodes_of("NUMANode:1 core:4 PU:1"), (Nodes{{0, 4}}));
  EXPECT_EQ(nodes_of("NUMANode:2 core:4 PU:1"), (Nodes{{0, 4}, {1, 4}}));
  EXPECT_EQ(nodes_of("NUMANode:3 core:2 PU:2"), (Nodes{{0, 4}, {1, 4}, {2, 4}}));
  EXPECT_EQ(nodes_of("Package:2 NUMANode:2 core:1 PU:1"), (Nodes{{0, 1}, {1, 1}, {2, 1}, {3, 1}}));
  // Two memories of the same cores.
  EXPECT_EQ(nodes_of("Package:2 [NUMANode] [NUMANode] core:2 PU:1").size(), 2u);
}

TEST(FirstTouch, WritesAZeroToEveryPage) {
  const Simulated simulated("NUMANode:3 core:2 PU:1");
  const Topology topology;
  const Operation& operation = operation_of<Transpose<double>>;
  const Shape shape{{"m", 517}, {"n", 1031}, {"pad", 0}};
  std::vector<std::unique_ptr<Memory>> memory;
  std::vector<std::byte*> buffers;
  for (const BufferSpec& spec : operation.buffers(shape)) {
    memory.push_back(allocate_host_memory(spec.bytes));
    std::ranges::fill(memory.back()->bytes(), std::byte{0xff});
    buffers.push_back(memory.back()->bytes().data());
  }
  cpu::touch_first(cpu::first_touches(operation, shape, topology.memory_nodes()), buffers, topology);
  for (const auto& buffer : memory) {
    EXPECT_TRUE(buffer->guards_intact());
    const std::span<std::byte> bytes = buffer->bytes();
    for (std::size_t page = 0; page < bytes.size(); page += 4096) {
      const auto part = bytes.subspan(page, std::min<std::size_t>(4096, bytes.size() - page));
      ASSERT_GT(std::ranges::count(part, std::byte{0}), 0) << "page " << page / 4096;
    }
  }
}

}  // namespace
}  // namespace tallcache::test
