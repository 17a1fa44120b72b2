// A tableau of which the borders of its blocks are kept alone, as bits: O(m + n) words. A block replaces the
// differences along its top and left border by those along its bottom and right border, in place, as the
// recursion of Chowdhury and Ramachandran 2006 does with numbers. Cells off a band of diagonals are left out:
// the distance is found when it is within the band's threshold, which grows until it is (Ukkonen 1985).
#pragma once

#include "common/variant.hpp"
#include "cpu/edit_distance/encoded_pair.hpp"

namespace tallcache::cpu::edit_distance {

/// The diagonals column - row from `least` to `most`.
struct Band {
  Index least, most;

  /// Those that a path of at most `threshold` insertions and deletions may enter in a tableau of m rows and n
  /// columns; threshold >= |n - m|.
  Band(Index m, Index n, Index threshold)
      : least(std::min<Index>(0, n - m) - (threshold - std::abs(n - m)) / 2),
        most(std::max<Index>(0, n - m) + (threshold - std::abs(n - m)) / 2) {}

  /// Whether a block has none of them.
  bool misses(Index i, Index j, Index height, Index width) const {
    return j + width - 1 - i < least || j - (i + height - 1) > most;
  }
};

template <class Recurrence, class Access>
class BitTableau {
 public:
  Index m, n;

  /// The tableau of the letters of `a` down its rows and of `b` along its columns.
  template <class Fork, class A, class B>
  BitTableau(Fork& fork, const Alphabet& alphabet, A a, B b, bool backward, Scratch<Access>& scratch)
      : m(a.size),
        n(b.size),
        rows_(scratch.template matrix<Word>(code_planes(alphabet.planes), column_words(m))),
        down_(scratch.template matrix<Word>(Recurrence::planes, column_words(m))),
        along_(scratch.template matrix<Word>(Recurrence::planes, ceil_div(n, word_bits))),
        columns_(scratch.template vector<std::uint8_t>(n)) {
    encode(fork, alphabet, a, b, backward, rows_, columns_);
  }

  static std::size_t bytes(Index m, Index n) {
    const auto words = static_cast<std::size_t>(column_words(m)), size = static_cast<std::size_t>(n);
    return scratch_bytes({most_planes * words * sizeof(Word), Recurrence::planes * words * sizeof(Word),
                          Recurrence::planes * (size / word_bits + 1) * sizeof(Word), size});
  }

  /// Begins anew: on the borders, and where the band's cells have neighbours outside, no letters match.
  template <class Fork>
  void reset(Fork& fork) const {
    constexpr Index block = 4096;
    for (const auto& [border, start] : {std::pair{down_, Recurrence::down}, {along_, Recurrence::along}})
      for (int p = 0; p < Recurrence::planes; ++p) {
        const auto plane = row_of(border, p);
        loop_blocks(fork, plane.size, block, [plane, bits = start[p]](Index begin, Index end) {
          for (Index w = begin; w < end; ++w) plane[w] = bits;
        });
      }
  }

  /// Computes a block's cells of the band; i is a multiple of stripe_rows, j one of 64.
  void block(const Band& band, Index i, Index j, Index height, Index width) const {
    const Index word = i / word_bits, words = column_words(height);
    CompiledApart<Access> apart(down_.access());
    bit_kernel<Recurrence>()
        .text.under(apart.policy())
        .block({.rows = rows_.data + word,
                .rows_ld = rows_.ld,
                .columns = columns_.data + j,
                .down = down_.data + word,
                .along = along_.data + j / word_bits,
                .down_ld = down_.ld,
                .along_ld = along_.ld,
                .words = words,
                .width = width,
                .least = band.least + i - j,
                .most = band.most + i - j},
               static_cast<int>(rows_.rows), apart.policy());
  }

  /// The distance that the last column shows behind its first `rows` rows.
  Index distance(Index rows) const {
    Index sum = 0;
    for (Index i = 0; i < rows; i += word_bits) {
      const Word used = rows - i >= word_bits ? ~Word{0} : (Word{1} << (rows - i)) - 1,
                 first = down_(0, i / word_bits);
      if constexpr (Recurrence::planes == 2)
        sum += std::popcount(first & used) - std::popcount(Word(down_(1, i / word_bits)) & used);
      else
        sum += std::popcount(~first & used);
    }
    return Recurrence::planes == 2 ? n + sum : rows + n - 2 * sum;
  }

  /// distance(i + 1) - distance(i).
  Index step(Index i) const {
    const auto bit = [&](int p) {
      return static_cast<Index>(Word(down_(p, i / word_bits)) >> i % word_bits & 1);
    };
    if constexpr (Recurrence::planes == 2)
      return bit(0) - bit(1);
    else
      return 2 * bit(0) - 1;
  }

