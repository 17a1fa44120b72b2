// Timings: the form of most of the slides' tables. Its cases (sizes, thresholds) go down. Each case has the
// same lines (variants, on one core or on several), and the speed-up of each line over another.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/tables/table.hpp"

namespace tallcache {

/// A variant at every case, or one phase of it.
struct Line {
  std::string_view label, variant;
  std::string_view slide{};  ///< the slide's column (or row, in a table of one case); empty: not in the slide
  std::string_view phase{};
  std::string_view backend = "cpu";
  Params params{};
  std::string_view swept{};  ///< the parameter that takes the case's value
  int threads = 1;
  std::size_t baseline = 0;  ///< index of the line to which its speed-up refers
  Index slide_n = 0;         ///< the slide's row, where it differs from the case's
  /// A library that chooses its kernels: a record that does not say which ones is left out. Of vqsort such a
  /// record may be of compress stores in microcode (cpu/peers/fastest.hpp).
  bool chooses = false;
};

struct Case {
  std::string label;
  Index slide_n;  ///< the slide's row; 0: not in the slide
  Shape shape;
  Scale from;       ///< Scale::smoke: for tests only
  Index value = 0;  ///< of a line's swept parameter
};

struct TimedTable {
  std::string_view id;
  const Operation* operation;
  std::string_view unit;  ///< "s" or "ms"
  std::vector<Line> lines{};
  std::vector<Case> cases{};
  Line best_known{};  ///< the fastest variant of the table's idea: a last column; empty: none

  double per_second() const { return unit == "ms" ? 1e3 : 1; }
};

/// Adds `line` on each number of cores, with the slide's column for it. The first number is 1, to which the
/// speed-ups of the others refer.
void add_on_cores(std::vector<Line>& lines, Line line,
                  std::initializer_list<std::pair<int, std::string_view>> cores);

/// The rows to measure, one for each case, with its lines interleaved. Lines whose variant is not in the
/// catalogue, or that need more cores than this machine has, are left out.
std::vector<Row> rows_of(const TimedTable&, Scale, std::uint64_t seed);

/// A table with its figures.
class Timings {
 public:
  Timings(const TimedTable& table, const Inputs& inputs) : table_(table), inputs_(inputs) {}

  const TimedTable& table() const { return table_; }
  const Document& document() const { return inputs_.document; }
  /// The cases of this scale, in order.
  std::vector<const Case*> cases() const;
  /// The line of this label. Throws Error when there is none.
  const Line& line(std::string_view label, int threads = 1) const;
  const Line& baseline(const Line& line) const { return table_.lines[line.baseline]; }
  /// Whether some lines run on several cores.
  bool parallel() const;

  /// Seconds; NaN when the slide has none, or when it was not measured.
  double slide(const Case&, const Line&) const;
  double here(const Case&, const Line&) const;
  /// Median absolute deviation of here().
  double spread(const Case&, const Line&) const;
  /// The stored record, or nullptr.
  const Record* record(const Case&, const Line&) const;
  /// Whether this scale leaves out the case.
  bool left_out(const Case&) const;
  /// The reason why here() is NaN: "--full", "needs 12.8 GB, 8.1 GB are available", ...
  std::string why_absent(const Case&, const Line&) const;

  double slide_speedup(const Case& c, const Line& l) const { return slide(c, baseline(l)) / slide(c, l); }
  double speedup(const Case& c, const Line& l) const { return here(c, baseline(l)) / here(c, l); }

  /// Whether `a` is faster than `b` here: empty when not measured, or when the difference is within
  /// the spreads.
  std::optional<bool> faster(const Case&, const Line& a, const Line& b) const;

 private:
  const TimedTable& table_;
  const Inputs& inputs_;
};

/// The grid, the ratios and the notes on sizes left out.
Report report_of(const Timings&);

/// A table that is its timings: its rows are rows_of() them, its report is report_of() them and what
/// `add_findings` adds.
Table timed(std::string_view id, std::string_view title, TimedTable (*timings)(),
            void (*add_findings)(const Timings&, Report&));

// Times decide these findings, and do not say why they end as they do: a decided finding has no reason but
// one that a table takes from further figures of the document.

/// "`a` beats `b` from n = `min`". Holds when it does at every measured case of the slide from there, where
/// the slide says so. Its figures name the cases of this scale that were not measured.
Finding finds_faster(const Timings&, std::string text, std::string_view a, std::string_view b, Index min);

/// "the speed-up of `a` grows with n": compares the first with the last measured case from `min`.
Finding finds_growing(const Timings&, std::string text, std::string_view a, Index min);

/// A line's efficiency at the largest measured case, on some number of cores.
struct Efficiency {
  const Case* at = nullptr;    ///< nullptr: not measured
  const Line* line = nullptr;  ///< on those cores
  double value = no_value;     ///< the speed-up over the number of cores
};
/// On `cores` of them, or on the most that were measured (0).
Efficiency efficiency_of(const Timings&, std::string_view line, int cores);

/// "`line` reaches an efficiency of `min`": its efficiency_of() does.
Finding finds_efficient(const Timings&, std::string text, std::string_view line, double min, int cores);

/// A cube, a square: the usual shapes.
Shape cube(Index n);
Shape square(Index n);

}  // namespace tallcache
