// The results file of `tallcache reproduce`. It holds everything measured so far and is complete on disk at
// any moment, so that a run that was interrupted or killed can resume.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/results/document.hpp"
#include "bench/results/json_fields.hpp"
#include "bench/tables/table.hpp"

namespace tallcache {

class Results {
 public:
  /// Opens `folder`/reproduce.json, which must come from the same sources, built alike, on the same machine
  /// with the same mode and seed, or creates it; `fresh` replaces it. Throws Error, and leaves the file
  /// unchanged, when it is no results file of reproduce, when it comes from anything else, or when the folder
  /// cannot be written or has something else than a regular file of that name.
  Results(const std::string& folder, Json context, bool fresh);

  const std::string& path() const { return path_; }
  const Document& document() const { return document_; }

  /// Whether all records of the row exist and are finished. A run that was interrupted, too large or failed
  /// is measured again.
  bool has(std::string_view table, const Row& row) const;
  /// The existing records of a row.
  std::vector<const Record*> records(std::string_view table, const Row& row) const;

  /// Adds a record, replacing the one of the same run.
  void put(Record record);
  /// Sets the records that a table measured itself, replacing those of the same row.
  void put_row(const std::string& row, std::vector<Record> records);
  void put_limits(std::vector<Record> limits);
  /// Adds tables to the plan.
  void plan(const std::vector<const Table*>& tables);

  /// Writes the file, which is whole at any moment.
  void save() const;

 private:
  /// Adds this run's date to the context's "resumed", once it has measured something.
  void note_resumption();

  std::string path_, resumed_{};
  Document document_;
};

/// A part of the plan.
struct PlannedTable {
  std::string table, title;  ///< Table::id and its title
};
TALLCACHE_JSON_FIELDS(PlannedTable, table, title)

/// The plan of these tables, in the order of tables().
Json plan_of(const std::vector<const Table*>& tables);
/// The tables of a plan. Throws Error on one that this program does not have.
std::vector<const Table*> tables_of(const Json& plan);

}  // namespace tallcache
