// The report of a misses document: misses by level and kind beside the theory, the misses at every cache
// size, and the capacity cliffs.
#pragma once

#include <string>

#include "bench/results/document.hpp"
#include "bench/show/grid.hpp"

namespace tallcache {

std::string misses_text(const Document&, Style);

/// Draws Q(Z) of each variant, log-log, as SVG into `file` through gnuplot, with theory dotted and the caches
/// marked. Throws Error when there is no gnuplot, when it fails, or when the document has no such curves.
void plot_misses(const Document&, const std::string& file);

}  // namespace tallcache
