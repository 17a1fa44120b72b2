// Misses at every cache size: Q(Z) of each variant from one pass.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bench/measure/misses.hpp"
#include "bench/results/record.hpp"

namespace tallcache {

/// Q(Z) of one variant in the fully associative LRU cache.
struct Curve {
  Candidate candidate;  ///< with complete params
  std::size_t line_bytes;
  std::uint64_t loads, stores;
  std::vector<std::uint64_t> misses;  ///< [Z]: with Z lines, up to the distinct lines

  std::uint64_t cold() const { return misses.back(); }
  std::uint64_t at(std::size_t lines) const { return lines < misses.size() ? misses[lines] : misses.back(); }
};

/// Traces the candidate once. Throws Error as cache::run_traced does.
Curve trace_curve(const Problem&, const Candidate&, std::size_t line_bytes);

/// Cache sizes in lines, 4, 6, 8, 12, ..., up to the first beyond the largest footprint and the largest
/// of `levels`.
std::vector<std::size_t> curve_sizes(std::span<const Curve>, std::span<const cache::CacheLevel> levels);

/// Stores the curve as quantities over the bytes of cache: "misses"; "predicted misses" or "order of misses"
/// (as put_prediction stores them) at the sizes for which theory has a formula; and "distinct lines".
void put_curve(Record&, const Problem&, const Curve&, std::span<const std::size_t> sizes);

}  // namespace tallcache
