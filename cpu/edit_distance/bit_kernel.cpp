#include "cpu/edit_distance/bit_kernel.hpp"

#include <algorithm>

#include "cpu/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/edit_distance/bit_kernel.cpp"
#include <hwy/foreach_target.h>
// foreach_target must come before highway.h
#include <hwy/highway.h>

#include "cpu/edit_distance/bit_steps-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tallcache::cpu::edit_distance::HWY_NAMESPACE {

/// A step depends on the one before it, and the vectors of a group do not depend on each other: four of them
/// fill the processor. Their words are more rows than a narrow band wants, and with long codes they do not
/// fit the registers; two vectors are taken then.
constexpr int few = 2, many = 4;
static_assert(stripe_words % (few * lanes) == 0 && 2 * stripe_words % (many * lanes) == 0);

/// Letters of the columns as masks: each bit of the code as a word of that bit, the last column first. A
/// step's words take them from one place on: the one below is a column behind.
template <int code_planes>
struct Letters {
  static constexpr Index chunk = code_planes > 4 ? 512 : 1024, pad = many * lanes;
  alignas(64) Word masks[code_planes][chunk + 2 * pad];

  /// The masks of column `column` for the first word, and of those before it for the others.
  HWY_INLINE const Word* at(int plane, Index column) const { return masks[plane] + pad + chunk - 1 - column; }

  template <class Access>
  HWY_INLINE void expand(const std::uint8_t* codes, Index begin, Index end, Access access) {
    for (int plane = 0; plane < code_planes; ++plane)
      for (Index i = 0; i < pad; ++i)
        masks[plane][pad + chunk - 1 - end - i] = masks[plane][pad + chunk - begin + i] = 0;
    for (Index column = begin; column < end; ++column) {
      const Word code = std::uint8_t(access.at(codes + column));
      for (int plane = 0; plane < code_planes; ++plane)
        masks[plane][pad + chunk - 1 - column] = ~((code >> plane & 1) - 1);
    }
  }
};

/// Some vectors of words of rows on their way along the columns.
template <class Recurrence, int code_planes, int vectors>
class Group {
  static constexpr int planes = Recurrence::planes;

 public:
  template <class Access>
  HWY_INLINE Group(const BitBlock& block, Index word, Access access) {
    for (int r = 0; r < vectors; ++r) {
      for (int p = 0; p < code_planes; ++p)
        others_[r][p] = ~load(load_n(access, block.rows + p * block.rows_ld + word + r * lanes, lanes));
      for (int p = 0; p < planes; ++p)
        down_[r][p] = load(load_n(access, block.down + p * block.down_ld + word + r * lanes, lanes));
      for (int p = 0; p < planes; ++p) passed_[r][p] = V{};
    }
    for (int p = 0; p < planes; ++p) above_[p] = below_[p] = V{};
  }

  template <class Access>
  HWY_INLINE void finish(const BitBlock& block, Index word, Access access) const {
    for (int r = 0; r < vectors; ++r)
      for (int p = 0; p < planes; ++p)
        store(down_[r][p], store_n(access, block.down + p * block.down_ld + word + r * lanes, lanes));
  }

  /// The differences along the top border of the next 64 columns.
  HWY_INLINE void set_above(int plane, Word bits) { above_[plane] = V{} + bits; }
  /// Those along the bottom border of the last 64 columns.
  HWY_INLINE Word below(int plane) const { return below_[plane][lanes - 1]; }

  /// Steps [from, to). In step s word w is in column first + s - w, which it has where that is from 0 up to
  /// `width`: with `partly`, the others stay as they are.
  template <bool partly>
  HWY_INLINE void steps(const Letters<code_planes>& letters, Index first, Index width, Index from, Index to) {
    for (Index s = from; s < to; ++s) {
#pragma GCC unroll 4
      for (int r = vectors - 1; r >= 0; --r) {
        V in[planes], out[planes], next[planes];
        for (int p = 0; p < planes; ++p)
          in[p] = slide(r ? passed_[r ? r - 1 : 0][p] : above_[p], passed_[r][p]);
        V equal = others_[r][0] ^ load(letters.at(0, first + s) + r * lanes);
#pragma GCC unroll 8
        for (int p = 1; p < code_planes; ++p)
          equal &= others_[r][p] ^ load(letters.at(p, first + s) + r * lanes);
        step(Recurrence{}, equal, down_[r], in, out, next);
        for (int p = 0; p < planes; ++p) {
          passed_[r][p] = out[p];
          if constexpr (partly) {
            const V taken = between(r * lanes, s - width, s);
            down_[r][p] = (next[p] & taken) | (down_[r][p] & ~taken);
          } else {
            down_[r][p] = next[p];
          }
        }
      }
      for (int p = 0; p < planes; ++p) {
        above_[p] = above_[p] + above_[p];
        below_[p] = below_[p] + below_[p] + (passed_[vectors - 1][p] >> 63);
      }
    }
  }

 private:
  V others_[vectors][code_planes];  ///< the complements of the letters' codes
  V down_[vectors][planes];
  V passed_[vectors][planes];  ///< the differences along the bottom of each word, in its uppermost bit
  V above_[planes], below_[planes];
};

