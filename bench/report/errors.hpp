// The rounding errors of an operation's variants, as `tallcache errors` measured them. A part of the plan is
//
//   {"operation", "element", "backend",
//    "dimension": the size that the ladder changes,
//    "relative_to": the magnitude that errors are divided by,
//    "ladder": [shapes], "timed": the shape on which errors stand beside speeds,
//    "inputs": [kinds; the timed one first],
//    "runs": [{"variant", "params", "normwise": whether it runs on the timed shape alone}]}
//
// A record has the quantities "max error" and "mean error" in units of the element type's unit roundoff u,
// and on the timed shape with the first kind of input also the time.
#pragma once

#include <string>
#include <vector>

#include "bench/report/document.hpp"
#include "bench/report/grid.hpp"

namespace tallcache {

/// The largest errors of inputs of one kind: a row for each variant, a column for each rung of the ladder,
/// and the exponent of their growth.
Grid error_growth_grid(const Document&, const Json& part, const std::string& input);

/// The errors on the timed shape beside the speeds.
Grid errors_and_speeds_grid(const Document&, const Json& part);

/// All of these of one part.
std::string errors_text(const Document&, const Json& part, Style);

}  // namespace tallcache
