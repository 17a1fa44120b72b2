// Ladder: the shape that most of the slides' tables have. Cases (sizes) going down, the same variants at
// each, one of them the baseline of the speed-ups.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/tables/table.hpp"

namespace tallcache {

/// A variant at every case, or one phase of it.
struct Line {
  std::string_view label, variant;
  std::string_view slide{};  ///< the slide's column (or row, in a table of one case); empty: not in the slide
  std::string_view phase{};
  Backend backend = Backend::cpu;
};

struct Case {
  std::string label;
  Index slide_n;  ///< the slide's row; 0: not in the slide
  Shape shape;
  Scale from;  ///< Scale::smoke: for tests only, seen nowhere else
};

struct Ladder {
  std::string_view id;
  const Operation* operation;
  std::string_view unit;
  double per_second;  ///< units a second
  std::vector<Line> lines;
  std::vector<Case> cases;  ///< the first line is the baseline
  Line today{};             ///< what the idea of the table reaches today: a last column; empty: none
};

/// The rows to measure. Lines whose variant the catalogue does not have take no part.
std::vector<Row> ladder_rows(const Ladder&, Scale, std::uint64_t seed);

/// A ladder with its figures: what grids and findings read.
class Climbed {
 public:
  Climbed(const Ladder& ladder, const Inputs& inputs) : ladder_(ladder), inputs_(inputs) {}

  const Ladder& ladder() const { return ladder_; }
  /// Cases that belong to this scale, in order.
  std::vector<const Case*> cases() const;
  const Line& line(std::string_view label) const;

  /// Seconds; NaN when the slide has none, or when it was not measured.
  double slide(const Case&, const Line&) const;
  double here(const Case&, const Line&) const;
  /// Median absolute deviation of here().
  double spread(const Case&, const Line&) const;
  /// Why here() is NaN: "--full", "needs 12.8 GB, 8.1 GB are available", ...
  std::string why_absent(const Case&, const Line&) const;

  double slide_speedup(const Case& c, const Line& l) const { return slide(c, base()) / slide(c, l); }
  double speedup(const Case& c, const Line& l) const { return here(c, base()) / here(c, l); }

  /// Whether `a` is faster than `b` here: empty when not measured, or when the difference is within the
  /// spreads.
  std::optional<bool> faster(const Case&, const Line& a, const Line& b) const;

 private:
  const Line& base() const { return ladder_.lines.front(); }
  const Json* record(const Case&, const Line&) const;

  const Ladder& ladder_;
  const Inputs& inputs_;
};

/// The grid, the ratios and the notes on sizes left out; findings are the table's own.
Report ladder_report(const Climbed&);

/// "`a` beats `b` from n = `least`": holds when it does at every measured case of the slide from there, where
/// the slide says so.
Finding finds_faster(const Climbed&, std::string text, std::string_view a, std::string_view b, Index least,
                     std::string why_holds, std::string why_fails);

/// "the speed-up of `a` grows with n": first against last measured case from `least`.
Finding finds_growing(const Climbed&, std::string text, std::string_view a, Index least,
                      std::string why_holds, std::string why_fails);

/// A cube, a square: the usual shapes.
Shape cube(Index n);
Shape square(Index n);

}  // namespace tallcache
