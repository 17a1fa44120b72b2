// Letters as bits: which of a letter's eight bits distinguish the letters of some strings, and rows of
// letters as planes of those bits.
#pragma once

#include "gpu/edit_distance/bit_column.hpp"

namespace tallcache::gpu::edit_distance {

/// The letters of strings, a bit for each of the 256.
struct LetterSet {
  static constexpr int words = (1 << letter_bits) / word_bits;
  Bits has[words];

  /// A least set of the bits of a letter in which any two letters of the set differ. Bits are left out from
  /// the uppermost on, each where no two letters differ in it alone among those that are left.
  TALLCACHE_DEVICE unsigned distinguishing_bits() {
    unsigned kept = 0;
    constexpr int in_word = 5;  // bits that number a letter within a word
#pragma unroll
    for (int b = letter_bits - 1; b >= 0; --b) {
      Bits clash = 0, joined[words];
#pragma unroll
      for (int i = 0; i < words; ++i) {
        if (b >= in_word) {
          const int other = i ^ 1 << (b - in_word);
          const bool lower = i < other;
          if (lower) clash |= has[i] & has[other];
          joined[i] = lower ? has[i] | has[other] : 0;
        } else {
          const int distance = 1 << b;
          const Bits lower = ~Bits{0} / ((Bits{1} << distance) + 1), above = has[i] >> distance;
          clash |= has[i] & above & lower;
          joined[i] = (has[i] | above) & lower;
        }
      }
      if (clash) kept |= 1u << b;
#pragma unroll
      for (int i = 0; i < words; ++i) has[i] = clash ? has[i] : joined[i];
    }
    return kept;
  }
};

/// Calls run(std::integral_constant<int, planes>()) for the least number of planes that holds `needed`, of
/// those for which there is code: of four letters, of proteins' 20, and of all bytes.
template <class Run>
TALLCACHE_INLINE void with_planes(int needed, Run run) {
  if (needed <= 2)
    run(std::integral_constant<int, 2>());
  else if (needed <= 5)
    run(std::integral_constant<int, 5>());
  else
    run(std::integral_constant<int, letter_bits>());
}

/// The codes of letters: `planes` of their bits. Planes beyond those that are needed are zero for any letter.
template <int planes>
struct LetterCodes {
  int bit[planes];

  template <class Thread>
  TALLCACHE_DEVICE LetterCodes(const Thread& t, unsigned distinguishing) {
#pragma unroll
    for (int p = 0; p < planes; ++p) {
      bit[p] = distinguishing ? t.first_set(distinguishing) : letter_bits;
      distinguishing &= distinguishing - 1;
    }
  }

  /// All ones where the letter has bit p of its code.
  TALLCACHE_INLINE Bits mask(Bits letter, int p) const {
    return static_cast<Bits>(static_cast<std::int32_t>(letter << (word_bits - 1 - bit[p])) >>
                             (word_bits - 1));
  }
};

/// The complements of the codes of a lane's rows, `words` words of them.
template <int words, int planes>
struct RowCodes {
  Bits others[words][planes];

  /// The rows whose letter has the column's code.
  TALLCACHE_INLINE void equal(const Bits (&code)[planes], Bits (&rows)[words]) const {
#pragma unroll
    for (int w = 0; w < words; ++w) {
      rows[w] = others[w][0] ^ code[0];
#pragma unroll
      for (int p = 1; p < planes; ++p) rows[w] &= others[w][p] ^ code[p];
    }
  }

  /// Reads the rows of all lanes of the warp together: a lane's `size` rows begin at letter `from` of
  /// `letters`. Rows beyond them get any code.
  template <class Thread, class Letters>
  TALLCACHE_DEVICE void load(const Thread& t, const Letters& letters, std::uint32_t from, int size,
                             const LetterCodes<planes>& codes) {
    const int lane = t.thread().x % warp;
#pragma unroll
    for (int w = 0; w < words; ++w)
#pragma unroll
      for (int p = 0; p < planes; ++p) others[w][p] = 0;
#pragma unroll 1
    for (int owner = 0; owner < warp; ++owner) {
      const std::uint32_t begin = t.shuffle(from, owner);
      const int rows = t.shuffle(size, owner);
      if (rows <= 0) continue;
      Bits letter[words];
#pragma unroll
      for (int w = 0; w < words; ++w) {
        const int row = w * word_bits + lane;
        letter[w] = row < rows ? static_cast<std::uint8_t>(letters[begin + row]) : 0;
      }
#pragma unroll
      for (int w = 0; w < words; ++w)
#pragma unroll
        for (int p = 0; p < planes; ++p) {
          const Bits plane = t.ballot(letter[w] >> codes.bit[p] & 1);
          if (lane == owner) others[w][p] = ~plane;
        }
    }
  }
};

}  // namespace tallcache::gpu::edit_distance
