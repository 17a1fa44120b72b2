// The misses of work stealing in P private caches by theory. Each is an order, with a constant of 1.
#pragma once

#include <optional>
#include <string_view>

#include "common/cache/ideal_misses.hpp"

namespace tallcache::cache {

/// Q_P - Q_1 = O((Z/L) P T_inf), where a steal takes as long as a miss (Acar, Blelloch, Blumofe, "The data
/// locality of work stealing", SPAA 2000). `span`: T_inf.
Prediction stolen_misses(IdealCache, double processors, double span);

/// Q_P - Q_1 <= 2 (Z/L) of each steal: the same authors' bound before they bound the steals. No order.
Prediction misses_of_steals(IdealCache, double steals);

/// Q_P = O(S f(T_1 / S)) of S segments of a processor's work between steals, where a segment of w steps has
/// at most f(w) misses, and f is concave (Frigo, Strumpen, "The cache complexity of multithreaded cache
/// oblivious algorithms", SPAA 2006). Under work stealing S = O(P T_inf).
///
/// Of the texts that have a formula here, by operation and variant; f(w) is
/// - of a product by halves w / (L sqrt(Z)) + w^(2/3) / L + w^(1/3), as a segment's blocks have w^(1/3) rows;
/// - of a transposition by halves w / L + sqrt(w);
/// - of a stencil's trapezoids in d dimensions w / (L Z^(1/d)) + w^(d/(d+1)) / L + w^((d-1)/(d+1)), the
///   last being rows (they have the formula of d = 1 and L = 1).
/// A sort by merging has none: f(w) = w / L, of a segment of one long merge, does not tell what a segment of
/// whole sorts reuses.
std::optional<Prediction> misses_of_segments(std::string_view operation, std::string_view variant,
                                             const Shape& shape, IdealCache, double segments);

}  // namespace tallcache::cache
