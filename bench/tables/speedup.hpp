// Speed-up tables: the same variants at each case on a growing number of cores, over the same program on one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/tables/table.hpp"

namespace tallcache {

/// A variant at every case.
struct SpeedupLine {
  std::string_view label, variant;
  Params params{};
  /// A parameter that takes the case's value in place of its own; empty: none.
  std::string_view swept{};
};

struct SpeedupCase {
  std::string label;
  Shape shape;
  Scale from;            ///< Scale::smoke: for tests only, seen nowhere else
  double slide_row = 0;  ///< what the slide's row begins with; 0: not in the slide
  Index value = 0;       ///< of the swept parameter
};

struct SpeedupTable {
  std::string_view id, operation, element;
  std::vector<SpeedupLine> lines;
  std::vector<SpeedupCase> cases;
  std::vector<int> cores;  ///< beside one
  /// The slide's seconds for a case, a line and a number of cores (1 included); NaN when it has none.
  double (*slide)(const Json& slide, const SpeedupCase&, const SpeedupLine&, int cores);
};

/// The seconds of a slide's table of timings, whose columns are n, one core, two cores, their speed-up, four
/// cores; NaN where it has no row for `c`.
double slide_timing(const Json& slide, const SpeedupCase& c, int cores);

/// The rows to measure: every line on one core and on as many as this machine has of those listed,
/// interleaved.
std::vector<Row> speedup_rows(const SpeedupTable&, Scale, std::uint64_t seed);

/// A table with its figures.
class Speedups {
 public:
  Speedups(const SpeedupTable& table, const Inputs& inputs) : table_(table), inputs_(inputs) {}

  const SpeedupTable& table() const { return table_; }
  /// Cases that belong to this scale, in order.
  std::vector<const SpeedupCase*> cases() const;
  const SpeedupLine& line(std::string_view label) const;
  /// The cores of the table that this machine has, one among them.
  std::vector<int> cores() const;

  /// Seconds; NaN when there is no figure.
  double slide(const SpeedupCase& c, const SpeedupLine& l, int cores) const {
    return table_.slide(inputs_.slide, c, l, cores);
  }
  double here(const SpeedupCase&, const SpeedupLine&, int cores) const;
  double spread(const SpeedupCase&, const SpeedupLine&, int cores) const;
  double speedup(const SpeedupCase& c, const SpeedupLine& l, int cores) const {
    return here(c, l, 1) / here(c, l, cores);
  }
  double slide_speedup(const SpeedupCase& c, const SpeedupLine& l, int cores) const {
    return slide(c, l, 1) / slide(c, l, cores);
  }
  /// Why here() is NaN: "needs 4 cores", "--full", ...
  std::string why_absent(const SpeedupCase&, const SpeedupLine&, int cores) const;

 private:
  const Json* record(const SpeedupCase&, const SpeedupLine&, int cores) const;

  const SpeedupTable& table_;
  const Inputs& inputs_;
};

/// The grid, the ratios and the notes; findings are the table's own.
Report speedup_report(const Speedups&);

/// "`line` reaches an efficiency of `least`": its speed-up over the cores, at the largest case that was
/// measured, on `cores` of them, or on the most of the table that this machine has (0).
Finding finds_efficient(const Speedups&, std::string text, std::string_view line, double least, int cores,
                        std::string why_holds, std::string why_fails);

}  // namespace tallcache
