// Misses at every cache size: Q(Z) of each variant from one pass, and its plot.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bench/json.hpp"
#include "bench/misses.hpp"

namespace tallcache {

/// Q(Z) of one variant in the fully associative LRU cache.
struct Curve {
  Candidate candidate;  ///< its params complete
  std::size_t line_bytes;
  std::uint64_t loads, stores;
  std::vector<std::uint64_t> misses;  ///< [Z]: with Z lines, up to the distinct lines

  std::uint64_t cold() const { return misses.back(); }
  std::uint64_t at(std::size_t lines) const { return lines < misses.size() ? misses[lines] : misses.back(); }
};

/// Traces the candidate once. Throws Error as cache::run_traced does.
Curve trace_curve(const Problem&, const Candidate&, std::size_t line_bytes);

/// The curves at 4, 6, 8, 12, ... lines until beyond the largest footprint and the largest of `levels`, with
/// what theory predicts there: an array with one object a variant.
Json to_json(const Problem&, std::span<const Curve>, std::span<const cache::CacheLevel> levels);

/// Draws the curves, log-log, with bounds dotted and `levels` marked, as SVG into `file` through gnuplot.
/// Throws Error when there is no gnuplot, or when it fails.
void plot_curves(const std::string& file, const Problem&, std::span<const Curve>,
                 std::span<const cache::CacheLevel> levels);

}  // namespace tallcache
