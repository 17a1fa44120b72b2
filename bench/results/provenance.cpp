#include "bench/results/provenance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

namespace tallcache {
namespace {

constexpr std::size_t whole_digits = 40, shown_digits = 12;
constexpr std::string_view dirty_mark = "-dirty";

// Values by which launches on one GPU are planned, as in "gpu/tuning/records/nvidia_h200/lu.def", say nothing
// of another.
bool is_of_another_gpu(const Source& file, const Json& context) {
  constexpr std::string_view records = "gpu/tuning/records/";
  if (!file.path.starts_with(records)) return false;
  const std::string_view rest = file.path.substr(records.size()), folder = rest.substr(0, rest.find('/'));
  std::string gpu = context.value("gpu", "");
  for (char& c : gpu)
    c = std::isalnum(static_cast<unsigned char>(c)) ? static_cast<char>(std::tolower(c)) : '_';
  return folder != rest && folder != gpu;
}

bool is_whole(std::string_view text) { return text.size() == whole_digits && is_commit(text); }

}  // namespace

std::vector<const Source*> sources_of(const Document& document, const Record& record) {
  if (record.operation == "memory") return sources_of(record.operation);
  std::vector<const Source*> files =
      sources_of(record.backend, record.operation, record.variant, record.threads);
  if (document.kind == "ranks")
    for (const Source* file : sources_of(document.kind)) files.push_back(file);
  std::erase_if(files, [&](const Source* file) { return is_of_another_gpu(*file, document.context); });
  return files;
}

std::vector<const Source*> measured_sources(const Document& document) {
  std::map<std::string_view, const Source*> by_path;
  for (const Record& record : document.measurements)
    if (record.outcome.measured())
      for (const Source* file : sources_of(document, record)) by_path[file->path] = file;
  std::vector<const Source*> files;
  for (const auto& [path, file] : by_path) files.push_back(file);
  return files;
}

Json sources_json(const Document& document) {
  Json json = Json::object();
  for (const Source* file : measured_sources(document)) json[std::string(file->path)] = file->blob;
  return json;
}

bool is_commit(std::string_view text) {
  return text.size() >= 7 && text.size() <= whole_digits &&
         text.find_first_not_of("0123456789abcdef") == text.npos;
}

void require_provenance(const Json& context) {
  const auto& commit = context.at("build").at("commit").get_ref<const std::string&>();
  std::string_view digits = commit;
  if (digits.ends_with(dirty_mark)) digits.remove_suffix(dirty_mark.size());
  if (!is_whole(digits) && commit != "unknown")
    throw Error(fmt::format("'{}' is no commit: 40 hexadecimal digits", commit));
  const Json& sources = context.at("sources");
  if (!sources.is_object()) throw Error("'sources' is no object");
  for (const auto& [path, blob] : sources.items())
    if (!is_whole(blob.get<std::string>()))
      throw Error(
          fmt::format("'{}' is no git blob: 40 hexadecimal digits ({})", blob.get<std::string>(), path));
}

std::string short_commit(const Json& build) {
  const auto& commit = build.at("commit").get_ref<const std::string&>();
  const std::string_view digits = std::string_view(commit).substr(0, whole_digits);
  if (!is_whole(digits)) return commit;
  return commit.substr(0, shown_digits) + commit.substr(whole_digits);
}

}  // namespace tallcache
