// The seeded graphs have the properties of their names, and a search of a user's own graph is correct.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <set>
#include <utility>

#include "bench/suites/graph_file.hpp"
#include "bench/suites/graph_order.hpp"
#include "common/execute.hpp"
#include "common/ops/bfs.hpp"
#include "tests/support.hpp"

namespace tallcache::test {
namespace {

struct Graph {
  std::vector<std::uint32_t> offset, target;

  Graph(std::string_view input, Index vertices, Index edges) : offset(vertices + 1), target(edges) {
    build_graph(vertices, edges, Edges(input, 1, vertices), offset.data(), target.data());
  }
  Graph(Index vertices, const std::vector<Edges::Edge>& edges) : offset(vertices + 1), target(edges.size()) {
    build_graph(
        vertices, static_cast<Index>(edges.size()), [&](Index e) { return edges[e]; }, offset.data(),
        target.data());
  }

  Index vertices() const { return static_cast<Index>(offset.size()) - 1; }
  std::uint32_t degree(Index v) const { return offset[v + 1] - offset[v]; }

  Bfs::Args<> args(std::vector<std::int32_t>& levels, std::uint32_t source = 0) const {
    return {{levels.data(), static_cast<Index>(levels.size())},
            {offset.data(), static_cast<Index>(offset.size())},
            {target.data(), static_cast<Index>(target.size())},
            source};
  }
  std::vector<std::int32_t> levels(std::string_view variant, std::uint32_t source = 0,
                                   int threads = 1) const {
    std::vector<std::int32_t> result(vertices(), 42);
    execute<Bfs>(variant, args(result, source), {}, threads);
    return result;
  }
};

const char* const searches[] = {"bfs_queue", "bfs_frontier", "bfs_bag", "bfs_direction_optimizing"};

TEST(Graph, RowsHoldTheEdgesInTheirOrder) {
  const Graph graph(4, {{2, 0}, {0, 3}, {2, 1}, {0, 1}, {2, 2}, {0, 3}});
  EXPECT_EQ(graph.offset, (std::vector<std::uint32_t>{0, 3, 3, 6, 6}));
  EXPECT_EQ(graph.target, (std::vector<std::uint32_t>{3, 1, 3, 0, 1, 2}));
}

TEST(Graph, PathHasItsLength) {
  std::vector<std::int32_t> expected(1000);
  std::iota(expected.begin(), expected.end(), 0);
  for (const char* search : searches)
    EXPECT_EQ(Graph("path", 1000, 2 * 999).levels(search), expected) << search;
}

TEST(Graph, StarHasOneLevel) {
  std::vector<std::int32_t> expected(1000, 1);
  expected[0] = 0;
  for (const char* search : searches)
    EXPECT_EQ(Graph("star", 1000, 2 * 999).levels(search), expected) << search;
  expected.assign(1000, 2);
  expected[7] = 0, expected[0] = 1;
  for (const char* search : searches)
    EXPECT_EQ(Graph("star", 1000, 2 * 999).levels(search, 7), expected) << search;
}

TEST(Graph, GridHasTheDistancesOfItsStreets) {
  for (const Index vertices : {1, 2, 3, 4, 5, 16, 17, 99, 100, 101, 120}) {
    const Index width = static_cast<Index>(std::sqrt(static_cast<double>(vertices)));
    Index edges = 0;
    for (Index v = 0; v < vertices; ++v)
      edges += 2 * ((v % width + 1 < width && v + 1 < vertices) + (v + width < vertices));
    const Graph graph("grid", vertices, edges);
    for (Index v = 0; v < vertices; ++v) {
      std::vector<std::uint32_t> neighbours(graph.target.data() + graph.offset[v],
                                            graph.target.data() + graph.offset[v + 1]);
      std::ranges::sort(neighbours);
      EXPECT_EQ(std::ranges::adjacent_find(neighbours), neighbours.end())
          << v << " of " << vertices << ": twice";
    }
    for (const char* search : searches) {
      const auto levels = graph.levels(search);
      for (Index v = 0; v < vertices; ++v)
        ASSERT_EQ(levels[v], v / width + v % width) << search << " " << v << " of " << vertices;
    }
  }
}

TEST(Graph, PowerLawHasAHubAndRandomHasNone) {
  const Index n = 1 << 12, edges = 16 * n;
  const Graph power_law("power_law", n, edges), random("random", n, edges);
  std::uint32_t largest = 0, lonely = 0;
  for (Index v = 0; v < n; ++v) {
    largest = std::max(largest, random.degree(v));
    lonely += power_law.degree(v) == 0;
    EXPECT_LE(power_law.degree(v), power_law.degree(0));
  }
  // For a mean of 16, a Poisson distribution ends near 40; R-MAT's vertex 0 has about 0.76^12 of the ends.
  EXPECT_LT(largest, 60u);
  EXPECT_GT(power_law.degree(0), 1000u);
  EXPECT_GT(lonely, n / 10);
}

TEST(Graph, SearchesFromAnySourceOnThreads) {
  const Graph graph("random", 3000, 9000);
  const int threads = std::min(2, usable_threads());
  for (std::uint32_t source : {0u, 1u, 2999u}) {
    const auto expected = graph.levels("bfs_queue", source);
    EXPECT_EQ(expected[source], 0);
    EXPECT_EQ(graph.levels("bfs_frontier", source, threads), expected);
    EXPECT_EQ(graph.levels("bfs_bag", source, threads), expected);
    EXPECT_EQ(graph.levels("bfs_direction_optimizing", source, threads), expected);
  }
}

TEST(Graph, RejectsWhatIsNone) {
  const Graph graph(4, {{0, 1}, {1, 2}, {2, 3}});
  std::vector<std::int32_t> levels(4, 42);
  const auto rejected = [&](const Bfs::Args<>& wrong, std::string_view expected) {
    expect_error([&] { execute<Bfs>("bfs_frontier", wrong); }, expected);
    EXPECT_EQ(levels, std::vector<std::int32_t>(4, 42));
  };
  rejected(graph.args(levels, 4), "the source 4 is none of 4 vertices");
  Graph wrong = graph;
  wrong.target[1] = 4;
  rejected(wrong.args(levels), "edge 1 leads to 4, which is no vertex");
  wrong = graph;
  wrong.offset[1] = 3;
  rejected(wrong.args(levels), "the offset of vertex 1 is above the next");
  wrong = graph;
  wrong.offset[4] = 2;
  rejected(wrong.args(levels), "number of edges");
  wrong = graph;
  wrong.offset.pop_back();
  rejected(wrong.args(levels), "4 offsets for 4 vertices");
  auto args = graph.args(levels);
  args.out = {reinterpret_cast<std::int32_t*>(const_cast<std::uint32_t*>(graph.offset.data())), 4};
  rejected(args, "levels and offsets overlap");
}

// The sum over all edges of the digits of the gaps between the names of a vertex's neighbours, in order.
double gap_bits(const GraphFile& graph) {
  double sum = 0;
  for (std::size_t v = 0; v + 1 < graph.offset.size(); ++v)
    for (std::size_t e = graph.offset[v] + 1; e < graph.offset[v + 1]; ++e)
      sum += std::log2(1 + std::abs(static_cast<double>(graph.target[e]) - graph.target[e - 1]));
  return sum;
}

TEST(GraphOrder, NamesArePermutationsAndKeepTheGraph) {
  for (const std::string_view input : graph_inputs)
    for (const std::string_view order : graph_orders) {
      const Graph graph(input, 700, 4000);
      const GraphFile file{graph.offset, graph.target};
      const auto names = vertex_names(file, order, 5);
      EXPECT_EQ(names[0] == 0, order != "root") << order;
      const GraphFile other = renamed(file, names);
      // Each edge under its new name, and no other.
      std::vector<std::pair<std::uint32_t, std::uint32_t>> before, after;
      for (std::uint32_t v = 0; v < 700; ++v) {
        for (std::size_t e = graph.offset[v]; e < graph.offset[v + 1]; ++e)
          before.emplace_back(names[v], names[graph.target[e]]);
        for (std::size_t e = other.offset[v]; e < other.offset[v + 1]; ++e)
          after.emplace_back(v, other.target[e]);
      }
      std::ranges::sort(before);
      EXPECT_EQ(before, after) << input << ", " << order;
      std::vector<std::uint32_t> sorted = names;
      std::ranges::sort(sorted);
      for (std::uint32_t v = 0; v < 700; ++v) ASSERT_EQ(sorted[v], v) << input << ", " << order;
    }
}

TEST(GraphOrder, DegreesFallAndBisectionFindsAGrid) {
  const Graph power_law("power_law", 1 << 12, 1 << 16);
  const GraphFile by_degree = renamed({power_law.offset, power_law.target},
                                      vertex_names({power_law.offset, power_law.target}, "degree", 1));
  for (std::size_t v = 2; v + 1 < by_degree.offset.size(); ++v)
    EXPECT_LE(by_degree.offset[v + 1] - by_degree.offset[v], by_degree.offset[v] - by_degree.offset[v - 1])
        << v;
  // A grid whose names are scattered: the bisection gives near numbers to neighbours again.
  const Graph grid("grid", 1 << 12, 4 * (1 << 12) - 4 * 64);
  const GraphFile natural{grid.offset, grid.target};
  const GraphFile scattered = renamed(natural, vertex_names(natural, "scattered", 3));
  const GraphFile found = renamed(scattered, vertex_names(scattered, "bisection", 3));
  EXPECT_GT(gap_bits(scattered), 1.5 * gap_bits(natural));
  EXPECT_LT(gap_bits(found), 0.6 * gap_bits(scattered));
}

TEST(GraphOrder, RootsHaveEdgesAndAreDrawn) {
  const Graph graph("power_law", 1 << 10, 1 << 13);
  const GraphFile file{graph.offset, graph.target};
  std::set<std::ptrdiff_t> roots;
  for (std::uint64_t seed = 0; seed < 64; ++seed) {
    const auto names = vertex_names(file, "root", seed);
    const auto root = std::ranges::find(names, 0u) - names.begin();
    EXPECT_GT(graph.degree(root), 0u) << root;
    EXPECT_EQ(names[0], static_cast<std::uint32_t>(root));
    roots.insert(root);
    // The search of the renamed graph is that from the root.
    if (seed >= 4) continue;
    const GraphFile other = renamed(file, names);
    Graph searched(0, {});
    searched.offset = other.offset, searched.target = other.target;
    const auto expected = graph.levels("bfs_queue", static_cast<std::uint32_t>(root));
    const auto levels = searched.levels("bfs_queue");
    for (Index v = 0; v < graph.vertices(); ++v) ASSERT_EQ(levels[names[v]], expected[v]) << v;
  }
  EXPECT_GT(roots.size(), 48u);
  const GraphFile edgeless{{0, 0, 0}, {}};
  EXPECT_EQ(vertex_names(edgeless, "root", 1), (std::vector<std::uint32_t>{0, 1}));
}

TEST(GraphOrder, IsRefused) {
  const Graph graph("grid", 16, 48);
  expect_error([&] { vertex_names({graph.offset, graph.target}, "degre", 1); }, "did you mean 'degree'");
}

class File : public testing::Test {
 protected:
  GraphFile read(const std::string& text) {
    std::ofstream(path) << text;
    return read_graph(path);
  }
  void rejected(const std::string& text, const std::string& expected) {
    expect_error([&] { read(text); }, path + expected);
  }
  ~File() override { std::filesystem::remove(path); }

