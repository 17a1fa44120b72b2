// The leaves of transforms of double numbers.
#include "cpu/fft/fft_leaves.hpp"

#include "cpu/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/fft/leaves_double.cpp"
#include <hwy/foreach_target.h>
// foreach_target must come before highway.h
#include <hwy/highway.h>

#include "cpu/fft/leaf_texts-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tallcache::cpu::fft::HWY_NAMESPACE {
std::span<const Leaves<double>::Texts> DoubleTexts() { return texts<double>; }
}  // namespace tallcache::cpu::fft::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tallcache::cpu::fft {
namespace {
HWY_EXPORT(DoubleTexts);
}  // namespace

template <>
std::span<const Leaves<double>::Texts> leaves<double>() {
  return HWY_DYNAMIC_DISPATCH(DoubleTexts)();
}
}  // namespace tallcache::cpu::fft
#endif
