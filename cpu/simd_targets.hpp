// The SIMD targets of a file of kernels; it is included before hwy/foreach_target.h. They are AVX-512, AVX2
// and the baseline on x86: the targets between them do not differ here. Arrays of vectors need vectors of a
// fixed size, which SVE and RVV do not have: Arm runs NEON.
#pragma once

#include <hwy/detect_targets.h>
// A build under sanitizers leaves one more out, which its processor lacks or does not need.
#ifndef TALLCACHE_TARGETS_LEFT_OUT
#define TALLCACHE_TARGETS_LEFT_OUT 0
#endif
#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS                                                                            \
  (TALLCACHE_TARGETS_LEFT_OUT | HWY_AVX3_DL | HWY_SSE4 | HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | \
   HWY_SVE2_128 | HWY_RVV)