 private:
  MatrixView<Word, Access> rows_, down_, along_;
  VectorView<std::uint8_t, Access> columns_;
};

/// By quadrants: the first, then the two that depend on it alone side by side, then the last. It has no cache
/// parameter. A block with no side above `base` is a leaf.
template <class Fork, class Tableau>
void by_quadrants(Fork& fork, const Tableau& t, const Band& band, Index base, Index i, Index j, Index height,
                  Index width) {
  if (height == 0 || width == 0 || band.misses(i, j, height, width)) return;
  const bool tall = height > std::max(base, stripe_rows), wide = width > std::max(base, word_bits);
  if (!tall && !wide) return t.block(band, i, j, height, width);
  const auto half = [](Index size, Index unit) { return ceil_div(size / 2, unit) * unit; };
  const Index top = tall ? half(height, stripe_rows) : height, left = wide ? half(width, word_bits) : width;
  const auto quadrant = [&, band](Index down, Index along, Index rows, Index cols) {
    by_quadrants(fork, t, band, base, i + down, j + along, rows, cols);
  };
  quadrant(0, 0, top, left);
  fork([&] { quadrant(0, left, top, width - left); }, [&] { quadrant(top, 0, height - top, left); });
  quadrant(top, left, height - top, width - left);
}

/// By tiles, those of an anti-diagonal side by side.
template <class Fork, class Tableau>
void by_tiles(Fork& fork, const Tableau& t, const Band& band, Index tile) {
  const Index height = ceil_div(tile, stripe_rows) * stripe_rows,
              width = ceil_div(tile, word_bits) * word_bits;
  const Index rows = ceil_div(t.m, height), cols = ceil_div(t.n, width);
  for (Index diagonal = 0; diagonal < rows + cols - 1; ++diagonal) {
    const auto misses = [&](Index row) {
      return band.misses(row * height, (diagonal - row) * width, height, width);
    };
    Index first = std::max<Index>(0, diagonal - cols + 1), last = std::min(rows, diagonal + 1);
    while (first < last && misses(first)) ++first;
    while (first < last && misses(last - 1)) --last;
    fork.loop(first, last, 1, [&, diagonal](Index row) {
      const Index i = row * height, j = (diagonal - row) * width;
      t.block(band, i, j, std::min(height, t.m - i), std::min(width, t.n - j));
    });
  }
}

/// The strings without their common first and last letters, and the numbers of these.
template <class A, class B>
struct Trimmed {
  A a;
  B b;
  Index first = 0, last = 0;

  Trimmed(A with_a, B with_b) : a(with_a), b(with_b) {
    const Index most = std::min(a.size, b.size);
    while (first < most && a[first] == b[first]) ++first;
    while (last < most - first && a[a.size - 1 - last] == b[b.size - 1 - last]) ++last;
    a = a.block(first, a.size - first - last);
    b = b.block(first, b.size - first - last);
  }
};

/// The first threshold of the band: below it a band is hardly narrower, as it is computed in stripes.
inline constexpr Index first_threshold = 512;

/// The least distance that `find(threshold)` shows to be one: it returns the distance where that is at most
/// the threshold, and else one that is not below it.
template <class Find>
Index widen_band(Index m, Index n, Find find) {
  // A narrow band of similar strings finds a distance that is the least one or near it: the next threshold.
  constexpr Index near = 8, growth = 4;
  for (Index threshold = std::abs(n - m) + first_threshold;;) {
    const Index found = find(threshold);
    if (found <= threshold) return found;
    threshold = found <= near * threshold ? found : growth * threshold;
  }
}

/// The distance of two strings: `walk(tableau, band)` computes the band's cells.
template <class Recurrence, class Fork, class A, class B, class Access, class Walk>
Index distance_in_band(Fork& fork, A with_a, B with_b, Scratch<Access> scratch, Walk walk) {
  const auto trimmed = Trimmed<A, B>(with_a, with_b);
  // Rows are computed in stripes: the longer string has the less of a stripe that is not used.
  const bool swapped = trimmed.a.size < trimmed.b.size;
  const auto a = swapped ? trimmed.b : trimmed.a, b = swapped ? trimmed.a : trimmed.b;
  if (b.size == 0) return a.size;
  const Alphabet alphabet(a, b);
  const BitTableau<Recurrence, Access> tableau(fork, alphabet, a, b, false, scratch);
  return widen_band(a.size, b.size, [&](Index threshold) {
    tableau.reset(fork);
    walk(tableau, Band(a.size, b.size, threshold));
    return tableau.distance(a.size);
  });
}

}  // namespace tallcache::cpu::edit_distance
