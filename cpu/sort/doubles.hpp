// What a sort of doubles by their values asks of them.
#pragma once

#include "common/view.hpp"

namespace tallcache::cpu::sort {

/// Whether doubles that are equal are the same: none is NaN, which has no place in the order, or -0, which
/// equals 0.
bool all_differ_by_value(const double* numbers, Index n);

/// Whether vqsort should get integers of the same order in place of these doubles, for either of two reasons.
/// One of more than four values has a quarter of many doubles, and others are less and greater, as a sample
/// says: vqsort leaves such a double among those that it divides, time and again, but not such an integer
/// (TUNING.md). Or one is infinite: vqsort loses infinite doubles of few (Highway 1.0.3).
bool better_as_integers(const double* numbers, Index n);

}  // namespace tallcache::cpu::sort
