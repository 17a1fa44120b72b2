// One step of the bit-parallel recurrences in vectors of words, for the target that Highway compiles.
#include <cstdint>
#include <cstring>

#include "cpu/edit_distance/bit_kernel.hpp"

#if defined(TALLCACHE_BIT_STEPS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TALLCACHE_BIT_STEPS_INL_H
#undef TALLCACHE_BIT_STEPS_INL_H
#else
#define TALLCACHE_BIT_STEPS_INL_H
#endif

HWY_BEFORE_NAMESPACE();
namespace tallcache::cpu::edit_distance::HWY_NAMESPACE {

#if HWY_TARGET == HWY_AVX3
constexpr int lanes = 8;
#elif HWY_TARGET == HWY_AVX2
constexpr int lanes = 4;
#else
constexpr int lanes = 2;
#endif
/// Words: gcc's vectors, whose logic it joins to instructions of three operands.
typedef Word V __attribute__((vector_size(lanes * sizeof(Word))));

HWY_INLINE V load(const Word* from) {
  V v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
HWY_INLINE void store(const V& v, Word* to) { std::memcpy(to, &v, sizeof v); }

/// The last lane of `before`, and all of `v` but its last lane.
HWY_INLINE V slide(const V& before, const V& v) {
#if HWY_TARGET == HWY_AVX3
  return (V)_mm512_alignr_epi64((__m512i)v, (__m512i)before, 7);
#elif HWY_TARGET == HWY_AVX2
  return __builtin_shufflevector(before, v, 3, 4, 5, 6);
#else
  return __builtin_shufflevector(before, v, 1, 2);
#endif
}

/// All ones in the lanes l with above < first + l <= last.
HWY_INLINE V between(Index first, Index above, Index last) {
  typedef Index Lane __attribute__((vector_size(lanes * sizeof(Index))));
  Lane lane;
  for (int l = 0; l < lanes; ++l) lane[l] = l;
  lane += first;
  return (V)((lane > above) & (lane <= last));
}

// Logic with a complement, which gcc does not join to one instruction of AVX-512.
#if HWY_TARGET == HWY_AVX3
template <int truth>
HWY_INLINE V logic(const V& a, const V& b, const V& c) {
  return (V)_mm512_ternarylogic_epi64((__m512i)a, (__m512i)b, (__m512i)c, truth);
}
HWY_INLINE V or_nor(const V& a, const V& b, const V& c) { return logic<0xf1>(a, b, c); }
HWY_INLINE V or_or_not(const V& a, const V& b, const V& c) { return logic<0xfd>(a, b, c); }
#else
/// a | ~(b | c)
HWY_INLINE V or_nor(const V& a, const V& b, const V& c) { return a | ~(b | c); }
/// a | b | ~c
HWY_INLINE V or_or_not(const V& a, const V& b, const V& c) { return a | b | ~c; }
#endif

/// A column of words: `down` are the differences down them before, `next` behind the column. The uppermost
/// bits of `in` are the differences along their top borders, those of `out` along their bottom borders.
HWY_INLINE void step(Levenshtein, const V& equal, const V* down, const V* in, V* out, V* next) {
  const V rise = down[0], fall = down[1], in_rise = in[0] >> 63, in_fall = in[1] >> 63;
  const V across = equal | fall, matched = equal | in_fall;
  const V diagonal = (((matched & rise) + rise) ^ rise) | matched;
  out[0] = or_nor(fall, diagonal, rise);
  out[1] = rise & diagonal;
  const V rises = out[0] + out[0], falls = out[1] + out[1];
  next[0] = or_or_not(falls, in_fall, across | rises | in_rise);
  next[1] = (rises | in_rise) & across;
}

HWY_INLINE void step(CommonSubsequence, const V& equal, const V* down, const V* in, V* out, V* next) {
  const V flat = down[0], matched = flat & equal;
  const V sum = flat + matched + (in[0] >> 63);
  out[0] = matched | (flat & ~sum);
  next[0] = sum | (flat & ~equal);
}

}  // namespace tallcache::cpu::edit_distance::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
