// Table: one table of the slides. It says what is measured, in rows that are stored one by one, and makes its
// report from what is stored: a report runs nothing and asks nothing of the machine that it is made on.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "bench/program/scale.hpp"
#include "bench/report/document.hpp"
#include "bench/report/grid.hpp"
#include "common/measure/harness.hpp"

namespace tallcache {

/// Candidates that are timed together, interleaved, on one problem.
struct Timed {
  Problem problem;
  std::vector<Candidate> candidates;
  Protocol protocol;
};

/// What a table measures or counts for itself. Throws Error when a result is wrong (Status::wrong).
using Measure = std::function<std::vector<Record>()>;

/// What is measured at once and stored at once.
struct Row {
  std::string label;
  std::variant<Timed, Measure> what;
};

/// One of the slide's findings, held against the measurements. `holds` is empty where they do not decide it.
struct Finding {
  std::string text;
  std::optional<bool> holds;
  std::string figures;  ///< the figures that decide it
  std::string why;      ///< what explains the outcome
};

/// A figure of the slide beside the same figure here: what the README's table shows.
struct Ratio {
  std::string where, what;
  double slide, here;
  bool quotient = true;  ///< of two alike: printed as 2.00x
};

struct Report {
  std::vector<Grid> grids;
  std::vector<std::string> notes;
  std::vector<Finding> findings;
  std::vector<Ratio> ratios;
};

/// What a report is made from.
struct Inputs {
  const Json& slide;  ///< the table's entry of results/slides/tables.json
  const Document& document;
  Scale scale;
};

struct Table {
  std::string_view id, title;
  /// What to measure at `scale` on this machine.
  std::vector<Row> (*rows)(Scale, std::uint64_t seed);
  Report (*report)(const Inputs&);
  /// Whether it prints the machine's limits, which the document then holds.
  bool needs_limits = false;
};

/// The tables, in the order in which they are run.
std::span<const Table* const> tables();
/// Throws Error with the nearest name.
const Table& find_table(std::string_view id);
/// The slides' tables: results/slides/tables.json as it was when the program was built.
const Json& slide_table(std::string_view id);

/// Record::row of what the row `label` of a table measures for itself: "<table>: <label>".
std::string row_name(std::string_view table, std::string_view label);
/// The measured records of that row, in the order in which they were put.
std::vector<const Record*> records_of(const Document&, std::string_view table, std::string_view label);
/// Why there are none: the reason of a record that is not measured, or "not measured".
std::string why_absent(const Document&, std::string_view table, std::string_view label);

/// A run of the harness by the names of things, on the first input, whatever variants this build has: a
/// report may be of another one's.
struct RunName {
  const Operation* operation;
  Shape shape;  ///< what is left out is as usual
  std::string_view variant;
  std::string_view backend = "cpu";
  Params params{};  ///< those that tell it from other runs of the variant
  int threads = 1;
};
/// Its record, or nullptr.
const Record* find_run(const Document&, const RunName&);

/// The report of a table on a document of tallcache reproduce. Throws Error when the document is none.
Report report_of(const Table&, const Document&);
/// A table with what stands around it, for people.
std::string render(const Table&, const Report&, Style);

}  // namespace tallcache
