#include "bench/results/document.hpp"

#include <fmt/format.h>

#include "bench/results/provenance.hpp"

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
  const auto list = [](const std::vector<Record>& records) {
    Json json = Json::array();
    for (const Record& record : records) json.push_back(to_json(record));
    return json;
  };
  return {{"schema", document.schema},   {"kind", document.kind},
          {"context", document.context}, {"limits", list(document.limits)},
          {"plan", document.plan},       {"measurements", list(document.measurements)}};
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
    for (const Json& record : json.at("measurements"))
      document.measurements.push_back(record_from_json(record));
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
