// One column of a tableau whose cells are bits: the differences between neighbouring cells, 32 rows to a
// word, several words to a thread (Myers 1999; Hyyrö 2003; for common subsequences Crochemore et al. 2001).
// Rows run from the lowest bit of word 0 upwards.
#pragma once

#include <cstdint>

#include "gpu/on_gpu.hpp"

namespace tallcache::gpu::edit_distance {

using Bits = std::uint32_t;
inline constexpr int word_bits = 32, warp = 32;
/// The bits of a letter.
inline constexpr int letter_bits = 8;

/// sum = x + y + carry as numbers of `words` words, the lowest first; returns the carry out of them. Carries
/// are 0 or 1.
template <int words>
TALLCACHE_INLINE Bits add_words(Bits (&sum)[words], const Bits (&x)[words], const Bits (&y)[words],
                                Bits carry) {
#ifdef __CUDA_ARCH__
  // The compiler makes a comparison of each carry; these keep it in the flag.
  asm volatile("{ .reg .u32 none; add.cc.u32 none, %0, 0xffffffff; }" ::"r"(carry));
#pragma unroll
  for (int w = 0; w < words; ++w)
    asm volatile("addc.cc.u32 %0, %1, %2;" : "=r"(sum[w]) : "r"(x[w]), "r"(y[w]));
  asm volatile("addc.u32 %0, 0, 0;" : "=r"(carry));
#else
  for (int w = 0; w < words; ++w) {
    const std::uint64_t wide = std::uint64_t{x[w]} + y[w] + carry;
    sum[w] = static_cast<Bits>(wide), carry = static_cast<Bits>(wide >> word_bits);
  }
#endif
  return carry;
}

/// The same where no carry comes in and none is wanted.
template <int words>
TALLCACHE_INLINE void add_words(Bits (&sum)[words], const Bits (&x)[words], const Bits (&y)[words]) {
#ifdef __CUDA_ARCH__
  if constexpr (words == 1) {
    sum[0] = x[0] + y[0];
  } else {
    asm volatile("add.cc.u32 %0, %1, %2;" : "=r"(sum[0]) : "r"(x[0]), "r"(y[0]));
#pragma unroll
    for (int w = 1; w < words - 1; ++w)
      asm volatile("addc.cc.u32 %0, %1, %2;" : "=r"(sum[w]) : "r"(x[w]), "r"(y[w]));
    asm volatile("addc.u32 %0, %1, %2;" : "=r"(sum[words - 1]) : "r"(x[words - 1]), "r"(y[words - 1]));
  }
#else
  add_words(sum, x, y, 0);
#endif
}

/// Whether the value on the border below rises and falls, column by column: the uppermost bit is the first
/// column's where borders come in, the lowest the last one's where they go out.
struct Border {
  Bits rise = 0, fall = 0;

  /// After `columns` columns, from how a border goes out to how it comes in.
  TALLCACHE_INLINE void align(int columns) {
    rise <<= word_bits - columns;
    fall <<= word_bits - columns;
  }
};

TALLCACHE_INLINE Bits popcount(Bits word) {
#ifdef __CUDA_ARCH__
  return __popc(word);
#else
  return static_cast<Bits>(std::popcount(word));
#endif
}

/// word << 1, and the uppermost bit of `below`.
TALLCACHE_INLINE Bits shifted(Bits word, Bits below) { return word << 1 | below >> (word_bits - 1); }

/// The rows of `words` words, of which a lane's first is `first`, that lie before `rows`.
TALLCACHE_INLINE Bits used_rows(Index first, Index rows) {
  return rows <= first ? 0 : rows - first >= word_bits ? ~Bits{0} : (Bits{1} << (rows - first)) - 1;
}

/// The edit distances: whether a cell is one more than that above it, and whether it is one less.
template <int word_count>
struct DistanceColumn {
  static constexpr int words = word_count;
  /// Along the topmost border the distance grows with each letter.
  static constexpr Bits top_rise = ~Bits{0};

  Bits rise[words], fall[words];

  TALLCACHE_INLINE void begin() {
#pragma unroll
    for (int w = 0; w < words; ++w) rise[w] = ~Bits{0}, fall[w] = 0;
  }

  /// Advances by a column. `equal`: the rows of the column's letter.
  TALLCACHE_INLINE void step(const Bits (&equal)[words], Border& in, Border& out) {
    Bits matched[words], masked[words], sum[words];
#pragma unroll
    for (int w = 0; w < words; ++w) {
      matched[w] = w ? equal[w] : equal[w] | in.fall >> (word_bits - 1);
      masked[w] = matched[w] & rise[w];
    }
    add_words(sum, masked, rise);
    Border below = in;
#pragma unroll
    for (int w = 0; w < words; ++w) {
      const Bits diagonal = (sum[w] ^ rise[w]) | matched[w], across = equal[w] | fall[w];
      const Border along{fall[w] | ~(diagonal | rise[w]), rise[w] & diagonal};
      const Bits rises = shifted(along.rise, below.rise), falls = shifted(along.fall, below.fall);
      rise[w] = falls | ~(across | rises);
      fall[w] = rises & across;
      below = along;
    }
    out = {shifted(out.rise, below.rise), shifted(out.fall, below.fall)};
    in.rise <<= 1, in.fall <<= 1;
  }

  /// What the rows before `rows` add to the value at the top of the column; the first row is `first`.
  TALLCACHE_INLINE int height(Index first, Index rows) const {
    int sum = 0;
#pragma unroll
    for (int w = 0; w < words; ++w) {
      const Bits used = used_rows(first + w * word_bits, rows);
      sum += static_cast<int>(popcount(rise[w] & used)) - static_cast<int>(popcount(fall[w] & used));
    }
    return sum;
  }
  static constexpr int top(Index columns) { return static_cast<int>(columns); }
};

/// The lengths of longest common subsequences: whether a cell is that above it.
template <int word_count>
struct SubsequenceColumn {
  static constexpr int words = word_count;
  /// Along the topmost border no letter is common. A border rises by the carry out of the rows above it.
  static constexpr Bits top_rise = 0;

  Bits flat[words];

  TALLCACHE_INLINE void begin() {
#pragma unroll
    for (int w = 0; w < words; ++w) flat[w] = ~Bits{0};
  }

  TALLCACHE_INLINE void step(const Bits (&equal)[words], Border& in, Border& out) {
    Bits matched[words], sum[words];
#pragma unroll
    for (int w = 0; w < words; ++w) matched[w] = flat[w] & equal[w];
    out.rise = out.rise << 1 | add_words(sum, flat, matched, in.rise >> (word_bits - 1));
#pragma unroll
    for (int w = 0; w < words; ++w) flat[w] = sum[w] | (flat[w] & ~equal[w]);
    in.rise <<= 1;
  }

  TALLCACHE_INLINE int height(Index first, Index rows) const {
    int sum = 0;
#pragma unroll
    for (int w = 0; w < words; ++w)
      sum += static_cast<int>(popcount(~flat[w] & used_rows(first + w * word_bits, rows)));
    return sum;
  }
  static constexpr int top(Index) { return 0; }
};

}  // namespace tallcache::gpu::edit_distance
