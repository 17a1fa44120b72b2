// The results file: everything that `reproduce` has measured, whole on disk at any moment, so that an
// interrupted run resumes.
#pragma once

#include <string>
#include <string_view>

#include "bench/json.hpp"

namespace tallcache {

class Results {
 public:
  /// Opens `folder`/reproduce.json, made by the same build on the same machine with the same mode and
  /// seed, or starts it;
  /// `fresh` starts it anew. Throws Error, and leaves the file alone, when it is no results file, when it
  /// comes from another machine, build, mode or seed, or when the folder cannot be written.
  Results(const std::string& folder, Json context, bool fresh);

  const std::string& path() const { return path_; }
  const Json& document() const { return document_; }

  /// The record of `candidate` on `problem`, or nullptr. The problem's shape is complete.
  const Json* find(const Problem& problem, const Candidate& candidate) const;
  /// Whether that record is there and its measurement was finished.
  bool has(const Problem& problem, const Candidate& candidate) const;

  /// Adds a record, in place of the one of the same candidate and problem. A partial one is kept until it is
  /// measured anew.
  void put(const Problem& problem, const Measurement& measurement, bool partial);
  /// The table called `id`, or nullptr.
  const Json* find_table(std::string_view id) const;
  /// Sets a further part of the document.
  void set(const std::string& key, Json value) { document_[key] = std::move(value); }
  /// Adds a table, in place of the one of the same id.
  void put_table(Json table);

  /// Writes the file; SIGINT and SIGTERM wait meanwhile.
  void save() const;

 private:
  std::string path_;
  Json document_;
};

/// Reads a results file; throws Error with one line when it cannot be read, is truncated or is no results
/// file.
Json read_results(const std::string& path);

}  // namespace tallcache
