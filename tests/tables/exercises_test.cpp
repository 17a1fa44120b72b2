// The tables of exercises: the verdict of each as its model gives it, and that another answer is found out.
#include "bench/tables/exercises.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "tests/tables/records.hpp"

namespace tallcache::test {
namespace {

constexpr const char* exercise_tables[] = {"coalescing-exercise", "matmul-gpu-intensity", "bank-conflicts",
                                           "occupancy",           "dram-channels",        "littles-law",
                                           "effective-bandwidth"};

// What a table measures on a GPU is another on each, and needs one: memory_curves_test has those.
bool is_of_a_gpu(const Row& row) {
  return row.label == "latencies" || row.label.starts_with("bandwidth over ") || row.label == "bytes counted";
}

// A document with all that a table's models count.
Document counted_by(std::string_view id) {
  Document document = document_of("smoke");
  for (const Row& row : find_table(id).rows(Scale::smoke, 1)) {
    if (is_of_a_gpu(row)) continue;
    for (Record record : std::get<Measure>(row.what)()) {
      record.row = row_name(id, row.label);
      document.put(std::move(record));
    }
  }
  return document;
}

const Document& document_with(const std::string& id) {
  static std::map<std::string, Document> all;
  if (!all.contains(id)) all.emplace(id, counted_by(id));
  return all.at(id);
}

std::vector<std::string> where(const Report& report, Holds holds) {
  std::vector<std::string> list;
  for (const Finding& finding : report.findings)
    if (finding.holds == holds) list.push_back(finding.text);
  return list;
}

using Texts = std::vector<std::string>;

TEST(Exercises, HoldButForTheMisprints) {
  const std::map<std::string, Texts> misprints{
      {"coalescing-exercise",
       {"P5, block sizes of the tiled product without uncoalesced accesses: 32",
        "S5, LD.E R2, [R6]: addresses of half a warp: 16 addresses of words"}},
      {"dram-channels", {"P4, figure 6.11, phase 0, block 1,0: 8 19 12 13"}},
      {"littles-law", {"S3, 15.7 EB in 1.87 h: 2.32 PB/s"}},
      {"effective-bandwidth", {"S6, 80.613 GB/s / 4400 bytes: 18312136 op/s"}},
  };
  for (const char* id : exercise_tables) {
    const Report report = reported(id, document_with(id));
    const auto expected = misprints.find(id);
    EXPECT_EQ(where(report, false), expected == misprints.end() ? Texts{} : expected->second) << id;
    EXPECT_EQ(where(report, std::nullopt).size(), id == std::string("littles-law") ? 5 : 0) << id;
    for (const Finding& finding : report.findings)
      if (finding.holds == false) {
        EXPECT_NE(finding.why, "") << finding.text;
        EXPECT_NE(finding.figures, "") << finding.text;
      }
  }
  EXPECT_EQ(finding(reported("effective-bandwidth", document_with("effective-bandwidth")),
                    "S6, 80.613 GB/s / 4400 bytes")
                .figures,
            "18321136 op/s");
}

TEST(Exercises, AreOfRowsOfTheTexts) {
  for (const char* id : exercise_tables) {
    std::vector<std::string> names;
    for (const Json& row : exercises_of(slide_table(id))) {
      EXPECT_NE(std::string("MHPS").find(row.at(0).get<std::string>()[0]), std::string::npos) << row;
      names.push_back(row.at(1));
    }
    std::ranges::sort(names);
    EXPECT_EQ(std::ranges::adjacent_find(names), names.end()) << id;
  }
}

// One number of one exercise, one more than it is: its finding, and no other, holds no more.
TEST(ExercisesSabotage, AnotherAnswerIsFoundOut) {
  for (const char* id : exercise_tables) {
    const Document& document = document_with(id);
    const Texts before = where(reported(id, document), true);
    const Record* answers = records_of(document, id, "exercises").at(0);
    for (std::size_t i = 0; i < answers->quantities.size(); ++i) {
      Record changed = *answers;
      Quantity& quantity = changed.quantities[i];
      (quantity.values.empty() ? quantity.value : quantity.values.back()) += 1;
      Document other = document;
      other.put(changed);
      const std::string name = quantity.at.at("exercise");
      const Texts after = where(reported(id, other), true);
      const bool held = std::ranges::any_of(
          before, [&](const std::string& text) { return text.find(name + ": ") != std::string::npos; });
      EXPECT_EQ(after.size(), before.size() - (held ? 1 : 0)) << id << ": " << name;
      for (const std::string& text : after)
        EXPECT_EQ(text.find(", " + name + ": "), std::string::npos) << text;
    }
  }
}

TEST(ExercisesSabotage, NotANumberIsFoundOut) {
  Document document = document_with("occupancy");
  Record changed = *records_of(document, "occupancy", "exercises").at(0);
  for (Quantity& quantity : changed.quantities) quantity.value = no_value;
  document.put(changed);
  EXPECT_EQ(where(reported("occupancy", document), true), Texts{});
}

// A finding that stands on a curve or on several records, and what breaks it.
void expect_found_out(const std::string& table, const char* text, const char* row, const char* quantity_name,
                      double factor) {
  Document document = document_with(table);
  EXPECT_EQ(finding(reported(table, document), text).holds, Holds(true)) << text;
  Record changed = *records_of(document, table, row).back();
  for (Quantity& quantity : changed.quantities)
    if (quantity.name == quantity_name) {
      quantity.value *= factor;
      if (!quantity.values.empty()) quantity.values.back() *= factor;
    }
  document.put(changed);
  EXPECT_EQ(finding(reported(table, document), text).holds, Holds(false)) << text;
}

TEST(ExercisesSabotage, BrokenCurvesAreFoundOut) {
  expect_found_out("bank-conflicts", "S5, bank = (address / 4) % 32", "strides", "passes a request", 2);
  expect_found_out("dram-channels", "P4, at a ratio R", "banks", "fewest banks", 2);
  expect_found_out("dram-channels", "M17, kernels whose blocks queue up", "partition camping",
                   "busiest partition over mean", 8);
}

// The figures of the block sizes and of two verdicts.
TEST(Exercises, OfCoalescingHaveTheModelsFigures) {
  const Report report = reported("coalescing-exercise", document_with("coalescing-exercise"));
  EXPECT_EQ(finding(report, "P5, block sizes").figures, "8 16 24 32");
  EXPECT_EQ(finding(report, "P5, figure 6.3").figures, "32 transactions, 4 would do");
  EXPECT_EQ(finding(report, "M17, capability 1.0: the first element").figures, "16 transactions, 1 would do");
}

TEST(ExercisesSabotage, AnotherVerdictIsFoundOut) {
  Document document = document_with("coalescing-exercise");
  const Record verdicts = *records_of(document, "coalescing-exercise", "verdicts").at(0);
  for (std::size_t i = 0; i < verdicts.quantities.size(); ++i) {
    if (verdicts.quantities[i].name != "transactions") continue;
    Record changed = verdicts;
    Quantity& transactions = changed.quantities[i];
    const std::string access = transactions.at.at("access");
    const double ideal = changed.value("ideal transactions", transactions.at);
    transactions.value = transactions.value == ideal ? ideal + 1 : ideal;
    document.put(changed);
    for (const Finding& finding : reported("coalescing-exercise", document).findings)
      if (finding.text.find(", " + access + ": ") != std::string::npos) {
        EXPECT_EQ(finding.holds, Holds(false)) << access;
      }
  }
}

TEST(ExercisesSabotage, BytesThatDoNotMoveAreFoundOut) {
  Document document = document_with("effective-bandwidth");
  const char* text = "S6, hardware counters include bytes";
  EXPECT_EQ(finding(reported("effective-bandwidth", document), text).holds, Holds(true));
  std::vector<Record> changed;
  for (const Record* record : records_of(document, "effective-bandwidth", "bytes moved"))
    changed.push_back(*record);
  for (Record& record : changed) {
    for (Quantity& quantity : record.quantities)
      if (quantity.name == "bytes stored") quantity.value = record.value("bytes loaded");
    document.put(record);
  }
  EXPECT_EQ(finding(reported("effective-bandwidth", document), text).holds, Holds(false));
}

TEST(Exercises, AMeasurementStandsBesideTheModel) {
  Document document = document_with("littles-law");
  Record measured = *records_of(document, "littles-law", "exercises").at(0);
  measured.quantities.push_back({.name = "answer",
                                 .unit = "cycles",
                                 .value = 23.5,
                                 .origin = Origin::clock,
                                 .at = {{"exercise", "shared memory: latency"}}});
  document.put(measured);
  const Grid grid = reported("littles-law", document).grids.at(0);
  EXPECT_EQ(cell(grid, "H2", "shared memory: latency", "measured here"), "23.5");
  EXPECT_EQ(cell(grid, "H2", "global memory: latency", "measured here"), "needs a GPU");
}

TEST(Exercises, AreNamedAsTheTextsNameThem) {
  Answers answers("littles-law");
  EXPECT_THROW(answers.put("planes for such request", 1.0, Origin::formula, "none"), Error);
}

}  // namespace
}  // namespace tallcache::test
