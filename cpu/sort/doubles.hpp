// Doubles by their values, which vqsort sorts as what they are or as integers of the same order.
#pragma once

#include "common/view.hpp"

namespace tallcache::cpu::sort {

/// What one reading of doubles tells.
struct DoublesSeen {
  bool differ_by_value;  ///< none is NaN, which has no place in the order, or -0, which equals 0
  bool finite;           ///< none is infinite, if they differ by value

  DoublesSeen(const double* numbers, Index n);
};

/// Whether of a sample of many doubles a tenth are equal to others, and some to none. Where nearly all that
/// vqsort has to divide is its greatest value, it divides by the double before that one. What it takes for it
/// (Highway 1.0.3: 2^-52 less) may be the same double, so that nothing is divided, or one below others
/// (TUNING.md). The integer before another is one less.
bool repeats_between_others(const double* numbers, Index n);

/// Sorts doubles that differ by value, without memory: as integers where some repeat between others, where
/// one is infinite, as vqsort loses infinite doubles of few (Highway 1.0.3), and where it left doubles that
/// are not in order.
void vqsort_by_value(double* numbers, Index n, bool finite);

}  // namespace tallcache::cpu::sort
