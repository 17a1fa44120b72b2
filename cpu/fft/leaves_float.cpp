// The leaves of transforms of float numbers.
#include "cpu/fft/fft_leaves.hpp"

#include "cpu/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/fft/leaves_float.cpp"
#include <hwy/foreach_target.h>
// foreach_target must come before highway.h
#include <hwy/highway.h>

#include "cpu/fft/leaf_texts-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tallcache::cpu::fft::HWY_NAMESPACE {
std::span<const Leaves<float>::Texts> FloatTexts() { return texts<float>; }
}  // namespace tallcache::cpu::fft::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tallcache::cpu::fft {
namespace {
HWY_EXPORT(FloatTexts);
}  // namespace

template <>
std::span<const Leaves<float>::Texts> leaves<float>() {
  return HWY_DYNAMIC_DISPATCH(FloatTexts)();
}
}  // namespace tallcache::cpu::fft
#endif
