// The sentences of explain: golden ones of twelve kernels, the line of the text that each is about, and that
// another stride is another sentence. The misses of a CPU's text by its sites.
#include "common/warp/explain.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "common/cache/run_traced.hpp"
#include "common/cache/site_misses.hpp"
#include "common/catalogue.hpp"
#include "cpu/matmul/naive.hpp"
#include "cpu/matmul/recursive.hpp"
#include "gpu/kernel_text.hpp"
#include "tests/counted_array.hpp"

namespace tallcache {
namespace {

using warp::ExplainedSite;
using warp::Explanation;
using warp::HostDevice;

std::string line_of(const Place& place) {
  std::ifstream file(std::string(TALLCACHE_SOURCE) + "/" + place.file);
  std::string line;
  for (std::uint32_t i = 0; i < place.line; ++i) std::getline(file, line);
  EXPECT_TRUE(file) << place.file << " has no line " << place.line;
  return line;
}

/// A site: a part of its line in the text, and its sentence without the number of the line.
struct Golden {
  std::string text, sentence;
};

std::string without_line(const warp::Site& site, std::string text) {
  const std::string number = " of line " + std::to_string(site.where.line);
  const std::size_t at = text.find(number);
  EXPECT_NE(at, text.npos) << text;
  return at == text.npos ? text : text.erase(at, number.size());
}

void expect_golden(std::string_view operation, std::string_view variant, const Shape& shape,
                   const std::vector<Golden>& golden, const Params& params = {}) {
  SCOPED_TRACE(std::string(operation) + " " + std::string(variant));
  HostDevice device(cache::warp_machine("h200"));
  const Explanation explanation(device);
  for (const gpu::KernelText* text : gpu::kernel_texts())
    if (text->operation->name == operation && text->name == variant &&
        (text->operation->element == "float" || text->operation->element == "uint32")) {
      EXPECT_TRUE(run_kernel_text(device, *text, shape, params));
    }
  const auto sites = explanation.sites();
  ASSERT_EQ(sites.size(), golden.size());
  for (std::size_t i = 0; i < sites.size(); ++i) {
    const std::string sentence = warp::sentence(device.recorder().machine(), sites[i]);
    EXPECT_EQ(without_line(sites[i].site, sentence), golden[i].sentence);
    EXPECT_NE(line_of(sites[i].site.where).find(golden[i].text), std::string::npos)
        << sites[i].site.where.line << ": " << line_of(sites[i].site.where);
  }
}

// Of 64 x 64 elements: a row has 256 bytes.
const Shape square{{"m", 64}};
const std::string
    reads =
        "the load touches 4 sectors for 128 bytes, the least: neighbouring lanes read neighbouring elements",
    writes =
        "the store touches 4 sectors for 128 bytes, the least: neighbouring lanes write "
        "neighbouring elements",
    writes_rows =
        "the store touches 32 sectors for 128 bytes, where 4 would do: neighbouring lanes write 256 bytes "
        "apart, each in a sector of its own",
    reads_rows =
        "the load touches 32 sectors for 128 bytes, where 4 would do: neighbouring lanes read 256 bytes "
        "apart, each in a sector of its own",
    reads_one = "the load touches 1 sector for 4 bytes, the least: neighbouring lanes read the same address",
    stores_words = "the store takes 1 wavefront, the least: neighbouring lanes write neighbouring words",
    loads_words = "the load takes 1 wavefront, the least: neighbouring lanes read neighbouring words",
    loads_word = "the load takes 1 wavefront, the least: neighbouring lanes read the same word";

std::vector<Golden> by_tiles(const std::string& column) {
  return {{"value[e] = a(i + e * step, j)", reads},
          {"tile[ty + e * step][tx] = value[e]", stores_words},
          {"b(out_i + e * step, out_j) = ", writes},
          {"tile[tx][ty + e * step]", column}};
}

TEST(Golden, Copies) {
  expect_golden("copy", "simple", square,
                {{"b(i + e, j) = a(i + e, j)", writes}, {"b(i + e, j) = a(i + e, j)", reads}});
}

TEST(Golden, Transpositions) {
  expect_golden("transpose", "naive", square,
                {{"b(j, i + e) = a(i + e, j)", writes_rows}, {"b(j, i + e) = a(i + e, j)", reads}});
  expect_golden("transpose", "thread_per_row", square,
                {{"b(i, j) = a(j, i)", writes_rows}, {"b(i, j) = a(j, i)", reads}});
  expect_golden(
      "transpose", "coalesced", square,
      by_tiles(
          "the load takes 32 wavefronts, where 1 would do: neighbouring lanes read 32 words apart, which "
          "begin in 1 of the 32 banks"));
  const auto padded = by_tiles(
      "the load takes 1 wavefront, the least: neighbouring lanes read 33 words apart, which begin "
      "in 32 of the 32 banks");
  expect_golden("transpose", "bank_conflict_free", square, padded);
  expect_golden("transpose", "diagonal", square, padded);
}

TEST(Golden, Products) {
  expect_golden(
      "matmul", "coalesced", square,
      {{"return b(l, j)", reads}, {"sum += a(i, l) * b(l, j)", reads_one}, {"c(i, j) = sum", writes}});
  expect_golden(
      "matmul_bt", "uncoalesced", square,
      {{"sum += a(i, l) * b(l, j)", reads_one}, {"c(i, j) = sum", writes}, {"return bt(j, l)", reads_rows}});
  const std::vector<Golden> factors{{"sum[f] += a_tile[ty][k] * b_tile[k][tx]", loads_word},
                                    {"sum[f] += a_tile[ty][k] * b_tile[k][tx]", loads_words},
                                    {"c(i, j) = sum[f]", writes}};
  std::vector<Golden> tiled{{"b_tile[ty][tx] = ", stores_words},
                            {"b(l + ty, j + tx)", reads},
                            {"a_tile[ty][tx] = ", stores_words},
                            {"a(i, l + tx)", reads}};
  tiled.insert(tiled.end(), factors.begin(), factors.end());
  expect_golden("matmul", "shared_memory_tiled", square, tiled);
  expect_golden("matmul", "coarsened", square, tiled);
  std::vector<Golden> turned{{"a_tile[ty][tx] = ", stores_words}, {"a(i, l + tx)", reads}};
  turned.insert(turned.end(), factors.begin(), factors.end());
  turned.push_back(
      {"b_tile[tx][ty] = ",
       "the store takes 2 wavefronts, where 1 would do: neighbouring lanes write 17 words apart, "
       "but for 3.2 % "
       "of them, which begin in 32 of the 32 banks"});
  turned.push_back({"bt(j + ty, l + tx)", reads});
  expect_golden("matmul_bt", "corner_turning", square, turned, {{"tile", 16}});
}

TEST(Golden, OthersWithLanesThatRest) {
  expect_golden(
      "gemv", "warp_per_row", square,
      {{"a(", reads},
       {"x[", reads},
       {"y[",
        "the store touches 1 sector for 4 bytes, the least: single lanes write; 3.12 % of the lanes "
        "are active"}});
  const std::string
      most = "; 97.7 % of the lanes are active",
      fourth = " touches 3.906 sectors for 125 bytes, ",
      at_random =
          "neighbouring lanes update at different distances; 2.969 lanes of a warp meet at one address";
  const std::string load = "the load" + fourth + "the least: neighbouring lanes read neighbouring elements" +
                           most,
                    atomic =
                        "the atomic touches 12.19 sectors for 95 bytes, where 3.375 would do: " + at_random +
                        most;
  expect_golden("counting_sort", "global_atomics", {{"n", 1000}, {"range", 50}},
                {{"atomic_add(", atomic},
                 {"atomic_add(", load},
                 {"atomic_add(",
                  "the store touches 24.69 sectors for 125 bytes, where 3.906 would do: "
                  "neighbouring lanes write at different distances" +
                      most},
                 {"atomic_add(", atomic},
                 {"atomic_add(", load},
                 {"atomic_add(", load}});
}

struct Strided {
  Index stride;
  template <class Thread, class B, class A>
  TALLCACHE_DEVICE void operator()(const Thread& t, B b, A a) const {
    auto&& tile = shared<0, float[32 * 32]>(t);
    const Index lane = t.thread().x;
    tile[lane * stride] = a[lane * stride];
    b[lane] = tile[lane * stride];
  }
};

std::vector<std::string> sentences_of(Index stride, std::string_view machine = "h200") {
  HostDevice device(cache::warp_machine(machine));
  const Explanation explanation(device);
  test::Array<float> a(device, 32 * 32), b(device, 32);
  device.launch({{1}, {32}}, Strided{stride}, b.view, a.view);
  std::vector<std::string> all;
  for (const ExplainedSite& site : explanation.sites())
    all.push_back(without_line(site.site, warp::sentence(device.recorder().machine(), site)));
  return all;
}

TEST(Sentences, ChangeWithTheStride) {
  using Texts = std::vector<std::string>;
  EXPECT_EQ(sentences_of(1), (Texts{stores_words, reads, writes, loads_words}));
  EXPECT_EQ(
      sentences_of(2),
      (Texts{
          "the store takes 2 wavefronts, where 1 would do: neighbouring lanes write 2 words apart, "
          "which begin in "
          "16 of the 32 banks",
          "the load touches 8 sectors for 128 bytes, where 4 would do: neighbouring lanes read 8 bytes apart",
          writes,
          "the load takes 2 wavefronts, where 1 would do: neighbouring lanes read 2 words apart, "
          "which begin in "
          "16 of the 32 banks"}));
  EXPECT_EQ(sentences_of(8)[1],
            "the load touches 32 sectors for 128 bytes, where 4 would do: neighbouring lanes read 32 "
            "bytes apart, each in "
            "a sector of its own");
  EXPECT_EQ(sentences_of(0)[1], reads_one);
  // Banks of 8 bytes: two words apart is one bank apart.
  EXPECT_EQ(sentences_of(2, "k40")[3],
            "the load takes 1 wavefront, the least: neighbouring lanes read 1 word apart, "
            "which begin in 32 of the 32 banks");
}

struct Shifted {
  template <class Thread, class B, class A>
  TALLCACHE_DEVICE void operator()(const Thread& t, B b, A a) const {
    b[t.thread().x] = a[t.thread().x + 1];
  }
};

TEST(Sentences, TellAMisalignedRow) {
  HostDevice device(cache::warp_machine("h200"));
  const Explanation explanation(device);
  test::Array<float> a(device, 33), b(device, 32);
  device.launch({{1}, {32}}, Shifted{}, b.view, a.view);
  const auto sites = explanation.sites();
  ASSERT_EQ(sites.size(), 2u);
  EXPECT_EQ(without_line(sites[1].site, warp::sentence(device.recorder().machine(), sites[1])),
            "the load touches 5 sectors for 128 bytes, where 4 would do: neighbouring lanes read "
            "neighbouring elements, "
            "which begin or end within a sector");
}

/// The misses of a text's sites, in the first level.
template <class V, class Op>
std::vector<cache::SiteLevels> misses_of(const Shape& shape, const cache::CacheLevel& level,
                                         const Params& params = {}) {
  cache::AccessSites sites;
  cache::SiteMisses misses({&level, 1});
  cache::trace(
      level.line, {&misses}, [&](cache::Tracer& tracer) { cache::run_traced<V, Op>(tracer, shape, params); },
      &sites);
  return misses.of(sites);
}

// A product of n x n x n: each site has its own accesses, and all sites together have the hierarchy's misses.
TEST(SiteMisses, AddUpToTheHierarchys) {
  constexpr Index n = 40;
  const Shape shape = complete_shape(operation_of<Matmul<double>>, {{"m", n}});
  const cache::CacheLevel level{.bytes = 4096, .ways = 2, .line = 64};
  const auto sites = misses_of<cpu::matmul::naive, Matmul<double>>(shape, level);
  cache::LevelCounts sum;
  for (const cache::SiteLevels& site : sites) {
    const cache::LevelCounts& counts = site.levels.at(0);
    EXPECT_EQ(counts.misses(), counts.cold + counts.capacity + counts.conflict);
    EXPECT_EQ(site.site.store ? counts.loads : counts.stores, 0u);
    EXPECT_EQ(site.site.bytes, sizeof(double));
    sum.loads += counts.loads;
    sum.stores += counts.stores;
    sum.load_misses += counts.load_misses;
    sum.store_misses += counts.store_misses;
  }
  cache::Hierarchy hierarchy({&level, 1});
  const auto counts = cache::trace(level.line, {&hierarchy}, [&](cache::Tracer& tracer) {
    cache::run_traced<cpu::matmul::naive, Matmul<double>>(tracer, shape);
  });
  const cache::LevelCounts& whole = hierarchy.counts(0);
  EXPECT_EQ(sum.loads, whole.loads);
  EXPECT_EQ(sum.stores, whole.stores);
  EXPECT_EQ(sum.loads, counts.loads);
  EXPECT_EQ(sum.load_misses, whole.load_misses);
  EXPECT_EQ(sum.store_misses, whole.store_misses);
  EXPECT_GT(sites.size(), 3u);
}

// The second factor's column is the site that misses.
TEST(SiteMisses, AreThoseOfTheColumn) {
  constexpr Index n = 64;
  const Shape shape = complete_shape(operation_of<Matmul<double>>, {{"m", n}});
  const auto sites =
      misses_of<cpu::matmul::naive, Matmul<double>>(shape, {.bytes = 2048, .ways = 32, .line = 64});
  std::uint64_t most = 0;
  for (const cache::SiteLevels& site : sites) most = std::max(most, site.levels[0].misses());
  EXPECT_EQ(most, static_cast<std::uint64_t>(n * n * n));
}

// A place of one text is that of its line.
TEST(SiteMisses, TellTheLine) {
  const Shape shape = complete_shape(operation_of<Matmul<float>>, {{"m", 8}});
  for (const cache::SiteLevels& site : misses_of<cpu::matmul::recursive, Matmul<float>>(
           shape, {.bytes = 4096, .ways = 64, .line = 64}, {{"base", 4}}))
    EXPECT_NE(line_of(site.site.where).find("("), std::string::npos) << site.site.where.line;
}

TEST(SiteMisses, NeedATracerThatTellsSites) {
  const cache::CacheLevel level{.bytes = 4096, .ways = 64, .line = 64};
  cache::SiteMisses misses({&level, 1});
  const double element = 1;
  EXPECT_THROW(
      cache::trace(64, {&misses}, [&](cache::Tracer& tracer) { tracer.load(&element, sizeof element); }),
      Error);
}

}  // namespace
}  // namespace tallcache
