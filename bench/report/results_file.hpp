// The results file of `tallcache reproduce`: everything that it has measured, whole on disk at any moment, so
// that a run that was interrupted or killed resumes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/report/document.hpp"
#include "bench/tables/table.hpp"

namespace tallcache {

class Results {
 public:
  /// Opens `folder`/reproduce.json, made by the same build on the same machine with the same mode and seed,
  /// or starts it; `fresh` starts it anew. Throws Error, and leaves the file alone, when it is no results
  /// file of reproduce, when it comes from another machine, build, mode or seed, or when the folder cannot be
  /// written.
  Results(const std::string& folder, Json context, bool fresh);

  const std::string& path() const { return path_; }
  const Document& document() const { return document_; }

  /// Whether everything of the row is there and finished. What was interrupted, too large or failed is
  /// measured again.
  bool has(std::string_view table, const Row& row) const;
  /// The records of a row, as far as there are any.
  std::vector<const Record*> records(std::string_view table, const Row& row) const;

  /// Adds a record, in place of the one of the same run.
  void put(Record record) { document_.put(std::move(record)); }
  /// Sets the records that a table measured for itself, in place of those of the same row.
  void put_row(const std::string& row, std::vector<Record> records);
  void put_limits(std::vector<Record> limits) { document_.limits = std::move(limits); }
  /// Adds tables to those that are asked for.
  void plan(const std::vector<const Table*>& tables);

  /// Writes the file; SIGINT and SIGTERM wait meanwhile.
  void save() const;

 private:
  std::string path_;
  Document document_;
};

/// A plan of these tables, in the order of tables(): [{"table": id, "title": ...}].
Json plan_of(const std::vector<const Table*>& tables);
/// The tables of a plan. Throws Error on one that this program does not have.
std::vector<const Table*> tables_of(const Json& plan);

}  // namespace tallcache
