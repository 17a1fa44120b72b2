// What peers reports: a variant against the best of the libraries', case by case and by groups.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bench/show/format.hpp"
#include "bench/studies/peers/peers.hpp"
#include "tests/suite_reports/documents.hpp"

namespace tallcache::test {
namespace {

PeerFigures figures_of(const Document& document, int c) {
  return peer_figures(document, document.plan[0], document.plan[0]["cases"][c]);
}

TEST(Peers, TheBestPeerIsTheFastest) {
  Document document = peers();
  PeerFigures figures = figures_of(document, 2);
  ASSERT_TRUE(figures.library.best);
  EXPECT_EQ(figures.library.best->variant, "fast");
  EXPECT_DOUBLE_EQ(figures.library.over, 2);
  EXPECT_DOUBLE_EQ(figures.over_baseline, 10);
  EXPECT_TRUE(std::isnan(figures.share)) << "it is the first input";
  EXPECT_TRUE(std::isnan(figures.over_one_core));
  for (Record& record : document.measurements)
    if (record.variant == "fast") mark_wrong(record);
  figures = figures_of(document, 2);
  EXPECT_EQ(figures.library.best->variant, "slow");
  EXPECT_DOUBLE_EQ(figures.library.over, 10);
  EXPECT_EQ(peers_grid(document, document.plan[0]).rows[2][5], "slow, 1 not measured");
}

// A variant of the suite's own says nothing of a user's choice: it stands beside, and counts alone.
TEST(Peers, VariantsOfTheSuiteStandBeside) {
  Document document = peers();
  for (Record& record : document.measurements)
    if (record.variant == "fast") record.peer = false;
  const PeerFigures figures = figures_of(document, 2);
  EXPECT_EQ(figures.library.best->variant, "slow");
  EXPECT_DOUBLE_EQ(figures.library.over, 10);
  EXPECT_EQ(figures.variant.best->variant, "fast");
  EXPECT_DOUBLE_EQ(figures.variant.over, 2);
  EXPECT_DOUBLE_EQ(peer_group(document, document.plan[0], "small", Rivals::libraries).geometric_mean, 10);
  EXPECT_DOUBLE_EQ(peer_group(document, document.plan[0], "small", Rivals::variants).geometric_mean, 2);
  Grid grid = peers_grid(document, document.plan[0]);
  EXPECT_EQ(grid.columns[5].title, "best library");
  EXPECT_EQ(grid.rows[0], (std::vector<std::string>{"small: geometric mean of 2", "1", "", "", "", "",
                                                    "10.00x", "", "", "", "", "2.00x"}));
  EXPECT_EQ(grid.rows[2], (std::vector<std::string>{"n = 9", "1", "3 s", "300 ms", figure(3e-9), "slow",
                                                    "10.00x", "-", "-", "10.00x", "fast", "2.00x"}));

  for (Record& record : document.measurements) record.peer = false;
  grid = peers_grid(document, document.plan[0]);
  EXPECT_NE(grid.caption.find("own and the best other variant"), std::string::npos) << grid.caption;
  EXPECT_EQ(grid.columns[5].title, "best other variant");
  EXPECT_EQ(grid.columns.back().title, "over slow");
  EXPECT_EQ(grid.rows[2][5], "fast");
  EXPECT_EQ(grid.rows[2][6], "2.00x");
}

// Peers of its own class are its rivals; where there are none, those of the next stronger one, which is
// named; a weaker one has a column of its own, however fast it is.
TEST(Peers, AreComparedWithinAnErrorClass) {
  Document document = peers();
  for (Record& record : document.measurements)
    if (record.variant == "fast") record.error_class = ErrorClass::truncated_sums;
  PeerFigures figures = figures_of(document, 2);
  EXPECT_EQ(figures.library.best->variant, "slow");
  EXPECT_DOUBLE_EQ(figures.library.over, 10);
  EXPECT_EQ(figures.weaker->variant, "fast");
  EXPECT_DOUBLE_EQ(figures.over_weaker, 2);
  Grid grid = peers_grid(document, document.plan[0]);
  EXPECT_EQ(grid.caption.find("own (") == std::string::npos, true) << grid.caption;
  EXPECT_EQ(grid.columns.back().title, "over that");
  EXPECT_EQ(grid.rows[2],
            (std::vector<std::string>{"n = 9", "1", "3 s", "300 ms", figure(3e-9), "slow", "10.00x", "-", "-",
                                      "10.00x", "fast (truncated_sums)", "2.00x"}));
  for (const auto& row : grid.rows) EXPECT_EQ(row.size(), grid.columns.size());

  for (Record& record : document.measurements)
    record.error_class = record.variant == "own" ? ErrorClass::split_factors : ErrorClass::standard;
  figures = figures_of(document, 2);
  EXPECT_EQ(figures.library.best->variant, "fast");
  EXPECT_EQ(figures.weaker, nullptr);
  grid = peers_grid(document, document.plan[0]);
  EXPECT_NE(grid.caption.find("own (split_factors) and the best library"), std::string::npos) << grid.caption;
  EXPECT_EQ(grid.rows[2][5], "fast (standard)");
  // A slower one of its own class is the rival that counts.
  for (Record& record : document.measurements)
    if (record.variant == "slow") record.error_class = ErrorClass::split_factors;
  EXPECT_EQ(figures_of(document, 2).library.best->variant, "slow");
}

TEST(Peers, SharesAndSpeedUpsAreOfTheOtherCases) {
  Document document = peers();
  EXPECT_DOUBLE_EQ(figures_of(document, 3).over_one_core, 1.5);
  EXPECT_DOUBLE_EQ(figures_of(document, 4).share, 0.5);
  document.plan[0]["share"] = {{"of", "limit"}, {"title", "of the FMA peak"}};
  document.limits = {limit("multiply_add", "float", 1, 6e-9)};
  EXPECT_DOUBLE_EQ(figures_of(document, 2).share, 0.5);
  document.plan[0]["share"]["element"] = "tf32";
  document.plan[0]["share"]["products"] = 3;
  EXPECT_TRUE(std::isnan(figures_of(document, 2).share)) << "no limit of that element";
  document.limits.push_back(limit("multiply_add", "tf32", 1, 12e-9));
  EXPECT_DOUBLE_EQ(figures_of(document, 2).share, 0.75);
  document.plan[0]["share"] = {{"of", "limit"},
                               {"title", "of the limit of logic"},
                               {"operation", "logic"},
                               {"element", "uint32"},
                               {"operations", 0.5}};
  EXPECT_TRUE(std::isnan(figures_of(document, 2).share)) << "no limit of that operation";
  document.limits.push_back(limit("logic", "uint32", 1, 3e-9));
  EXPECT_DOUBLE_EQ(figures_of(document, 2).share, 0.5);
  Record copy = record_of({"memcpy", 1.5}, 9);
  copy.operation = "copy";
  copy.row = "n = 9";
  document.put(std::move(copy));
  document.plan[0]["share"] = {
      {"of", "reference"}, {"title", "of memcpy's speed"}, {"operation", "copy"}, {"variant", "memcpy"}};
  EXPECT_DOUBLE_EQ(figures_of(document, 2).share, 0.5);
  EXPECT_TRUE(std::isnan(figures_of(document, 3).share)) << "no reference in its row";
}

TEST(Peers, AGroupIsItsGeometricMeanAndItsLeast) {
  Document document = peers();
  PeerGroup group = peer_group(document, document.plan[0], "small", Rivals::libraries);
  EXPECT_EQ(group.count, 2);
  EXPECT_DOUBLE_EQ(group.geometric_mean, 2);  // of 4 and 1
  EXPECT_DOUBLE_EQ(group.min, 1);
  EXPECT_EQ(group.min_label, "n = 2");
  mark_wrong(document.measurements[3]);  // own at n = 2
  group = peer_group(document, document.plan[0], "small", Rivals::libraries);
  EXPECT_EQ(group.count, 1);
  EXPECT_EQ(group.absent_count, 1);
  EXPECT_DOUBLE_EQ(group.geometric_mean, 4);
  Grid grid = peers_grid(document, document.plan[0]);
  EXPECT_EQ(grid.rows[0][0], "small: geometric mean of 1, 1 not measured");
  EXPECT_EQ(grid.rows[1][0], "the least of them, n = 1");
  mark_wrong(document.measurements[0]);
  grid = peers_grid(document, document.plan[0]);
  EXPECT_EQ(grid.rows[0][0], "small: geometric mean of 0, 2 not measured");
  EXPECT_EQ(grid.rows[1][0], "n = 9");
}

// Of n = 9 and of n = 1, which is in a group, there are graphs; the plain peer is faster than any graph.
TEST(Peers, HoldsGraphsAgainstGraphs) {
  Document document = peers();
  const auto plain = peers_grid(document, document.plan[0]).rows;
  for (const auto& [first, own, fast] : {std::tuple{0, 1.0, 3.0}, {6, 60.0, 30.0}}) {
    document.put(graph_of(document.measurements[first], own));
    document.put(graph_of(document.measurements[first + 1], fast));
  }
  ASSERT_EQ(document.measurements.size(), 19u);
  const Json &part = document.plan[0], &last = part["cases"][2];
  EXPECT_DOUBLE_EQ(peer_figures(document, part, last).library.over, 2);
  const PeerFigures graph = peer_figures(document, part, last, LaunchMode::graph);
  ASSERT_TRUE(graph.library.best);
  EXPECT_EQ(graph.library.best->launch(), LaunchMode::graph);
  EXPECT_DOUBLE_EQ(graph.library.over, 0.5);
  EXPECT_TRUE(std::isnan(graph.over_baseline)) << "the baseline has no graph";
  const PeerGroup group = peer_group(document, part, "small", Rivals::libraries, LaunchMode::graph);
  EXPECT_EQ(group.count, 1);
  EXPECT_EQ(group.absent_count, 0) << "n = 2 has no graph";
  EXPECT_DOUBLE_EQ(group.geometric_mean, 3);
  auto rows = peers_grid(document, part).rows;
  ASSERT_EQ(rows.size(), plain.size() + 3);
  EXPECT_EQ(rows[2][0], "small, graph: geometric mean of 1");
  EXPECT_EQ(rows[5][0], "n = 9, graph");
  EXPECT_EQ(rows[5][2], "60 s");
  EXPECT_EQ(rows[5][6], "0.50x");
  rows.erase(rows.begin() + 5);
  rows.erase(rows.begin() + 2, rows.begin() + 4);
  EXPECT_EQ(rows, plain) << "a graph changed a plain line";
}

// Draw i is i + 1 times as fast as its peer, of 40; the least of them was measured again.
TEST(Peers, DrawsHaveAFifthPercentileAndThoseMeasuredAgainCountSo) {
  Document document = peers();
  document.plan[0]["cases"] = Json::array();
  document.measurements.clear();
  const auto put = [&](const std::string& row, double over) {
    for (Record record : {record_of({"own", 1, "cpu", 1}, 9), record_of({"fast", over, "cpu", 1, true}, 9)}) {
      record.row = row;
      document.put(std::move(record));
    }
  };
  for (int i = 0; i < 40; ++i) {
    const std::string label = "draw " + std::to_string(i);
    const PlannedCase drawn{label, label, 1, std::string(draws_group)};
    document.plan[0]["cases"].push_back(drawn);
    put(drawn.row, i + 1);
  }
  document.plan[0]["draws"] = PlannedDraws{.seed = 7, .count = 40, .max_n = 512, .bar = 1.5};
  PeerGroup group = peer_group(document, document.plan[0], draws_group, Rivals::libraries);
  EXPECT_EQ(group.count, 40);
  EXPECT_EQ(group.again_count, 0);
  EXPECT_DOUBLE_EQ(group.fifth_percentile, 3);
  EXPECT_DOUBLE_EQ(group.min, 1);
  EXPECT_EQ(group.min_label, "draw 0");

  document.plan[0]["cases"][0]["again"] = 3;
  const PlannedCase drawn = document.plan[0]["cases"][0];
  for (int number = 1; number <= 3; ++number) put(again_row(drawn, number), number == 2 ? 0.5 : 2.5);
  EXPECT_DOUBLE_EQ(over_best(document, document.plan[0], drawn, Rivals::libraries), 2.5);
  group = peer_group(document, document.plan[0], draws_group, Rivals::libraries);
  EXPECT_EQ(group.again_count, 1);
  EXPECT_DOUBLE_EQ(group.min, 2);
  EXPECT_EQ(group.min_label, "draw 1");
  const Grid grid = peers_grid(document, document.plan[0]);
  EXPECT_NE(grid.caption.find("40 draws of seed 7, of up to 512 keys; 1 were below 1.5"), std::string::npos)
      << grid.caption;
  ASSERT_EQ(grid.rows.size(), 3u);
  EXPECT_EQ(grid.rows[0][0], "draws: geometric mean of 40");
  EXPECT_EQ(grid.rows[1][0], "their fifth percentile");
  EXPECT_EQ(grid.rows[1][6], "3.00x");
  EXPECT_EQ(grid.rows[2][0], "the least of them, draw 1");
  document.plan[0]["cases"][0]["again"] = 2;  // the last ones are missing: they are no better than none
  document.measurements.erase(document.measurements.end() - 6, document.measurements.end());
  group = peer_group(document, document.plan[0], draws_group, Rivals::libraries);
  EXPECT_EQ(group.absent_count, 1) << "what is below the bar counts as measured alone, or not at all";
}

TEST(Peers, SharesOfGraphsAreOfTheGraphOfTheReference) {
  Document document = peers();
  document.plan[0]["share"] = {
      {"of", "reference"}, {"title", "of memcpy's speed"}, {"operation", "copy"}, {"variant", "memcpy"}};
  Record copy = record_of({"memcpy", 1.5}, 9);
  copy.operation = "copy";
  copy.row = "n = 9";
  document.put(graph_of(document.measurements[6], 1));
  document.put(copy);
  const Json &part = document.plan[0], &last = part["cases"][2];
  EXPECT_DOUBLE_EQ(peer_figures(document, part, last).share, 0.5);
  EXPECT_TRUE(std::isnan(peer_figures(document, part, last, LaunchMode::graph).share));
  document.put(graph_of(copy, 0.25));
  EXPECT_DOUBLE_EQ(peer_figures(document, part, last, LaunchMode::graph).share, 0.25);
}

TEST(Peers, ACaseWithoutAResultHasItsReason) {
  Document document = peers();
  mark_wrong(document.measurements[6]);  // own at n = 9 on one core
  const Grid grid = peers_grid(document, document.plan[0]);
  EXPECT_EQ(grid.columns.back().title, "over slow");
  EXPECT_EQ(grid.rows[2],
            (std::vector<std::string>{"n = 9", "1", "wrong result at [0]", "", "", "", "", "", "", ""}));
  EXPECT_EQ(grid.rows[3][8], "-") << "what one core made is wrong";
  EXPECT_EQ(grid.rows[4][7], "-");
  for (const auto& row : grid.rows) EXPECT_EQ(row.size(), grid.columns.size());
}

}  // namespace
}  // namespace tallcache::test
