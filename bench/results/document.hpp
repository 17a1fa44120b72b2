// The results document: every command writes it, and `tallcache report` reads it. results/schema.json defines
// its form.
//
//   schema        "tallcache/2"; "tallcache/1", of before a document named its sources, is read too
//   kind          the command that made it: run, compare, steps, peers, misses, profile, machine, ...
//   context       the machine, the build and its commit, the date, the sources of what was measured; mode and
//                 seed where there are any
//   limits        records of what the machine can reach: see bench/results/limits.hpp
//   plan          what was requested, part by part, in the order of printing: what a report needs beside the
//                 records to lay them out (sizes, labels, peers); it contains no measurements
//   measurements  records; of drawn problems, timed problems: bench/results/timed_problem.hpp
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/results/record.hpp"

namespace tallcache {

inline constexpr std::string_view document_schema = "tallcache/2", older_document_schema = "tallcache/1";

struct Document {
  std::string kind;
  Json context;
  std::vector<Record> limits{};
  Json plan = Json::array();
  std::vector<Record> measurements{};
  std::string schema{document_schema};
  bool by_problem = false;  ///< stored as timed problems, where that loses nothing

  /// The record of the same run, or nullptr.
  const Record* find(const Record& run) const;
  /// Adds a record, replacing the one of the same run.
  void put(Record record);
};

/// The fork policy under which a run forked: that of its record, else of the document's context. Empty where
/// neither says it, as in documents from before it was stored.
std::string fork_policy_of(const Document&, const Record&);

/// The parts of the plan, as the study that measured it declares them (TALLCACHE_JSON_FIELDS).
template <class Part>
std::vector<Part> parts_of(const Document& document) {
  return document.plan.get<std::vector<Part>>();
}

Json to_json(const Document&);

/// Reads a document. Throws Error with one line, which names the file, when the file cannot be read, is
/// truncated, is no results document, or has another schema.
Document read_document(const std::string& path);

/// Writes the document as write_text() does. One that has just been measured, whose context has no sources
/// yet, gets this program's. Throws Error when it cannot be written.
void write_document(const std::string& path, const Document&);

}  // namespace tallcache
