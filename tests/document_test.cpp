// The results document: its JSON Schema and its reader accept and refuse the same documents.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "bench/commands/commands.hpp"
#include "bench/results/device_state.hpp"
#include "bench/results/document.hpp"
#include "bench/show/format.hpp"
#include "bench/studies/compare/compare.hpp"
#include "bench/studies/counters/counters.hpp"
#include "bench/studies/errors/errors.hpp"
#include "bench/studies/forks/forks.hpp"
#include "bench/studies/misses/cliffs_report.hpp"
#include "bench/studies/misses/misses.hpp"
#include "bench/studies/peers/peers.hpp"
#include "bench/studies/profile/profile.hpp"
#include "bench/studies/ranks/ranks.hpp"
#include "bench/studies/reproduce/results_file.hpp"
#include "bench/studies/steps/steps.hpp"
#include "tests/document_sabotages.hpp"

namespace tallcache {
namespace {

namespace fs = std::filesystem;

const fs::path results = TALLCACHE_RESULTS, fixtures = TALLCACHE_FIXTURES;

Json parsed(const fs::path& path) {
  std::ifstream file(path);
  return Json::parse(file);
}

std::vector<fs::path> fixture_files() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(fixtures)) files.push_back(entry.path());
  return files;
}

// The results in the tree except the slides' figures and the schema, which are no results documents.
std::vector<fs::path> committed_files() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(results))
    if (entry.path().extension() == ".json" && entry.path().parent_path().filename() != "slides" &&
        entry.path() != results / "schema.json")
      files.push_back(entry.path());
  return files;
}

// A temporary folder, removed at the end.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "tallcache.XXXXXX").string();
    if (!mkdtemp(name.data())) throw Error("cannot make a folder");
    path_ = name;
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  fs::path write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
    return path_ / name;
  }

 private:
  fs::path path_;
};

// Whether Debian's validator is installed, even behind another python3 in the PATH.
bool has_validator() { return fs::exists("/usr/bin/jsonschema"); }

