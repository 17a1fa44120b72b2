// What holds of every table: it is a pure function of the document, and needs no measurement to be printed.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include "tests/tables/records.hpp"

namespace tallcache::test {
namespace {

TEST(Tables, AreMadeOfNothingWithoutAVerdict) {
  for (const char* mode : {"smoke", "quick", "full"}) {
    const Document document = document_of(mode);
    for (const Table* table : tables()) {
      const Report report = report_of(*table, document);
      EXPECT_FALSE(report.grids.empty()) << table->id;
      for (const Finding& finding : report.findings)
        EXPECT_FALSE(finding.holds && table->id != "cilkview-profile") << table->id << ": " << finding.text;
    }
  }
}

// Of the one finding that the slide's own figures decide.
TEST(Tables, CilkviewsEstimatesNeedNoMeasurement) {
  const Report report = reported("cilkview-profile", document_of());
  EXPECT_EQ(finding(report, "speed-up at least").holds, Holds(true));
  EXPECT_EQ(finding(report, "interchanging").holds, Holds());
}

TEST(Tables, ArePureFunctionsOfTheDocument) {
  Document document = document_of();
  document.put(product("naive", 512, 2));
  document.put(product("transposed", 512, 1));
  const Json before = to_json(document);
  for (const Table* table : tables())
    EXPECT_EQ(render(*table, report_of(*table, document), Style::markdown),
              render(*table, report_of(*table, document), Style::markdown));
  EXPECT_EQ(to_json(document), before);
}

TEST(Tables, HaveRowsOfDistinctNames) {
  for (const Table* table : tables()) {
    std::vector<std::string> labels;
    for (const Row& row : table->rows(Scale::quick, 1))
      if (std::holds_alternative<Measure>(row.what)) labels.push_back(row.label);
    std::ranges::sort(labels);
    EXPECT_EQ(std::ranges::adjacent_find(labels), labels.end()) << table->id;
  }
}

TEST(Tables, UnknownModeIsRefused) { EXPECT_THROW(reported("fib", document_of("quik")), Error); }

}  // namespace
}  // namespace tallcache::test
