#include "bench/results.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace tallcache {
namespace fs = std::filesystem;
namespace {

// What makes two records the same measurement.
constexpr const char* identity[] = {"operation", "variant", "backend", "element",
                                    "shape",     "params",  "input",   "threads"};

bool same_measurement(const Json& a, const Json& b) {
  for (const char* key : identity)
    if (a.at(key) != b.at(key)) return false;
  return true;
}

// What results depend on besides the problem.
constexpr const char* settings[] = {"/cpu",          "/usable_cores",   "/gpu",
                                    "/build/commit", "/build/compiler", "/build/type",
                                    "/build/flags",  "/mode",           "/seed"};

std::string setting(const Json& context, const char* name) {
  const Json::json_pointer pointer(name);
  if (!context.contains(pointer)) return "nothing";
  const Json& value = context[pointer];
  return value.is_string() ? fmt::format("'{}'", value.get<std::string>()) : value.dump();
}

}  // namespace

Json read_results(const std::string& path) {
  errno = 0;
  std::ifstream file(path);
  if (!file || fs::is_directory(path))
    throw Error(fmt::format("cannot read {}: {}", path,
                            fs::is_directory(path) ? "it is a folder" : std::strerror(errno)));
  Json json;
  try {
    json = Json::parse(file);
  } catch (const Json::parse_error& error) {
    throw Error(fmt::format("{} is corrupt or truncated: no JSON at byte {}", path, error.byte));
  }
  try {
    if (!json.at("context").is_object()) throw Error(path + " is no results file: 'context' is no object");
    const char* printed = json.contains("comparisons") ? "comparisons"
                          : json.contains("steps")     ? "steps"
                          : json.contains("peers")     ? "peers"
                                                       : "tables";
    if (!json.at(printed).is_array())
      throw Error(fmt::format("{} is no results file: '{}' is no array", path, printed));
    if (json.contains("steps") || json.contains("peers")) return json;
    if (!json.at("measurements").is_array())
      throw Error(path + " is no results file: 'measurements' is no array");
    for (const Json& record : json.at("measurements")) {
      for (const char* key : identity) record.at(key);
      if (record.contains("median_s") && !(record["median_s"].get<double>() > 0))
        throw Error(path + " is no results file: a median_s is not above 0");
    }
    for (const Json& part : json.at(printed))
      part.at(json.contains("comparisons") ? "operation" : "id").get_ref<const std::string&>();
  } catch (const Json::exception& error) {
    const std::string what = error.what();
    throw Error(fmt::format("{} is no results file: {}", path, what.substr(what.find("] ") + 2)));
  }
  return json;
}

Results::Results(const std::string& folder, Json context, bool fresh)
    : path_((fs::path(folder) / "reproduce.json").string()) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw Error(fmt::format("cannot make the results folder {}: {}", folder, error.message()));
  require_writable(path_);
  document_ = {{"context", context}, {"measurements", Json::array()}, {"tables", Json::array()}};
  if (fresh || !fs::exists(path_)) return;

  constexpr const char* way_out = "use --fresh to replace it, or another --results";
  Json old;
  try {
    old = read_results(path_);
  } catch (const Error& reason) {
    throw Error(fmt::format("{}; {}", reason.what(), way_out));
  }
  for (const char* name : settings)
    if (const std::string there = setting(old["context"], name), here = setting(context, name); there != here)
      throw Error(fmt::format("{} holds other results: {} is {} there and {} here; {}", path_, name + 1,
                              there, here, way_out));
  if (!old.contains("tables"))
    throw Error(fmt::format("{} holds a comparison, not tables; {}", path_, way_out));
  document_ = std::move(old);
}

const Json* Results::find(const Problem& problem, const Candidate& candidate) const {
  const Json wanted = to_json(problem, Measurement{.candidate = candidate});
  for (const Json& record : document_["measurements"])
    if (same_measurement(record, wanted)) return &record;
  return nullptr;
}

bool Results::has(const Problem& problem, const Candidate& candidate) const {
  const Json* record = find(problem, candidate);
  return record && !record->contains("partial");
}

void Results::put(const Problem& problem, const Measurement& measurement, bool partial) {
  Json record = to_json(problem, measurement);
  if (partial) record["partial"] = true;
  for (Json& old : document_["measurements"])
    if (same_measurement(old, record)) {
      old = std::move(record);
      return;
    }
  document_["measurements"].push_back(std::move(record));
}

const Json* Results::find_table(std::string_view id) const {
  for (const Json& table : document_["tables"])
    if (table["id"] == id) return &table;
  return nullptr;
}

void Results::put_table(Json table) {
  for (Json& old : document_["tables"])
    if (old["id"] == table["id"]) {
      old = std::move(table);
      return;
    }
  document_["tables"].push_back(std::move(table));
}

void Results::save() const {
  sigset_t signals, before;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  sigprocmask(SIG_BLOCK, &signals, &before);
  try {
    write_json(path_, document_);
  } catch (...) {
    sigprocmask(SIG_SETMASK, &before, nullptr);
    throw;
  }
  sigprocmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace tallcache
