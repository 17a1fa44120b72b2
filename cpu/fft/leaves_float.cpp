// The leaves of transforms of float numbers.
#include "cpu/fft/fft_leaves.hpp"

// As for the products (cpu/matmul/register_kernel.cpp): AVX-512, AVX2 and the baseline; Arm runs NEON.
#include <hwy/detect_targets.h>
#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS \
  (HWY_AVX3_DL | HWY_SSE4 | HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/fft/leaves_float.cpp"
#include <hwy/foreach_target.h>
// foreach_target must come before highway.h
#include <hwy/highway.h>

#include "cpu/fft/leaf_texts-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tallcache::cpu::fft::HWY_NAMESPACE {
const CompiledTexts<Leaves<float>::Text>* FloatTexts() { return &texts<float>; }
Index FloatLanes() { return lanes_of<Tag<float>>; }
}  // namespace tallcache::cpu::fft::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tallcache::cpu::fft {
namespace {
HWY_EXPORT(FloatTexts);
HWY_EXPORT(FloatLanes);
}  // namespace

template <>
const Leaves<float>::Texts& leaves<float>() {
  return *HWY_DYNAMIC_DISPATCH(FloatTexts)();
}
template <>
Index lanes<float>() {
  return HWY_DYNAMIC_DISPATCH(FloatLanes)();
}
}  // namespace tallcache::cpu::fft
#endif