// The validator's message on the files: empty when it accepts them all.
std::string refusals(const std::vector<fs::path>& files) {
  std::string command = "/usr/bin/jsonschema --output pretty", output;
  for (const fs::path& file : files) command += " -i '" + file.string() + "'";
  FILE* pipe = popen((command + " '" + (results / "schema.json").string() + "' 2>&1").c_str(), "r");
  if (!pipe) throw Error("cannot run jsonschema");
  std::array<char, 4096> buffer;
  for (std::size_t got; (got = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    output.append(buffer.data(), got);
  const bool failed = pclose(pipe) != 0;
  std::string refused;
  for (const fs::path& file : files)
    if (output.find("===[SUCCESS]===(" + file.string() + ")===") == output.npos)
      refused += file.string() + "\n";
  if (failed != !refused.empty()) throw Error("jsonschema: " + output);
  return refused;
}

// The error with which the file is refused; empty when it is accepted.
std::string error_of(const fs::path& path) {
  try {
    find_kind(read_document(path.string()).kind);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(Document, CommittedResultsAndFixturesAreOfTheSchema) {
  if (!has_validator()) GTEST_SKIP() << "python3-jsonschema is not installed (bench/setup --developer)";
  std::vector<fs::path> files = committed_files();
  EXPECT_FALSE(files.empty());
  for (const fs::path& file : fixture_files()) files.push_back(file);
  EXPECT_EQ(refusals(files), "");
}

TEST(Document, IsReadAndWrittenBackAsItWas) {
  std::vector<fs::path> files = fixture_files();
  EXPECT_EQ(files.size(), 7u);
  for (const fs::path& file : committed_files()) files.push_back(file);
  for (const fs::path& file : files) {
    try {
      EXPECT_EQ(to_json(read_document(file.string())), parsed(file)) << file;
    } catch (const Error& error) {
      ADD_FAILURE() << error.what();
    }
  }
}

// Timed problems hold what they can without a loss; any record else stays one of its own.
TEST(Document, TimedProblemsLoseNothing) {
  Document document = read_document((fixtures / "timed_problem.json").string());
  ASSERT_EQ(document.measurements.size(), 3u);
  ASSERT_TRUE(document.by_problem);
  const std::vector<void (*)(Record&)> changes{
      [](Record& record) { record.row.clear(); },
      [](Record& record) { record.stores_class = false; },
      [](Record& record) {
        record.outcome = {Status::wrong, "wrong result at [0]"};
      },
      [](Record& record) { record.quantities.push_back({.name = "error", .unit = "1", .value = 1}); },
      [](Record& record) { record.quantities[0].detail = "least"; },
      [](Record& record) { record.quantities[0].origin = Origin::model; },
      [](Record& record) {
        record.quantities.back().at = {{"level", 1}};
      },
      [](Record& record) { record.quantities.back().spread = 1; },
      [](Record& record) { record.quantities.erase(record.quantities.begin()); }};
  for (std::size_t i = 0; i < changes.size(); ++i) {
    Document changed = document;
    changes[i](changed.measurements[0]);
    const Json json = to_json(changed).at("measurements");
    ASSERT_EQ(json.size(), 3u) << i;
    EXPECT_EQ(json[0], to_json(changed.measurements[0])) << i;
    EXPECT_EQ(json[1].at("times").size(), 1u) << i;
  }
  for (const auto change : std::vector<void (*)(Record&)>{
           [](Record& record) { record.input = "other"; }, [](Record& record) { record.threads = 2; },
           [](Record& record) { record.quantities.back().value = 1; },
           [](Record& record) {
             record.conditions = {{"launch", "graph"}};
           }}) {
    Document changed = document;
    change(changed.measurements[0]);
    EXPECT_EQ(to_json(changed).at("measurements").size(), 3u) << "two problems in one object";
  }
}

/// The plan as parts of this type, written again.
template <class Part>
Json again(const Document& document) {
  return parts_of<Part>(document);
}

TEST(Document, PlansAreReadAndWrittenBackAsTheyWere) {
  const std::map<std::string, Json (*)(const Document&)> plans{
      {"compare", again<Sweep>},         {"steps", again<StepsPlan>},       {"forks", again<ForksPlan>},
      {"errors", again<ErrorsPlan>},     {"peers", again<PeersPlan>},       {"misses", again<MissesPart>},
      {"profile", again<ProfilePart>},   {"counters", again<CountersPlan>}, {"ranks", again<RanksPlan>},
      {"reproduce", again<PlannedTable>}};
  std::set<std::string> met;
  for (const fs::path& file : committed_files()) {
    const Document document = read_document(file.string());
    if (!plans.contains(document.kind)) continue;
    met.insert(document.kind);
    EXPECT_EQ(plans.at(document.kind)(document), document.plan) << file;
  }
  EXPECT_EQ(met.size(), plans.size());
}

fs::path broken(const Folder& folder, const Sabotage& sabotage) {
  const Json whole = parsed(fixtures / (std::string(sabotage.fixture) + ".json"));
  return folder.write(std::string(sabotage.name) + ".json", whole.patch(Json::parse(sabotage.patch)).dump(1));
}

TEST(Document, ReaderRefusesWhatIsBrokenInOneLine) {
  const Folder folder;
  for (const Sabotage& sabotage : sabotages) {
    const fs::path file = broken(folder, sabotage);
    const std::string line = error_of(file);
    EXPECT_NE(line.find(sabotage.says), line.npos) << sabotage.name << ": " << line;
    EXPECT_EQ(line.find('\n'), line.npos) << line;
  }
  const fs::path large = folder.write("large.json", "{\"schema\": \"tallcache/1\",\n \"x\": 1e999}");
  EXPECT_EQ(error_of(large), large.string() + ": number overflow parsing '1e999' before byte 38");
  const std::string text = parsed(fixtures / "sweep.json").dump(1);
  const std::string line = error_of(folder.write("truncated.json", text.substr(0, text.size() / 2)));
  EXPECT_NE(line.find("truncated"), line.npos) << line;
  EXPECT_EQ(line.find('\n'), line.npos) << line;
}

TEST(Document, SchemaRefusesWhatIsBroken) {
  if (!has_validator()) GTEST_SKIP() << "python3-jsonschema is not installed (bench/setup --developer)";
  const Folder folder;
  std::vector<fs::path> files;
  std::string wanted;
  for (const Sabotage& sabotage : sabotages) {
    files.push_back(broken(folder, sabotage));
    if (sabotage.by_schema) wanted += files.back().string() + "\n";
  }
  EXPECT_EQ(refusals(files), wanted);
}

TEST(Document, SchemaAndReportRefuseAPlanThatLacksSomething) {
  const Folder folder;
  const Json whole = parsed(fixtures / "model_and_counter.json");
  const fs::path file =
      folder.write("plan.json", whole.patch({{{"op", "remove"}, {"path", "/plan/0/caches"}}}).dump(1));
  EXPECT_THROW(misses_text(read_document(file.string()), Style::markdown), std::bad_optional_access);
  if (!has_validator()) GTEST_SKIP() << "python3-jsonschema is not installed (bench/setup --developer)";
  EXPECT_EQ(refusals({file}), file.string() + "\n");
}

TEST(DeviceState, IsALineADeviceAndSaysWhatIsNotKnown) {
  const Document document = read_document((fixtures / "graph_and_state.json").string());
  EXPECT_EQ(device_state_text(document),
            "gpu 1: SM clock 345 -> 1980 MHz, memory clock 1593 -> 3201 MHz, power 75.5 -> 420.25 W, "
            "temperature unknown "
            "(nvmlDeviceGetTemperature: Not Supported), throttled (its power limit for 0.25 s)\n"
            "gpu 0: state unknown (libnvidia-ml.so.1 cannot be loaded)\n");
  EXPECT_EQ(throttling_text(document), "gpu 1 was throttled (its power limit for 0.25 s)");
  const std::string heading = measured_on(document);
  EXPECT_TRUE(heading.ends_with("; gpu 1 was throttled (its power limit for 0.25 s):\n")) << heading;
}

DeviceState calm() {
  return {.sm_clock_mhz = 1980,
          .memory_clock_mhz = 3201,
          .power_w = 75.0,
          .temperature_c = 31,
          .throttle_reasons = std::vector<std::string>{"gpu_idle"},
          .power_throttled_s = 1.0,
          .thermal_throttled_s = 2.0};
}

TEST(DeviceState, TellsThrottlingFromIdlenessAndFromWhatIsNotKnown) {
  const auto document_of = [](const Figure<DeviceState>& before, const Figure<DeviceState>& after) {
    Document document{.kind = "run", .context = parsed(fixtures / "sweep.json").at("context")};
    put_device_state(document, "gpu", 0, before, after);
    return document;
  };
  EXPECT_EQ(device_state_text({.kind = "run", .context = Json::object()}), "");
  EXPECT_NE(device_state_text(document_of(calm(), calm())).find(", not throttled"), std::string::npos);
  EXPECT_EQ(throttling_text(document_of(calm(), calm())), "");
  EXPECT_EQ(measured_on(document_of(calm(), calm())).find("throttled"), std::string::npos);
  DeviceState hot = calm(), mute = calm();
  hot.throttle_reasons = std::vector<std::string>{"applications_clocks_setting", "sw_thermal_slowdown"};
  hot.thermal_throttled_s = 2.5;
  EXPECT_EQ(throttling_text(document_of(calm(), hot)),
            "gpu 0 was throttled (sw_thermal_slowdown; its temperature for 0.5 s)");
  EXPECT_EQ(throttling_text(document_of(hot, hot)), "gpu 0 was throttled (sw_thermal_slowdown)");
  mute.throttle_reasons = Figure<std::vector<std::string>>::none("Not Supported");
  const std::string line = device_state_text(document_of(mute, mute));
  EXPECT_NE(line.find("throttling unknown (Not Supported)"), line.npos) << line;
  EXPECT_EQ(throttling_text(document_of(Figure<DeviceState>::none("no library"), hot)), "");
}

TEST(DeviceState, IsRefusedWithoutAFigure) {
  const Folder folder;
  const Json whole = parsed(fixtures / "graph_and_state.json");
  const Json patch = {{{"op", "remove"}, {"path", "/context/device_state/0/after/power_w"}}};
  const fs::path file = folder.write("state.json", whole.patch(patch).dump(1));
  EXPECT_THROW(device_state_text(read_document(file.string())), nlohmann::json::exception);
  if (!has_validator()) GTEST_SKIP() << "python3-jsonschema is not installed (bench/setup --developer)";
  EXPECT_EQ(refusals({file}), file.string() + "\n");
}

// A report computes the ratios: the counter's misses over the model's, and over theory's.
TEST(MissesReport, HoldsTheCounterAgainstTheModel) {
  const Document document = read_document((fixtures / "model_and_counter.json").string());
  const std::string text = misses_text(document, Style::markdown);
  EXPECT_NE(text.find("matmul double m=100, lines of 64 bytes"), text.npos) << text;
  EXPECT_NE(text.find("- L1 32 KiB, 8 ways"), text.npos) << text;
  EXPECT_NE(text.find("over the model"), text.npos) << text;
  const auto line_with = [&](const char* what) {
    const auto at = text.find(what), begin = text.rfind('\n', at) + 1;
    return at == text.npos ? std::string() : text.substr(begin, text.find('\n', at) - begin);
  };
  const std::string counter = line_with("PAPI_L1_DCM"), model = line_with("sde:::tallcache::L1_DCM");
  EXPECT_NE(counter.find(" 1.56 "), counter.npos) << counter;  // 1250 over the predicted 800
  EXPECT_NE(counter.find(" 1.25 "), counter.npos) << counter;  // over the model's 1000
  EXPECT_NE(counter.find(" 0.000625 "), counter.npos) << counter;
  EXPECT_NE(model.find(" 1.25 "), model.npos) << model;  // over the predicted 800
  EXPECT_NE(line_with("has no such event").find("| L2 "), text.npos) << text;
  EXPECT_NE(text.find("openblas: unsupported: a library: not traced"), text.npos) << text;
  EXPECT_THROW(misses_chart(document), Error);
}

// A variant with 10 misses and 1 s for each unit of work, except where the test sets other values for
// a point.
Document swept_document(const std::vector<double>& misses, const std::vector<double>& seconds) {
  Document document{.kind = "misses", .context = Json::object()};
  std::vector<Json> shapes;
  for (std::size_t i = 0; i < misses.size(); ++i) {
    Record record{.operation = "copy", .variant = "rows", .backend = "cpu", .element = "float"};
    record.shape = {{"m", 100 * (i + 1)}};
    record.outcome.status = Status::measured;
    const auto put = [&](const char* name, double value, Json at = Json::object()) {
      record.quantities.push_back({.name = name, .unit = "1", .value = value, .at = std::move(at)});
    };
    const double work = static_cast<double>(i + 1);
    put("work", work);
    put("time", seconds[i] * work);
    put("misses", misses[i] * work, {{"cache", 4096}});
    put("distinct lines", work);
    shapes.push_back(record.shape);
    document.measurements.push_back(record);
  }
  MissesPart part{{.operation = "copy", .element = "float", .shape = shapes[0]}};
  part.caches = {{.bytes = 4096, .ways = 64}};
  part.falls = {"m", shapes};
  document.plan.push_back(part);
  return document;
}

TEST(FallsReport, FindsTheRungAndTheJumpInTimeNearIt) {
  const Document document = swept_document({2, 1, 1.9, 2.5, 4}, {1, 1, 1, 1.5, 1.5});
  const auto cliffs = find_cliffs(document, document.plan[0]);
  ASSERT_EQ(cliffs.size(), 1u);
  ASSERT_EQ(cliffs[0].cliffs.size(), 1u);
  EXPECT_EQ(cliffs[0].cliffs[0].point, 3u);  // 2.5 is the first that is twice the minimum before
  EXPECT_EQ(cliffs[0].cliffs[0].before, 1);
  EXPECT_EQ(cliffs[0].cliffs[0].after, 2.5);
  EXPECT_EQ(cliffs[0].cliffs[0].time_jump, 3u);
  EXPECT_EQ(cliffs[0].time_jumps, std::vector<std::size_t>{3});
  EXPECT_NE(cliffs_text(document, document.plan[0], Style::terminal).find("400"), std::string::npos);
}

TEST(FallsReport, TellsWhatIsOffBeforeTheLadderFromWhatStaysOn) {
  const Document off = swept_document({2, 2, 2, 2, 2}, {1, 1, 5, 1, 1});  // one slow point is no jump
  const auto before = find_cliffs(off, off.plan[0]);
  EXPECT_FALSE(before[0].cliffs[0].point);
  EXPECT_TRUE(before[0].cliffs[0].before_sweep);
  EXPECT_TRUE(before[0].time_jumps.empty());
  const Document on = swept_document({1, 1, 1, 1, 1}, {1, 1, 1, 1, 1});
  EXPECT_FALSE(find_cliffs(on, on.plan[0])[0].cliffs[0].before_sweep);
}

TEST(FallsReport, LeavesOutWhoMissesARung) {
  Document document = swept_document({2, 1, 1, 1, 1}, {1, 1, 1, 1, 1});
  document.measurements.erase(document.measurements.begin() + 2);
  EXPECT_TRUE(find_cliffs(document, document.plan[0]).empty());
}

TEST(ProfileReport, ReadsTheProfileAndItsTimesBack) {
  Document document{.kind = "profile", .context = Json::object()};
  Record record{.operation = "matmul", .variant = "recursive", .backend = "cpu", .element = "float"};
  record.conditions = {{"profiled", "access"}, {"width", 8}, {"grain", 1}};
  put_profile(
      record,
      {.work = 1000, .span = 100, .burdened_span = 250, .spawns = 7, .strands = 22, .strands_on_span = 9}, 50,
      "given");
  record.outcome.status = Status::measured;
  document.measurements.push_back(record);
  for (const int threads : {1, 2}) {
    Record timed{.operation = "matmul", .variant = "recursive", .backend = "cpu", .element = "float"};
    timed.threads = threads;
    timed.outcome.status = Status::measured;
    timed.quantities.push_back({.name = "time", .unit = "s", .value = threads == 1 ? 0.3 : 0.2});
    document.measurements.push_back(timed);
  }
  const auto list = profiled_variants(document);
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0].profile.parallelism(), 10);
  EXPECT_EQ(list[0].profile.burdened_parallelism(), 4);
  EXPECT_EQ(list[0].profile.strands_on_span, 9u);
  ASSERT_EQ(list[0].times.size(), 2u);
  EXPECT_DOUBLE_EQ(list[0].speedup(*list[0].times[1]), 1.5);
  EXPECT_EQ(cilkscale_csv(document),
            "tag,work (accesses),span (accesses),parallelism,burdened_span (accesses),burdened_parallelism,"
            "1c time (seconds),2c time (seconds)\nrecursive,1000,100,10,250,4,0.3,0.2\n");
}

}  // namespace
}  // namespace tallcache
