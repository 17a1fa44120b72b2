#include "cpu/edit_distance/pairs_kernel.hpp"

#include <algorithm>

#include "cpu/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/edit_distance/pairs_kernel.cpp"
#include <hwy/foreach_target.h>
// foreach_target must come before highway.h
#include <hwy/highway.h>

#include "cpu/edit_distance/bit_steps-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tallcache::cpu::edit_distance::HWY_NAMESPACE {
static_assert(lanes <= most_lanes);

template <class Recurrence, int code_planes, class Access>
void Columns(const PairsInLanes& pairs, Access access) {
  constexpr int planes = Recurrence::planes;
  for (Index j = pairs.begin; j < pairs.end; ++j) {
    V codes, letters[code_planes];
    const std::uint8_t* const column = load_n(access, pairs.columns + j * lanes, lanes);
    for (int l = 0; l < lanes; ++l) codes[l] = column[l];
#pragma GCC unroll 8
    for (int p = 0; p < code_planes; ++p) letters[p] = V{} - (codes >> p & 1);
    V in[planes], out[planes], next[planes], down[planes];
    for (int p = 0; p < planes; ++p) in[p] = V{} + Recurrence::along[p];
    // Words above the band stay as they are, and those below it begin later.
    const Index first = std::max<Index>(0, j - pairs.most) / word_bits,
                last = std::min(pairs.words - 1, (j - pairs.least) / word_bits);
    for (Index w = first; w <= last; ++w) {
      const Word* const others = pairs.others + w * code_planes * lanes;
      Word* const words = pairs.down + w * planes * lanes;
      for (int p = 0; p < planes; ++p) down[p] = load(load_n(access, words + p * lanes, lanes));
      V equal = load(load_n(access, others, lanes)) ^ letters[0];
#pragma GCC unroll 8
      for (int p = 1; p < code_planes; ++p)
        equal &= load(load_n(access, others + p * lanes, lanes)) ^ letters[p];
      step(Recurrence{}, equal, down, in, out, next);
      for (int p = 0; p < planes; ++p) {
        store(next[p], store_n(access, words + p * lanes, lanes));
        in[p] = out[p];
      }
    }
  }
}

template <class Recurrence, class Access>
void AnyColumns(const PairsInLanes& pairs, int planes, Access access) {
  if (planes == 2) return Columns<Recurrence, 2>(pairs, access);
  if (planes == 3) return Columns<Recurrence, 3>(pairs, access);
  if (planes == 5) return Columns<Recurrence, 5>(pairs, access);
  Columns<Recurrence, most_planes>(pairs, access);
}

template <class Recurrence>
const PairsKernel<Recurrence>* KernelOfPairs() {
  static constexpr PairsKernel<Recurrence> kernel{
      .text = {{&AnyColumns<Recurrence, Plain>}, {&AnyColumns<Recurrence, Traced<AnySink>>}}, .lanes = lanes};
  return &kernel;
}
const PairsKernel<Levenshtein>* PairsLevenshtein() { return KernelOfPairs<Levenshtein>(); }
const PairsKernel<CommonSubsequence>* PairsCommonSubsequence() { return KernelOfPairs<CommonSubsequence>(); }

}  // namespace tallcache::cpu::edit_distance::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tallcache::cpu::edit_distance {

HWY_EXPORT(PairsLevenshtein);
HWY_EXPORT(PairsCommonSubsequence);

template <>
const PairsKernel<Levenshtein>& pairs_kernel<Levenshtein>() {
  return *HWY_DYNAMIC_DISPATCH(PairsLevenshtein)();
}
template <>
const PairsKernel<CommonSubsequence>& pairs_kernel<CommonSubsequence>() {
  return *HWY_DYNAMIC_DISPATCH(PairsCommonSubsequence)();
}

}  // namespace tallcache::cpu::edit_distance
#endif
