#include "bench/studies/reproduce/results_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "bench/results/resume.hpp"

namespace tallcache {
namespace fs = std::filesystem;
namespace {

constexpr const char* recovery_hint = "use --fresh to replace it, or another --results";

bool finished(const Record& record) {
  const Status status = record.outcome.status;
  return status != Status::pending && status != Status::too_large && status != Status::failed;
}

// The document of `path`. Throws Error, with the remedy, unless `context` may continue it.
Document document_to_resume(const std::string& path, const Json& context) {
  Document old;
  try {
    old = read_document(path);
  } catch (const Error& reason) {
    throw Error(fmt::format("{}; {}", reason.what(), recovery_hint));
  }
  if (old.kind != "reproduce")
    throw Error(fmt::format("{} is of tallcache {}; {}", path, old.kind, recovery_hint));
  try {
    tables_of(old.plan);
  } catch (const Error& reason) {
    throw Error(fmt::format("{}: {}; {}", path, reason.what(), recovery_hint));
  }
  if (const std::string changed = changed_setting(old.context, context); !changed.empty())
    throw Error(fmt::format("{} holds other results: {}; {}", path, changed, recovery_hint));
  old.context.erase("sources");  // by now there may be more
  return old;
}

}  // namespace

Results::Results(const std::string& folder, Json context, bool fresh)
    : path_((fs::path(folder) / "reproduce.json").string()) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw Error(fmt::format("cannot make the results folder {}: {}", folder, error.message()));
  require_writable(path_);
  if (is_stream(path_))
    throw Error(fmt::format("{} is no regular file, so that no run can resume it", path_));
  document_ = {.kind = "reproduce", .context = context};
  if (fresh || !fs::exists(path_)) return;
  document_ = document_to_resume(path_, context);
  resumed_ = context.at("date");
}

void Results::note_resumption() {
  if (!resumed_.empty()) document_.context["resumed"].push_back(std::exchange(resumed_, ""));
}

void Results::put(Record record) {
  note_resumption();
  document_.put(std::move(record));
}

void Results::put_limits(std::vector<Record> limits) {
  note_resumption();
  document_.limits = std::move(limits);
}

std::vector<const Record*> Results::records(std::string_view table, const Row& row) const {
  std::vector<const Record*> found;
  if (const Timed* timed = std::get_if<Timed>(&row.what)) {
    for (const Candidate& candidate : timed->candidates)
      if (const Record* record = document_.find(to_record(timed->problem, candidate)))
        found.push_back(record);
  } else {
    for (const Record& record : document_.measurements)
      if (record.row == row_name(table, row.label)) found.push_back(&record);
  }
  return found;
}

bool Results::has(std::string_view table, const Row& row) const {
  const Timed* timed = std::get_if<Timed>(&row.what);
  const auto found = records(table, row);
  return found.size() >= (timed ? timed->candidates.size() : 1) &&
         std::ranges::all_of(found, [](const Record* record) { return finished(*record); });
}

void Results::put_row(const std::string& row, std::vector<Record> records) {
  note_resumption();
  std::erase_if(document_.measurements, [&](const Record& old) { return old.row == row; });
  for (Record& record : records) {
    record.row = row;
    document_.measurements.push_back(std::move(record));
  }
}

void Results::plan(const std::vector<const Table*>& tables) {
  std::vector<const Table*> all = tables_of(document_.plan);
  all.insert(all.end(), tables.begin(), tables.end());
  document_.plan = plan_of(all);
}

void Results::save() const { write_document(path_, document_); }

Json plan_of(const std::vector<const Table*>& chosen) {
  Json plan = Json::array();
  for (const Table* table : tables())
    if (std::ranges::find(chosen, table) != chosen.end())
      plan.push_back(PlannedTable{std::string(table->id), std::string(table->title)});
  return plan;
}

std::vector<const Table*> tables_of(const Json& plan) {
  std::vector<const Table*> list;
  try {
    for (const Json& part : plan) list.push_back(&find_table(part.get<PlannedTable>().table));
  } catch (const Json::exception&) {
    throw Error("a plan of reproduce names no table");
  }
  return list;
}

}  // namespace tallcache