  // The tests run in parallel, each in a process of its own.
  const std::string path = testing::TempDir() + "tallcache_graph_test." + std::to_string(getpid());
};

TEST_F(File, IsAListOfEdges) {
  const GraphFile graph = read("# SNAP\n0\t2\r\n 0 1 \n\n% and others\n2 0\n2 2\n2 6");
  EXPECT_EQ(graph.offset, (std::vector<std::uint32_t>{0, 2, 2, 5, 5, 5, 5, 5}));
  EXPECT_EQ(graph.target, (std::vector<std::uint32_t>{2, 1, 0, 2, 6}));
}

TEST_F(File, IsWhatWasWritten) {
  const Graph graph("random", 500, 3000);
  std::string text;
  std::uint32_t largest = 0;
  for (Index u = 0; u < graph.vertices(); ++u)
    for (Index e = graph.offset[u]; e < graph.offset[u + 1]; ++e) {
      text += std::to_string(u) + ' ' + std::to_string(graph.target[e]) + '\n';
      largest = std::max({largest, static_cast<std::uint32_t>(u), graph.target[e]});
    }
  const GraphFile read_back = read(text);
  EXPECT_EQ(read_back.target, graph.target);
  EXPECT_EQ(read_back.offset,
            std::vector<std::uint32_t>(graph.offset.begin(), graph.offset.begin() + largest + 2));
}

TEST_F(File, MayHaveItsEdgesInAnyOrder) {
  const GraphFile graph = read("2 1\n0 2\n2 0\n0 1\n");
  EXPECT_EQ(graph.offset, (std::vector<std::uint32_t>{0, 2, 2, 4}));
  EXPECT_EQ(graph.target, (std::vector<std::uint32_t>{2, 1, 1, 0}));
}

TEST_F(File, IsAMatrixMarketFile) {
  const GraphFile general = read(
      "%%MatrixMarket matrix coordinate real general\n% made by hand\n3 3 3\n"
      "1 2 0.5\n3 1 -2e3\n 2 2 1\n");
  EXPECT_EQ(general.offset, (std::vector<std::uint32_t>{0, 1, 2, 3}));
  EXPECT_EQ(general.target, (std::vector<std::uint32_t>{1, 1, 0}));
  // An entry below the diagonal is an edge each way. The longer side of a matrix is of the vertices.
  const GraphFile symmetric = read("%%MatrixMarket matrix coordinate pattern symmetric\n2 4 2\n2 1\n1 1\n");
  EXPECT_EQ(symmetric.offset, (std::vector<std::uint32_t>{0, 2, 3, 3, 3}));
  EXPECT_EQ(symmetric.target, (std::vector<std::uint32_t>{1, 0, 0}));

  const std::string head = "%%MatrixMarket matrix coordinate pattern general\n";
  rejected("%%MatrixMarket matrix array real general\n2 2\n",
           ":1: a Matrix Market file of 'matrix array' is no graph");
  rejected(head + "2 2 1\n3 1\n", ":3: entry (3, 1) of a matrix of 2 rows");
  rejected(head + "2 2 1\n0 1\n", ":3: entry (0, 1) of a matrix");
  rejected(head + "2 2 1\n1 1\n1 2\n", ":4: an entry more than its sizes say");
  rejected(head + "2 2 2\n1 1\n", ": 1 entries fewer than its sizes say");
  rejected(head + "2 2\n1 1\n", ":2: '' where the number of the entries should be");
  rejected(head + "2 2 0\n", ": no edges");
  rejected(head + "4294967295 2 1\n1 1\n", ":2: a graph has at most");
}

TEST_F(File, IsRejectedWithTheLine) {
  rejected("0 1\n1 x\n", ":2: 'x' where the number of a vertex should be");
  rejected("0 1\n\n1\n", ":3: '' where the number of a vertex should be");
  rejected("0 1 0.5\n", ":1: '0.5' behind the two vertices of an edge");
  rejected("0 -1\n", ":1: '-1' where");
  rejected("0 1.5\n", ":1: '1.5' where");
  rejected("0 1\n0 4294967296\n", ":2: 4294967296 is too large for the number of a vertex");
  rejected("0 1\n0 4294967295\n", ":2: a graph has at most");
  rejected("0 2147483646\n", ":1: a graph has at most 2147483646 vertices");
  rejected("", ": no edges");
  rejected("# nothing\n", ": no edges");
  expect_error([] { read_graph("/nowhere/graph.txt"); }, "cannot read /nowhere/graph.txt");
}

}  // namespace
}  // namespace tallcache::test
