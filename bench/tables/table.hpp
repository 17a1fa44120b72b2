// Table: one table of the slides. It lists its measurements as rows, which are stored one by one, and
// makes its report from the stored records. A report runs nothing and does not query the machine on which
// it is made.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "bench/results/document.hpp"
#include "bench/show/blocks.hpp"
#include "bench/show/grid.hpp"
#include "bench/suites/scale.hpp"
#include "common/measure/harness.hpp"

namespace tallcache {

/// Candidates that are timed together, interleaved, on one problem.
struct Timed {
  Problem problem;
  std::vector<Candidate> candidates;
  Protocol protocol;
};

/// The table's own measurements or counts. Throws Error when a result is wrong (Status::wrong).
using Measure = std::function<std::vector<Record>()>;

/// A unit that is measured and stored at once.
struct Row {
  std::string label;
  std::variant<Timed, Measure> what;
};

/// One of the slide's findings, compared with the measurements. `holds` is empty where they do not decide it.
struct Finding {
  std::string text;
  std::optional<bool> holds;
  std::string figures;  ///< the figures that decide it
  std::string why;      ///< the explanation of the outcome
};

/// A figure of the slide beside the same figure on this machine, for the README's table.
struct Ratio {
  std::string where, what;
  double slide, here;
  bool quotient = true;  ///< of two figures of one unit: printed as 2.00x
};

struct Report {
  std::vector<Grid> grids;
  std::vector<std::string> notes;
  std::vector<Finding> findings;
  std::vector<Ratio> ratios;
  std::vector<Chart> charts;  ///< for the page alone, as are these
  std::vector<Ranking> rankings{};
  std::string left_out{};  ///< the sizes that --full alone measures
};

/// The inputs of a report.
struct Inputs {
  const Json& slide;  ///< the table's entry of results/slides/tables.json; null where no text prints it
  const Document& document;
  Scale scale;
};

struct Table {
  std::string_view id, title;
  /// The rows to measure at `scale` on this machine.
  std::function<std::vector<Row>(Scale, std::uint64_t seed)> rows;
  std::function<Report(const Inputs&)> report;
  /// Whether the table prints the machine's limits, which the document must then contain.
  bool needs_limits = false;
  /// Whether a text prints it; if not, it has no entry in results/slides/tables.json.
  bool printed = true;
};

/// The tables, in the order in which they are run.
std::span<const Table* const> tables();
/// Throws Error with the nearest name.
const Table& find_table(std::string_view id);
/// The slides' tables: results/slides/tables.json as it was when the program was built.
const Json& slide_table(std::string_view id);

/// The Record::row of a table's own measurements for its row `label`: "<table>: <label>".
std::string row_name(std::string_view table, std::string_view label);
/// The measured records of that row, in the order in which they were stored.
std::vector<const Record*> records_of(const Document&, std::string_view table, std::string_view label);
/// The reason why there are none: that of a record that is not measured, or "not measured".
std::string why_absent(const Document&, std::string_view table, std::string_view label);

/// A run of the harness, identified by names, on the first input. The variants of this build do not matter: a
/// report may be of another one's document.
struct RunName {
  const Operation* operation;
  Shape shape;  ///< sizes that are left out have their defaults
  std::string_view variant;
  std::string_view backend = "cpu";
  Params params{};  ///< those that distinguish it from other runs of the variant
  int threads = 1;
};
/// Its record, or nullptr.
const Record* find_run(const Document&, const RunName&);

/// The report of a table on a document of tallcache reproduce. Throws Error on any other document.
Report report_of(const Table&, const Document&);
/// A table with its title, findings and notes, as readable text.
std::string render(const Table&, const Report&, Style);

}  // namespace tallcache
