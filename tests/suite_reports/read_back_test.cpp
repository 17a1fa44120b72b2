// A report is the same of a document that was read from a file.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "bench/report/compare.hpp"
#include "bench/report/peers.hpp"
#include "bench/report/steps.hpp"
#include "tests/suite_reports/documents.hpp"

namespace tallcache::test {
namespace {

// The same text from a file as from what was measured.
TEST(Documents, AreReportedAlikeOnceTheyWereRead) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("suites-" + std::to_string(getpid()) + ".json")).string();
  const auto read_back = [&](Document document) {
    document.context["build"]["commit"] = "unknown";
    write_document(path, document);
    return read_document(path);
  };
  const Document compared = comparison(), stepped = stairs(), beside = peers();
  EXPECT_EQ(render(comparison_grid(read_back(compared), compared.plan[0]), Style::markdown),
            render(comparison_grid(compared, compared.plan[0]), Style::markdown));
  EXPECT_EQ(render(steps_grid(read_back(stepped), stepped.plan[0]), Style::markdown),
            render(steps_grid(stepped, stepped.plan[0]), Style::markdown));
  EXPECT_EQ(render(peers_grid(read_back(beside), beside.plan[0]), Style::markdown),
            render(peers_grid(beside, beside.plan[0]), Style::markdown));
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace tallcache::test
