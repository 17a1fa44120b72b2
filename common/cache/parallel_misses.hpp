// The misses of work stealing in P private caches by theory. Each is an order, with a constant of 1.
#pragma once

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
/// A product of m x n x k by halves: f(w) = w / (L sqrt(Z)) + w^(2/3) / L + w^(1/3), as blocks of a segment
/// have w^(1/3) rows.
Prediction product_misses_of_segments(IdealCache, ProductSizes, double segments);
/// A transposition by halves: f(w) = w / L + sqrt(w).
Prediction transposition_misses_of_segments(IdealCache, double elements, double segments);

}  // namespace tallcache::cache
