// Table: one table of the slides: what it needs measured, and how it prints beside the slide's figures.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/report/grid.hpp"
#include "bench/results.hpp"
#include "common/harness.hpp"

namespace tallcache {

/// How large a run is: tiny sizes for tests, sizes for three minutes, the printed sizes.
enum class Scale { smoke, quick, full };
std::string_view to_string(Scale);

/// Candidates that are measured together, interleaved, on one problem.
struct Row {
  std::string label;
  Problem problem;
  std::vector<Candidate> candidates;
  Protocol protocol;
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

/// What a table prints from.
struct Inputs {
  const Json& slide;  ///< its entry of results/slides/tables.json
  const Results& results;
  Scale scale;
  std::uint64_t seed;
};

struct Table {
  std::string_view id, title;
  /// What to measure at `scale`.
  std::vector<Row> (*rows)(Scale, std::uint64_t seed);
  Report (*report)(const Inputs&);
  /// Whether it prints the machine's limits, which the results then hold under "limits".
  bool needs_limits = false;
};

/// The tables, in the order in which they are run.
std::span<const Table* const> tables();
/// Throws Error with the nearest name.
const Table& find_table(std::string_view id);
/// The slides' tables: results/slides/tables.json as it was when the program was built.
const Json& slide_table(std::string_view id);

/// A table with what stands around it: {"id", "title", "source", "slide_machine", "grids", "notes",
/// "findings", "ratios"}.
Json to_json(const Table&, const Json& slide, const Report&);
/// What to_json made, for people.
std::string render_table(const Json& table, Style);

}  // namespace tallcache
