// The charts that several reports share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/show/page.hpp"

namespace tallcache {

Family family_of(const Record&);

/// A record's rate at `x`, with the rates of its median time one median absolute deviation earlier and later.
ChartPoint rate_point(const Record&, double x);

/// A record as a row: its rate with the spread, by the name of its variant.
Ranking::Item rate_item(const Record&);

/// The rooflines (Williams, Waterman, Patterson, Roofline: An Insightful Visual Performance Model, CACM 2009)
/// of each element type and backend for which the document has a peak: min(peak, intensity x bandwidth) on
/// one core and on all, and each timed record that counts flops at its minimum traffic.
std::vector<Chart> rooflines(const Document&);

/// The rate over the error of every record that has both, for each operation and shape.
std::vector<Chart> errors_beside_speeds(const Document&);

/// `empty` with the groups of series, on as many charts as keep each at `max_lines` lines. A group stays
/// together, such as a curve and its bound.
std::vector<Chart> in_charts(const Chart& empty, const std::vector<std::vector<Series>>& groups);

/// The chart as a script for draw(); its spreads are left out.
std::string chart_plot(const Chart&);

}  // namespace tallcache
