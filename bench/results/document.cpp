#include "bench/results/document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "bench/results/provenance.hpp"
#include "bench/results/timed_problem.hpp"

namespace tallcache {
namespace {

// Throws Error unless the document has this program's schema.
void require_schema(const Json& json) {
  if (json.is_object() && json.contains("schema") &&
      (json["schema"] == document_schema || json["schema"] == older_document_schema))
    return;
  if (!json.is_object() || !json.contains("context")) throw Error("is no results document");
  if (!json.contains("schema"))
    throw Error(fmt::format(
        "is of an older form, before there was a schema; {} is read here: measure it anew", document_schema));
  throw Error(fmt::format("is of the schema {}; {} is read here", json["schema"].dump(), document_schema));
}

}  // namespace

const Record* Document::find(const Record& run) const {
  for (const Record& record : measurements)
    if (record.same_run(run)) return &record;
  return nullptr;
}

void Document::put(Record record) {
  for (Record& old : measurements)
    if (old.same_run(record)) {
      old = std::move(record);
      return;
    }
  measurements.push_back(std::move(record));
}

std::string fork_policy_of(const Document& document, const Record& record) {
  return record.conditions.value("fork", document.context.value("fork", ""));
}

Json to_json(const Document& document) {
  const auto list = [](std::span<const Record> records, bool by_problem) {
    Json json = Json::array();
    while (!records.empty()) {
      const std::size_t together = by_problem ? timed_problem_size(records) : 0;
      json.push_back(together ? timed_problem_json(records.first(together)) : to_json(records.front()));
      records = records.subspan(std::max(together, std::size_t{1}));
    }
    return json;
  };
  return {{"schema", document.schema},   {"kind", document.kind},
          {"context", document.context}, {"limits", list(document.limits, false)},
          {"plan", document.plan},       {"measurements", list(document.measurements, document.by_problem)}};
}

Document read_document(const std::string& path) {
  const Json json = read_json(path);
  try {
    require_schema(json);
    Document document{.kind = json.at("kind"), .context = json.at("context"), .schema = json.at("schema")};
    if (!document.context.is_object()) throw Error("is no results document: 'context' is no object");
    if (document.schema == document_schema) require_provenance(document.context);
    document.plan = json.at("plan");
    if (!document.plan.is_array()) throw Error("is no results document: 'plan' is no array");
    for (const Json& record : json.at("limits")) document.limits.push_back(record_from_json(record));
    for (const Json& record : json.at("measurements")) {
      if (is_timed_problem(record)) {
        document.by_problem = true;
        std::ranges::move(timed_problem_from_json(record), std::back_inserter(document.measurements));
      } else {
        document.measurements.push_back(record_from_json(record));
      }
    }
    return document;
  } catch (const Json::exception& error) {
    throw Error(fmt::format("{} is no results document: {}", path, what_of(error)));
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", path, error.what()));
  }
}

void write_document(const std::string& path, const Document& document) {
  Json json = to_json(document);
  if (document.schema == document_schema && !document.context.contains("sources"))
    json["context"]["sources"] = sources_json(document);
  write_json(path, json);
}

}  // namespace tallcache
