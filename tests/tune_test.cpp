// tallcache tune: what it chooses from what it measured, and the files that it writes.
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "bench/results/tuning_file.hpp"
#include "bench/studies/tune/tune.hpp"
#include "common/catalogue.hpp"
#include "common/error.hpp"
#include "tests/counted_array.hpp"

namespace tallcache {
namespace {

using test::message_of;

/// A document of one field, in two cases of the sizes 1 and 2.
class Tuned {
 public:
  Tuned() {
    part.tried = {64, 128, 256};
    part.cases = {case_of(1), case_of(2)};
    document.plan.push_back(part);
  }
  static std::string case_of(int n) { return "cholesky double gustavson n=" + std::to_string(n); }

  /// A relative deviation of `spread`.
  void time(int value, int n, double seconds, double spread = 0.001, Status status = Status::measured) {
    Record record{.operation = "cholesky", .variant = "gustavson", .backend = "gpu", .element = "double"};
    record.shape["n"] = n;
    record.row = row_of(part.field, value);
    record.outcome = {status, status == Status::measured ? "" : "element 0"};
    record.quantities.push_back({.name = "time", .unit = "s", .value = seconds, .spread = spread * seconds});
    document.put(std::move(record));
  }
  void fail(int value, int n) { time(value, n, 1e-9, 0, Status::wrong); }

  TunePart part{"cholesky_block", "columns of a block", 256, {}, {}};
  Document document{.kind = "tune"};
};

TEST(Tune, TheFastestIsChosen) {
  Tuned tuned;
  for (const int n : {1, 2}) tuned.time(64, n, 0.9), tuned.time(128, n, 0.8), tuned.time(256, n, 1);
  EXPECT_EQ(chosen_value(tuned.document, tuned.part), 128);
  EXPECT_NEAR(gain_of(tuned.document, tuned.part, 128).times, 1.25, 1e-12);
  EXPECT_EQ(chosen_tuning(tuned.document, {}).cholesky_block, 128);
  EXPECT_NE(tune_grid(tuned.document, tuned.part).caption.find("128 in place of 256"), std::string::npos);
}

TEST(Tune, AGainWithinTheSpreadIsNone) {
  Tuned tuned;
  for (const int n : {1, 2}) tuned.time(64, n, 1.2), tuned.time(128, n, 0.95, 0.1), tuned.time(256, n, 1);
  EXPECT_EQ(chosen_value(tuned.document, tuned.part), 256);
  for (const int n : {1, 2}) tuned.time(128, n, 0.995);
  EXPECT_EQ(chosen_value(tuned.document, tuned.part), 256) << "below a hundredth";
  EXPECT_NE(tune_grid(tuned.document, tuned.part).caption.find("256 stays"), std::string::npos);
}

TEST(Tune, AWrongOrMissingResultIsNotChosen) {
  Tuned tuned;
  for (const int n : {1, 2}) tuned.time(64, n, 0.9), tuned.time(256, n, 1);
  tuned.time(128, 1, 0.1);  // in one case alone
  EXPECT_EQ(chosen_value(tuned.document, tuned.part), 64);
  tuned.fail(64, 2);
  EXPECT_EQ(chosen_value(tuned.document, tuned.part), 256);
  tuned.fail(256, 1);
  EXPECT_EQ(chosen_value(tuned.document, tuned.part), 256) << "where none is right, nothing changes";
  tuned.time(64, 2, 2);
  EXPECT_EQ(chosen_value(tuned.document, tuned.part), 64) << "the one before is wrong";
  Tuned late;
  late.time(64, 1, 0.1), late.time(64, 2, 0.1), late.time(256, 1, 1);
  EXPECT_EQ(chosen_value(late.document, late.part), 256) << "of the one before a case was not reached";
}

TEST(Tune, AFieldsCasesAreProblemsOfTheCatalogue) {
  std::ifstream file(TALLCACHE_GPU_VARIANTS);
  const std::string variants(std::istreambuf_iterator<char>(file), {});
  for (const gpu::TunedField& field : gpu::tuned_fields()) {
    std::istringstream text{std::string(field.timed)};
    int cases = 0;
    for (std::string one; std::getline(text, one, ';'); ++cases) {
      std::istringstream words(one);
      std::string operation, element, variant, shape, more;
      words >> operation >> element >> variant >> shape;
      EXPECT_FALSE(words >> more) << one;
      EXPECT_NO_THROW(parse_shape(find_operation(operation, element), shape)) << one;
      EXPECT_NE(variants.find(", " + variant), std::string::npos) << one;
    }
    EXPECT_GT(cases, 0) << field.name;
  }
}

TEST(Tune, ThePlanIsReadAsItWasWritten) {
  Tuned tuned;
  EXPECT_EQ(Json(parts_of<TunePart>(tuned.document)), tuned.document.plan);
  EXPECT_EQ(tried_values(gpu::tuned_field("cholesky_block"), 160),
            (std::vector<int>{64, 128, 160, 192, 256}));
}

class TuningFile : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path); }
  std::string refusal(const std::string& text) {
    std::ofstream(path) << text;
    return message_of([&] { read_tuning(path); });
  }
  static std::string of(const std::string& fields) {
    return R"({"schema": "tallcache-tuning/1", "records": [{"of": "any", "fields": )" + fields + "}]}";
  }

  std::string path = testing::TempDir() + "/tuning" + std::to_string(getpid()) + ".json";
};

TEST_F(TuningFile, IsReadAsItWasWritten) {
  const gpu::TunedField &ways = gpu::tuned_field("sort_ways_4"), &block = gpu::tuned_field("lu_wide_block");
  write_tuning(path, {"a GPU", {{&ways, 8}, {&block, 128}}});
  write_tuning(path, {"another", {}});
  write_tuning(path, {"a GPU", {{&ways, 16}}});
  const auto records = read_tuning(path);
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].of, "another");
  ASSERT_EQ(records[1].values.size(), 1u);
  EXPECT_EQ(records[1].values[0], std::pair(&ways, 16));
}

TEST_F(TuningFile, RefusesWhatItIsNot) {
  EXPECT_NE(message_of([&] { read_tuning(path); }).find("cannot read"), std::string::npos);
  for (const auto& [text, fault] : {std::pair<std::string, std::string>{"{", "no JSON"},
                                    {"[]", "no file of tuning"},
                                    {R"({"schema": "tallcache/2"})", "no file of tuning"},
                                    {R"({"schema": 1})", ""},
                                    {R"({"schema": "tallcache-tuning/1"})", "records"},
                                    {of("{\"sort_way\": 8}"), "sort_ways"},
                                    {of("{\"sort_ways_4\": 7}"), "not from 8 to 256"},
                                    {of("{\"sort_ways_4\": 8.5}"), "no whole number"},
                                    {of("{\"sort_ways_4\": \"8\"}"), "no whole number"},
                                    {of("{\"sort_ways_4\": -1}"), "not from 8 to 256"},
                                    {of("{\"sort_ways_4\": 18446744073709551615}"), "not from 8 to 256"},
                                    {of("{\"gemv_threads\": 65}"), "no multiple of 32"},
                                    {of("[8]"), ""}}) {
    const std::string message = refusal(text);
    EXPECT_NE(message, "") << text;
    EXPECT_NE(message.find(fault), std::string::npos) << text << ": " << message;
    EXPECT_NE(message.find(path), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace tallcache
