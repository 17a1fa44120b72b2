// The report of a document: the tables of its plan.
#include <gtest/gtest.h>

#include <string>

#include "bench/studies/reproduce/results_file.hpp"
#include "tests/tables/records.hpp"

namespace tallcache::test {
namespace {

TEST(ReproduceReport, OfThePlansTables) {
  Document document = accesses_of(393216);
  document.plan = plan_of({&find_table("matmul-accesses"), &find_table("fib")});
  const std::string full = find_kind("reproduce").full(document),
                    summary = find_kind("reproduce").summary(document);
  EXPECT_NE(full.find("## matmul-accesses: "), std::string::npos);
  EXPECT_NE(full.find("## fib: "), std::string::npos);
  EXPECT_EQ(full.find("## quicksort"), std::string::npos);
  EXPECT_NE(summary.find("15.41x | 15.41x"), std::string::npos) << summary;
  EXPECT_NE(summary.find("decide, 2 of 3 hold here"), std::string::npos) << summary;
}

TEST(ReproduceReport, APlanOfAnotherProgramIsRefused) {
  Document document = document_of();
  document.plan = {{{"table", "matmul-abacus"}}};
  EXPECT_THROW(find_kind("reproduce").full(document), Error);
  document.plan = {{{"title", "none"}}};
  EXPECT_THROW(find_kind("reproduce").full(document), Error);
}

}  // namespace
}  // namespace tallcache::test
