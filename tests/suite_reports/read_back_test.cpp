// A report is the same of a document that was read from a file.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "bench/studies/compare/compare.hpp"
#include "bench/studies/peers/peers.hpp"
#include "bench/studies/steps/steps.hpp"
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

// What is measured now names its error class; of older records the variant's name tells it, in a build
// without that variant, too.
TEST(Documents, OlderRecordsHaveTheErrorClassesOfTheirVariants) {
  const auto class_of = [](const char* operation, const char* variant, const char* element) {
    Json json = to_json(Record{.operation = operation,
                               .variant = variant,
                               .backend = "gpu",
                               .element = element,
                               .error_class = ErrorClass::normwise,
                               .stores_class = true});
    EXPECT_EQ(json.at("error_class"), "normwise");
    EXPECT_EQ(to_json(record_from_json(json)), json);
    EXPECT_EQ(record_from_json(json).error_class, ErrorClass::normwise);
    json.erase("error_class");
    EXPECT_EQ(to_json(record_from_json(json)), json);
    return record_from_json(json).error_class;
  };
  EXPECT_EQ(class_of("matmul", "three_truncated", "float"), ErrorClass::truncated_sums);
  EXPECT_EQ(class_of("matmul", "three_products", "float"), ErrorClass::split_factors);
  EXPECT_EQ(class_of("matmul", "strassen", "double"), ErrorClass::normwise);
  EXPECT_EQ(class_of("matmul", "strassen", "int32"), ErrorClass::standard);
  EXPECT_EQ(class_of("matmul", "recursive", "float"), ErrorClass::standard);
  EXPECT_EQ(class_of("transpose", "strassen", "float"), ErrorClass::standard);
}

}  // namespace
}  // namespace tallcache::test