/// Columns [begin, end) of the words from `word` on; `begin` is a multiple of 64.
template <class Recurrence, int vectors, int code_planes, class Access>
HWY_NOINLINE void RunGroup(const BitBlock& block, const Letters<code_planes>& letters, Index word,
                           Word* along, Index begin, Index end, Access access) {
  constexpr Index behind = vectors * lanes - 1;
  const Index width = end - begin, last = width + behind;
  Group<Recurrence, code_planes, vectors> group(block, word, access);
  const auto flush = [&](Index column, Index unused) HWY_ATTR {
    for (int p = 0; p < Recurrence::planes; ++p)
      access.at(along + p * block.along_ld + column / word_bits) = group.below(p) << unused;
  };
  for (Index s = 0; s < last;) {
    if (s % word_bits == 0 && s < width)
      for (int p = 0; p < Recurrence::planes; ++p)
        group.set_above(p, access.at(along + p * block.along_ld + (begin + s) / word_bits));
    Index to = std::min(
        {last, (s / word_bits + 1) * word_bits, (s - behind + word_bits) / word_bits * word_bits + behind});
    if (s < behind || s >= width) {
      group.template steps<true>(letters, begin, width, s, to);
    } else {
      to = std::min(to, width);
      group.template steps<false>(letters, begin, width, s, to);
    }
    s = to;
    if (s > behind && (s - behind) % word_bits == 0) flush(begin + s - behind - 1, 0);
  }
  if (width % word_bits) flush(end - 1, word_bits - width % word_bits);
  group.finish(block, word, access);
}

/// The columns of some words of rows that are wanted, from a multiple of 64 on, in `width` columns from
/// `first` on.
struct Wanted {
  Index begin, end;

  Wanted(const BitBlock& block, Index word, Index words, Index first, Index width) {
    const Index least = word * word_bits + block.least - first,
                most = (word + words) * word_bits + block.most - first;
    begin = std::clamp<Index>(least, 0, width) / word_bits * word_bits;
    end = std::min(width, (std::clamp<Index>(most, 0, width) + word_bits - 1) / word_bits * word_bits);
  }
};

template <class Recurrence, int code_planes, class Access>
void Block(const BitBlock& block, Access access) {
  constexpr Index chunk = Letters<code_planes>::chunk;
  const bool wide = code_planes <= 3 && block.most - block.least > 4 * stripe_rows;
  Letters<code_planes> letters;
  for (Index c = 0; c < block.width; c += chunk) {
    const Index width = std::min(chunk, block.width - c);
    Word* const along = block.along + c / word_bits;
    const Index begin = Wanted(block, 0, stripe_words, c, width).begin,
                end = Wanted(block, block.words - stripe_words, stripe_words, c, width).end;
    if (begin >= end) continue;
    letters.expand(block.columns + c, begin, end, access);
    for (Index word = 0; word < block.words;) {
      const bool two = wide && block.words - word >= 2 * stripe_words;
      const Index words = two ? 2 * stripe_words : stripe_words;
      const Wanted wanted(block, word, words, c, width);
      const Index group = (two ? many : few) * lanes;
      for (Index w = word; w < word + words && wanted.begin < wanted.end; w += group)
        if (two)
          RunGroup<Recurrence, many>(block, letters, w, along, wanted.begin, wanted.end, access);
        else
          RunGroup<Recurrence, few>(block, letters, w, along, wanted.begin, wanted.end, access);
      word += words;
    }
  }
}

template <class Recurrence, class Access>
void AnyBlock(const BitBlock& block, int planes, Access access) {
  if (planes == 2) return Block<Recurrence, 2>(block, access);
  if (planes == 3) return Block<Recurrence, 3>(block, access);
  if (planes == 5) return Block<Recurrence, 5>(block, access);
  Block<Recurrence, most_planes>(block, access);
}

template <class Recurrence>
const BitKernel<Recurrence>* Kernel() {
  static constexpr BitKernel<Recurrence> kernel{
      .text = {{&AnyBlock<Recurrence, Plain>}, {&AnyBlock<Recurrence, Traced<AnySink>>}}};
  return &kernel;
}
const BitKernel<Levenshtein>* KernelLevenshtein() { return Kernel<Levenshtein>(); }
const BitKernel<CommonSubsequence>* KernelCommonSubsequence() { return Kernel<CommonSubsequence>(); }

}  // namespace tallcache::cpu::edit_distance::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tallcache::cpu::edit_distance {

HWY_EXPORT(KernelLevenshtein);
HWY_EXPORT(KernelCommonSubsequence);

template <>
const BitKernel<Levenshtein>& bit_kernel<Levenshtein>() {
  return *HWY_DYNAMIC_DISPATCH(KernelLevenshtein)();
}
template <>
const BitKernel<CommonSubsequence>& bit_kernel<CommonSubsequence>() {
  return *HWY_DYNAMIC_DISPATCH(KernelCommonSubsequence)();
}

}  // namespace tallcache::cpu::edit_distance
#endif
