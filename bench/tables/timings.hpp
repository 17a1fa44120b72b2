// Timings: the form that most of the slides' tables have. Cases (sizes, thresholds) going down, the same
// lines (variants, on one core or on several) at each, and the speed-up of each line over another.
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
  std::string_view swept{};  ///< a parameter that takes the case's value
  int threads = 1;
  std::size_t baseline = 0;  ///< index of the line that its speed-up is over
  Index slide_n = 0;         ///< the slide's row, where that is not the case's
};

struct Case {
  std::string label;
  Index slide_n;  ///< the slide's row; 0: not in the slide
  Shape shape;
  Scale from;       ///< Scale::smoke: for tests only, seen nowhere else
  Index value = 0;  ///< of a line's swept parameter
};

struct TimedTable {
  std::string_view id;
  const Operation* operation;
  std::string_view unit;
  double per_second;  ///< units a second
  std::vector<Line> lines;
  std::vector<Case> cases;
  Line today{};  ///< what the idea of the table reaches today: a last column; empty: none
};

/// Adds `line` on each number of cores, the first of which is 1 and what the others' speed-ups are over.
/// Each comes with the slide's column for it.
void add_on_cores(std::vector<Line>& lines, Line line,
                  std::initializer_list<std::pair<int, std::string_view>> cores);

/// The rows to measure, one a case, its lines interleaved. Lines whose variant the catalogue does not have,
/// or that need more cores than this machine has, take no part.
std::vector<Row> rows_of(const TimedTable&, Scale, std::uint64_t seed);

/// A table with its figures.
class Timings {
 public:
  Timings(const TimedTable& table, const Inputs& inputs) : table_(table), inputs_(inputs) {}

  const TimedTable& table() const { return table_; }
  /// Cases that belong to this scale, in order.
  std::vector<const Case*> cases() const;
  /// The line of this label; throws Error when there is none.
  const Line& line(std::string_view label, int threads = 1) const;
  const Line& baseline(const Line& line) const { return table_.lines[line.baseline]; }
  /// Whether some lines are on several cores.
  bool parallel() const;

  /// Seconds; NaN when the slide has none, or when it was not measured.
  double slide(const Case&, const Line&) const;
  double here(const Case&, const Line&) const;
  /// Median absolute deviation of here().
  double spread(const Case&, const Line&) const;
  /// What is stored of it; nullptr: nothing.
  const Record* record(const Case&, const Line&) const;
  /// Whether this scale leaves the case out.
  bool left_out(const Case&) const;
  /// Why here() is NaN: "--full", "needs 12.8 GB, 8.1 GB are available", ...
  std::string why_absent(const Case&, const Line&) const;

  double slide_speedup(const Case& c, const Line& l) const { return slide(c, baseline(l)) / slide(c, l); }
  double speedup(const Case& c, const Line& l) const { return here(c, baseline(l)) / here(c, l); }

  /// Whether `a` is faster than `b` here: empty when not measured, or when the difference is within the
  /// spreads.
  std::optional<bool> faster(const Case&, const Line& a, const Line& b) const;

 private:
  const TimedTable& table_;
  const Inputs& inputs_;
};

/// The grid, the ratios and the notes on sizes left out; findings are the table's own.
Report report_of(const Timings&);

/// "`a` beats `b` from n = `least`": holds when it does at every measured case of the slide from there, where
/// the slide says so.
Finding finds_faster(const Timings&, std::string text, std::string_view a, std::string_view b, Index least,
                     std::string why_holds, std::string why_fails);

/// "the speed-up of `a` grows with n": first against last measured case from `least`.
Finding finds_growing(const Timings&, std::string text, std::string_view a, Index least,
                      std::string why_holds, std::string why_fails);

/// "`line` reaches an efficiency of `least`": its speed-up over the cores, at the largest case that was
/// measured, on `cores` of them, or on the most that were measured (0).
Finding finds_efficient(const Timings&, std::string text, std::string_view line, double least, int cores,
                        std::string why_holds, std::string why_fails);

/// A cube, a square: the usual shapes.
Shape cube(Index n);
Shape square(Index n);

}  // namespace tallcache
