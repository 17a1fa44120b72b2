// What the tables say in words follows from their documents: the fork policy that ran, and reasons with
// figures.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string>
#include <variant>
#include <vector>

#include "bench/show/format.hpp"
#include "common/fork/policy.hpp"
#include "tests/tables/records.hpp"

namespace tallcache::test {
namespace {

constexpr std::string_view timed_tables[] = {"matmul-cpu",        "matmul-threshold",  "matmul-parallel",
                                             "matmul-gpu",        "transpose-cpu",     "transpose-gpu-gtx280",
                                             "transpose-gpu-k40", "counting-sort-cpu", "fib",
                                             "quicksort",         "cilkview-timing",   "gemv-gemm"};

Document document_under(std::string_view policy) {
  Document document = document_of("quick", 64);
  if (!policy.empty()) document.context["fork"] = policy;
  return document;
}

// Every row of a table of timings has times: random ones, or of the opposite order.
Document timed_at_random(const Table& table, std::string_view policy, std::uint64_t seed, bool opposite) {
  Document document = document_under(policy);
  document.plan = {{{"table", table.id}}};
  std::uint64_t draws = 0;
  for (const Row& row : table.rows(Scale::quick, 1)) {
    const auto* const what = std::get_if<Timed>(&row.what);
    if (!what) continue;
    for (const Candidate& candidate : what->candidates) {
      Record record = to_record(what->problem, candidate);
      const double power = 4 * random_unit(seed, draws++) - 2;
      record.outcome.status = Status::measured;
      record.quantities = {
          {.name = "time", .unit = "s", .value = std::exp(opposite ? -power : power), .spread = 0}};
      document.put(std::move(record));
    }
  }
  return document;
}

std::string words_of(const Report& report) {
  std::string words;
  for (const std::string& note : report.notes) words += note + "\n";
  for (const Finding& finding : report.findings)
    words += finding.text + "\n" + finding.figures + "\n" + finding.why + "\n";
  return words;
}

bool has_figure(const std::string& text) {
  return std::ranges::any_of(text, [](unsigned char c) { return std::isdigit(c); });
}

// Times alone decide findings either way, and say nothing of causes.
TEST(Sentences, AReasonOfADecidedFindingHasAFigure) {
  int held = 0, failed = 0;
  for (const std::string_view id : timed_tables)
    for (std::uint64_t seed = 1; seed <= 20; ++seed)
      for (const bool opposite : {false, true}) {
        const Table& table = find_table(id);
        const Report report = report_of(table, timed_at_random(table, "heartbeat", seed, opposite));
        for (const Finding& finding : report.findings) {
          if (!finding.holds) continue;
          ++(*finding.holds ? held : failed);
          EXPECT_TRUE(finding.why.empty() || has_figure(finding.why)) << finding.text << ": " << finding.why;
          EXPECT_TRUE(has_figure(finding.figures)) << finding.text;
        }
      }
  EXPECT_GT(held, 50);
  EXPECT_GT(failed, 50);
}

// A page names the policy that its document names, whatever this program forks by.
TEST(Sentences, NameTheForkPolicyThatRan) {
  for (const std::string_view id : timed_tables)
    for (const std::string_view policy : {"onetbb", "heartbeat", ""})
      for (const bool opposite : {false, true}) {
        const Table& table = find_table(id);
        const std::string words = words_of(report_of(table, timed_at_random(table, policy, 3, opposite)));
        for (const ForkPolicy other : fork_policies)
          if (name_of(other) != policy) {
            EXPECT_EQ(words.find(name_of(other)), std::string::npos)
                << id << " under " << policy << ": " << words;
          }
        EXPECT_EQ(words.find("oneTBB"), std::string::npos) << id << ": " << words;
      }
}

Record timed_fib(Index grain, int threads, double seconds) {
  Record record = timed("fib", "uint64", "fib", {{"n", 30}}, seconds, 0.001, threads);
  record.params = {{"grain", grain}};
  return record;
}

// fib(30) makes 2692537 calls; the elision takes 0.1 s.
Document fib_document(std::string_view policy, double spawning, double grained) {
  Document document = document_under(policy);
  for (const Index grain : {0, 20}) document.put(timed_fib(grain, 1, 0.1));
  document.put(timed_fib(0, 2, spawning));
  document.put(timed_fib(20, 2, grained));
  return document;
}

TEST(FibSentences, SayWhatASpawnCostsUnderThePolicy) {
  const double calls = 2692537, elision = 0.1 / calls * 1e9;
  const auto expected = [&](const std::string& begin, double two, const char* than) {
    return begin + " threads together take " + figure(std::abs(2 * two - 0.1) / calls * 1e9) + " ns a call " +
           than + " than the serial elision, which takes " + figure(elision);
  };
  for (const double two : {0.2, 0.055, 0.04}) {
    const char* const than = 2 * two < 0.1 ? "less" : "more";
    for (const std::string policy : {"onetbb", "heartbeat"}) {
      const Report report = reported("fib", fib_document(policy, two, 0.0505));
      const Finding& spawning = finding(report, "a spawn at every call");
      EXPECT_EQ(spawning.holds, Holds(two < 0.1));
      EXPECT_EQ(spawning.why, expected("Under " + policy + " the", two, than));
      EXPECT_EQ(report.notes.back(),
                "On one core both are the serial elision, a call without a spawn. Under " + policy +
                    " on several.");
    }
    const Report unknown = reported("fib", fib_document("", two, 0.0505));
    EXPECT_EQ(finding(unknown, "a spawn at every call").why, expected("The", two, than));
    EXPECT_NE(unknown.notes.back().find("does not name the fork policy"), std::string::npos);
  }
  EXPECT_NE(reported("fib", document_under("heartbeat")).notes.back().find("Nothing was measured on several"),
            std::string::npos);
}

TEST(QuicksortSentences, NameAParallelPartitionOnlyWhereItGainsMore) {
  const auto why = [](double serial_partition, double parallel_partition) {
    Document document = document_under("heartbeat");
    const Shape shape{{"n", 10000000}};
    for (const char* variant : {"quicksort", "quicksort_blocks"})
      document.put(timed("sort", "uint32", variant, shape, 1));
    document.put(timed("sort", "uint32", "quicksort", shape, serial_partition, 0, 2));
    document.put(timed("sort", "uint32", "quicksort_blocks", shape, parallel_partition, 0, 2));
    return finding(reported("quicksort", document), "quicksort scales").why;
  };
  EXPECT_EQ(why(0.8, 0.52),
            "With a parallel partition, in place of one on one core, the efficiency is 0.962");
  EXPECT_EQ(why(0.8, 0.9), "") << "it gains less: the partition is not what costs";
  EXPECT_EQ(why(0.51, 0.5), "") << "the finding holds";
}

// The fastest of those measured may not be the fastest of all.
TEST(ThresholdSentences, AMissingThresholdLeavesTheFindingOpen) {
  const auto found = [](bool with_48) {
    Document document = document_under("");
    for (const Index threshold : {10, 16, 32, 48, 64, 80}) {
      if (threshold == 48 && !with_48) continue;
      Record record = timed("matmul", "double", "recursive", {{"m", 687}, {"k", 837}, {"n", 1107}},
                            threshold == 10   ? 3
                            : threshold == 48 ? 1
                                              : 2);
      record.params = {{"base", threshold}};
      document.put(std::move(record));
    }
    return finding(reported("matmul-threshold", document), "the recursive product is fastest");
  };
  EXPECT_EQ(found(true).holds, Holds(true));
  EXPECT_EQ(found(false).holds, Holds());
  EXPECT_EQ(found(false).why, "threshold 48 not measured");
}

TEST(MatmulSentences, NameTheSizesThatWereNotMeasured) {
  Document document = document_under("");
  document.put(product("naive", 512, 2));
  document.put(product("transposed", 512, 1));
  document.put(product("naive", 1024, 16));
  const Finding found = finding(reported("matmul-cpu", document), "transposed beats naive");
  EXPECT_EQ(found.holds, Holds(true));
  EXPECT_NE(found.figures.find("n = 1024: not measured"), std::string::npos) << found.figures;
}

TEST(ForkPolicy, ARecordsOwnComesBeforeItsDocuments) {
  Document document = document_under("onetbb");
  Record record = product("recursive", 8, 1);
  EXPECT_EQ(fork_policy_of(document, record), "onetbb");
  record.conditions["fork"] = "heartbeat";
  EXPECT_EQ(fork_policy_of(document, record), "heartbeat");
  EXPECT_EQ(fork_policy_of(document_under(""), product("recursive", 8, 1)), "");
}

}  // namespace
}  // namespace tallcache::test
