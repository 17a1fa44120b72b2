// What a run of suites has written when it ends early: every row that it kept, and no part of another.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdio>
#include <string>

#include "bench/measure/suite_run.hpp"
#include "tests/suite_reports/documents.hpp"

namespace tallcache::test {
namespace {

constexpr int rows = 300;

// Returns how often the document of a run that keeps so many rows, and fails within the next, was written.
int writes_of_cut_run(const SuiteOptions& options) {
  int writes = 0;
  ino_t last = 0;
  try {
    SuiteRun run("peers", options, has_peers, "operation with peers");
    for (int n = 1; n <= rows; ++n) {
      run.document.put(record_of({"naive", 0.5}, n));
      run.keep();
      struct stat status {};
      // Each write is another file, which takes the last one's place.
      if (stat(options.json.c_str(), &status) == 0 && status.st_ino != last) ++writes, last = status.st_ino;
    }
    run.document.put(record_of({"naive", 0.5}, rows + 1));
    throw Error("cut off");
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "cut off");
  }
  return writes;
}

TEST(KeptRows, AreAllWrittenWhereTheRunIsCutOff) {
  SuiteOptions options{.operations = {"sort"}, .json = testing::TempDir() + "kept_rows.json", .smoke = true};
  std::remove(options.json.c_str());
  const int writes = writes_of_cut_run(options);
  EXPECT_GE(writes, 1) << "the first row is written at once";
  EXPECT_LT(writes, rows / 4) << "rows that take less than a write are written together";
  const Document document = read_document(options.json);
  ASSERT_EQ(document.measurements.size(), std::size_t{rows});
  EXPECT_EQ(document.measurements.back().shape.at("n"), rows);
  std::remove(options.json.c_str());
}

}  // namespace
}  // namespace tallcache::test
