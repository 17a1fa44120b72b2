// The rounding errors of an operation's variants, as `tallcache errors` measured them. A record has the
// quantities "max error" and "mean error" in units of the element type's unit roundoff u, and on the timed
// shape with the first kind of input also the time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/results/document.hpp"
#include "bench/results/json_fields.hpp"
#include "bench/show/grid.hpp"

namespace tallcache {

struct ErrorsRun {
  std::string variant;
  Json params;
  bool normwise;  ///< whether it runs on the timed shape alone
};
TALLCACHE_JSON_FIELDS(ErrorsRun, variant, params, normwise)

/// A part of the plan.
struct ErrorsPlan {
  std::string operation, element, backend;
  std::string dimension;                ///< the size that the ladder changes
  std::string relative_to;              ///< the magnitude that errors are divided by
  std::optional<std::string> theory{};  ///< what is known of the errors; of sums of products where it is none
  std::vector<Json> ladder{};           ///< shapes
  Json timed;                           ///< the shape on which errors stand beside speeds
  std::vector<std::string> inputs;      ///< kinds, the timed one first
  std::vector<ErrorsRun> runs{};

  double size_of(const Json& shape) const { return shape.at(dimension).get<double>(); }
};
TALLCACHE_JSON_FIELDS(ErrorsPlan, operation, element, backend, dimension, relative_to, theory, ladder, timed,
                      inputs, runs)

/// The largest errors of inputs of one kind: a row for each variant, a column for each rung of the ladder,
/// and the exponent of their growth.
Grid error_growth_grid(const Document&, const ErrorsPlan&, const std::string& input);

/// The errors on the timed shape beside the speeds.
Grid errors_and_speeds_grid(const Document&, const ErrorsPlan&);

/// All of these of one part.
std::string errors_text(const Document&, const ErrorsPlan&, Style);

}  // namespace tallcache
