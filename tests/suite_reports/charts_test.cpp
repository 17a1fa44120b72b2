// How charts tell the texts' own variants from those that are tuned.
#include "bench/show/charts.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tests/suite_reports/documents.hpp"

namespace tallcache::test {
namespace {

Family family(const std::string& operation, const Run& run) {
  Record record = record_of(run, 8);
  record.operation = operation;
  return family_of(record);
}

TEST(Charts, AVariantOfTheTextsIsTextbookOnItsBackend) {
  EXPECT_EQ(family("matmul", {.variant = "naive"}), Family::textbook);
  EXPECT_EQ(family("matmul", {.variant = "recursive_packed"}), Family::ours);
  EXPECT_EQ(family("sort", {.variant = "quicksort"}), Family::textbook);
  for (const char* variant : {"one_block", "grid_tiled", "shared_memory_tiled", "coarsened"})
    EXPECT_EQ(family("matmul", {.variant = variant, .backend = "gpu"}), Family::textbook) << variant;
  for (const char* variant : {"global_atomics", "privatised"})
    EXPECT_EQ(family("counting_sort", {.variant = variant, .backend = "gpu"}), Family::textbook) << variant;
  EXPECT_EQ(family("matmul", {.variant = "warp_tiles", .backend = "gpu"}), Family::ours);
}

TEST(Charts, ANameOfTheOtherBackendsTextbookSaysNothing) {
  EXPECT_EQ(family("transpose", {.variant = "in_place"}), Family::textbook);
  EXPECT_EQ(family("transpose", {.variant = "in_place", .backend = "gpu"}), Family::ours);
  EXPECT_EQ(family("counting_sort", {.variant = "bucketed", .backend = "gpu"}), Family::ours);
  EXPECT_EQ(family("matmul", {.variant = "naive", .backend = "toy"}), Family::ours);
  EXPECT_EQ(family("matmul", {.variant = "naive", .peer = true}), Family::library);
}

}  // namespace
}  // namespace tallcache::test
