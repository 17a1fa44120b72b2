#include "bench/results/stale.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <regex>
#include <set>

#include "bench/results/git.hpp"
#include "bench/results/provenance.hpp"

namespace tallcache {
namespace {

using Blobs = std::map<std::string, std::string, std::less<>>;  // by path

constexpr std::string_view gone = " (gone)";

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// The blobs of a commit; empty optional where it is not in the history.
const std::optional<Blobs>& blobs_of(const std::string& commit) {
  static std::map<std::string, std::optional<Blobs>> known;
  const auto [place, is_new] = known.try_emplace(commit);
  if (!is_new) return place->second;
  const auto listed = git({"ls-tree", "-r", "-z", "--full-tree", commit});
  if (!listed) return place->second;
  place->second.emplace();
  // "100644 blob 98d7b7e1...\tcommon/amx.cpp"
  for (std::size_t begin = 0, end; (end = listed->find('\0', begin)) != listed->npos; begin = end + 1) {
    const std::size_t tab = listed->find('\t', begin), blob = listed->find_last_of(' ', tab) + 1;
    place->second->emplace(listed->substr(tab + 1, end - tab - 1), listed->substr(blob, tab - blob));
  }
  return place->second;
}

// The text of a blob of the history; of this program's, also from the tree, where that has it still.
std::optional<std::string> text_of(const std::string& path, const std::string& blob, bool of_program) {
  if (auto text = git({"cat-file", "blob", blob}); text || !of_program) return text;
  const auto root = git({"rev-parse", "--show-toplevel"});
  if (!root) return std::nullopt;
  const std::string file = first_line(*root) + "/" + path;
  if (first_line(git({"hash-object", "--no-filters", "--", file}).value_or("")) != blob) return std::nullopt;
  std::ifstream stream(file);
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

namespace fs = std::filesystem;

// The name of the folder that holds the file, which its namespace and its includes have, too.
std::string parent_name(const fs::path& path) { return path.parent_path().filename(); }

// Whether the code is the same, but for the name of the folder where the file was moved.
bool same_code(const std::string& path, const std::string& measured, const Source& now) {
  static std::map<std::pair<std::string, std::string>, bool> known;
  const std::string blob(now.blob), path_now(now.path);
  const auto [place, is_new] = known.try_emplace({measured, blob});
  if (!is_new) return place->second;
  auto before = text_of(path, measured, false);
  const auto after = text_of(path_now, blob, true);
  if (before && path != path_now)
    before =
        std::regex_replace(*before, std::regex("\\b" + parent_name(path) + "\\b"), parent_name(path_now));
  return place->second = before && after && code_of(*before) == code_of(*after);
}

// Where a file is now that was moved from a folder beside, unchanged.
const Source* moved(const fs::path& path, const std::string& measured) {
  const auto beside = [](const fs::path& file) { return file.parent_path().parent_path(); };
  for (const Source& now : sources()) {
    const fs::path other(now.path);
    if (other.filename() == path.filename() && beside(other) == beside(path) && !beside(path).empty() &&
        same_code(path, measured, now))
      return &now;
  }
  return nullptr;
}

// Where a file was divided into those of the folder of its name: adds it, and those of them that are new to
// the document and whose code it had, to `known`.
void add_divided(const std::string& path, const std::string& measured, const Blobs& blobs,
                 std::set<std::string_view>& known) {
  const auto words = [](const std::optional<std::string>& text) {
    std::string code = " " + code_of(text.value_or("")) + " ";
    std::ranges::replace(code, '\n', ' ');
    return code;
  };
  const std::string folder = fs::path(path).replace_extension().string() + "/";
  for (const Source& part : sources()) {
    if (!part.path.starts_with(folder)) continue;
    known.insert(path);
    const auto found = blobs.find(part.path);
    if (found == blobs.end() || !found->second.empty()) continue;
    const auto before = text_of(path, measured, false);
    const auto now = text_of(found->first, std::string(part.blob), true);
    if (before && now && words(before).find(words(now)) != std::string::npos) known.insert(part.path);
  }
}

// The variants that the document measured and that no build has any more. Tables and ranks name parts of
// their own.
void add_gone_variants(const Document& document, std::vector<std::string>& changed) {
  if (document.kind == "reproduce" || document.kind == "ranks") return;
  for (const Record& record : document.measurements) {
    const bool ours = record.backend == "cpu" || record.backend == "gpu";
    if (!ours || !record.outcome.measured() ||
        !sources_of(record.backend, record.operation, record.variant, record.threads).empty())
      continue;
    const std::string name =
        fmt::format("{}/{}/{}{}", record.backend, record.operation, record.variant, gone);
    if (changed.empty() || changed.back() != name) changed.push_back(name);
  }
}

// The sources as they were measured: what the document says, or what its commit has of those of today. An
// empty blob: there was no such file.
Blobs measured_blobs(const Document& document, std::string& unknown) {
  Blobs blobs;
  if (const Json* sources = document.context.contains("sources") ? &document.context["sources"] : nullptr) {
    for (const auto& [path, blob] : sources->items()) blobs[path] = blob;
    for (const Source* file : measured_sources(document)) blobs.try_emplace(std::string(file->path), "");
    return blobs;
  }
  const std::string commit = document.context.at("build").at("commit");
  if (!is_commit(commit))
    unknown = fmt::format("it has no blobs of its sources, and '{}' is no commit", commit);
  else if (const auto& then = blobs_of(commit))
    for (const Source* file : measured_sources(document)) {
      const auto found = then->find(file->path);
      blobs[std::string(file->path)] = found == then->end() ? "" : found->second;
    }
  else if (!git({"rev-parse", "--git-dir"}))
    unknown = "it has no blobs of its sources, and there is no history here";
  else
    unknown = fmt::format("it has no blobs of its sources, and commit {} is not in the history here", commit);
  return blobs;
}

}  // namespace

Staleness staleness(const Document& document) {
  Staleness result;
  const Blobs blobs = measured_blobs(document, result.unknown);
  std::set<std::string_view> known_elsewhere;
  for (const auto& [path, blob] : blobs) {
    if (find_source(path)) continue;
    if (const Source* now = moved(path, blob))
      known_elsewhere.insert({path, now->path});
    else
      add_divided(path, blob, blobs, known_elsewhere);
  }
  for (const auto& [path, blob] : blobs) {
    if (known_elsewhere.contains(path)) continue;
    const Source* now = find_source(path);
    if (!now)
      result.changed.push_back(path + std::string(gone));
    else if (blob.empty())
      result.changed.push_back(path + " (new)");
    else if (now->blob != blob && !same_code(path, blob, *now))
      result.changed.push_back(path);
  }
  add_gone_variants(document, result.changed);
  return result;
}

Document without_changed(Document document, const std::vector<std::string>& changed) {
  const auto is_changed = [&](const Record& record) {
    const auto files = sources_of(document, record);
    return std::ranges::any_of(changed, [&](std::string_view name) {
      const std::string_view path = name.substr(0, name.find(" ("));
      return name.ends_with(gone) || std::ranges::find(files, path, &Source::path) != files.end();
    });
  };
  for (Record& record : document.measurements)
    if (record.outcome.measured() && is_changed(record)) {
      record.outcome = {Status::left_out, "its sources have changed since"};
      record.quantities.clear();
    }
  return document;
}

std::string to_string(const Staleness& staleness) {
  if (!staleness.changed.empty()) return fmt::format("stale: {}", fmt::join(staleness.changed, ", "));
  return staleness.unknown.empty() ? "" : "unknown: " + staleness.unknown;
}

}  // namespace tallcache
