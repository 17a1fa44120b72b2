// The report of a misses document: misses by level and kind beside the theory, at every cache size, and where
// the variants fall off the caches.
#pragma once

#include <string>

#include "bench/report/document.hpp"
#include "bench/report/grid.hpp"

namespace tallcache {

std::string misses_text(const Document&, Style);

/// Draws Q(Z) of each variant, log-log, with theory dotted and the caches marked, as SVG into `file` through
/// gnuplot. Throws Error when there is no gnuplot, when it fails, or when the document has no such curves.
void plot_misses(const Document&, const std::string& file);

}  // namespace tallcache
