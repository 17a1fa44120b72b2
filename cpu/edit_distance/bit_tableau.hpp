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

/// A tableau is cut into `ways` x `ways` blocks, each of them likewise. A side of at most `base` is not cut,
/// and no piece of a side is shorter.
struct Blocks {
  Index base, ways;
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

  /// Computes the cells of the band. On the borders, and where its cells have neighbours outside, no letters
  /// match.
  template <class Fork>
  void fill(Fork& fork, const Band& band, const Blocks& blocks) const {
    reset(fork);
    by_blocks(fork, *this, band, blocks, 0, 0, m, n);
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

  MatrixView<Word, Access> rows_, down_, along_;
  VectorView<std::uint8_t, Access> columns_;
};

/// An anti-diagonal of blocks after another, its own side by side. Two ways are the quadrants of Chowdhury
/// and Ramachandran 2006; more have a shorter span (2008).
template <class Fork, class Tableau>
void by_blocks(Fork& fork, const Tableau& t, const Band& band, const Blocks& blocks, Index i, Index j,
               Index height, Index width) {
  const auto piece = [&](Index side, Index unit) {
    return ceil_div(std::max(blocks.base, ceil_div(side, blocks.ways)), unit) * unit;
  };
  const Index rows = piece(height, stripe_rows), cols = piece(width, word_bits);
  if (height <= rows && width <= cols) return t.block(band, i, j, height, width);
  const Index down = ceil_div(height, rows), along = ceil_div(width, cols);
  for (Index diagonal = 0; diagonal < down + along - 1; ++diagonal) {
    const auto misses = [&](Index row) {
      return band.misses(i + row * rows, j + (diagonal - row) * cols, rows, cols);
    };
    Index first = std::max<Index>(0, diagonal - along + 1), last = std::min(down, diagonal + 1);
    while (first < last && misses(first)) ++first;
    while (first < last && misses(last - 1)) --last;
    fork.loop(first, last, 1, [&, diagonal](Index row) {
      const Index top = row * rows, left = (diagonal - row) * cols;
      by_blocks(fork, t, band, blocks, i + top, j + left, std::min(rows, height - top),
                std::min(cols, width - left));
    });
  }
}

/// The threshold of the band behind one that found a distance beyond its own. That band takes four times as
/// long; or it is that of the distance found, where it takes eight times as long at most: a narrow band often
/// finds the least one. `unit` rows are computed together: a band takes as long as one without waste that is
/// wider by two of them.
inline Index next_threshold(Index threshold, Index found, Index unit) {
  constexpr Index growth = 4, last_growth = 8;
  const auto longer = [&](Index times) { return times * (threshold + 2 * unit) - 2 * unit; };
  return found <= longer(last_growth) ? found : longer(growth);
}

/// The least distance that `find(threshold)` shows to be one: it returns the distance where that is at most
/// the threshold, and else one that is not below it.
template <class Find>
Index widen_band(Index m, Index n, Find find) {
  constexpr Index first_threshold = 512;  // below it a band is hardly narrower, as it is computed in stripes
  for (Index threshold = std::abs(n - m) + first_threshold;;) {
    const Index found = find(threshold);
    if (found <= threshold) return found;
    threshold = next_threshold(threshold, found, stripe_rows);
  }
}

/// A row at which paths cross the middle, and the least distances before and behind it.
struct Crossing {
  Index row = 0, before = 0, behind = 0;

  Index distance() const { return before + behind; }
};

/// The tableaux of both halves of the columns, the second from its end: neither waits for the other, and the
/// distance is the least sum of theirs (Hirschberg 1975).
template <class Recurrence, class Access>
class BothEnds {
  using Tableau = BitTableau<Recurrence, Access>;

 public:
  template <class Fork, class A, class B>
  BothEnds(Fork& fork, const Alphabet& alphabet, A rows, B columns, Scratch<Access>& scratch)
      : before_(fork, alphabet, rows, columns.block(0, columns.size / 2), false, scratch),
        behind_(fork, alphabet, rows, columns.block(before_.n, columns.size - before_.n), true, scratch) {}

  static std::size_t bytes(Index m, Index n) {
    return Tableau::bytes(m, n / 2) + Tableau::bytes(m, n - n / 2);
  }

  /// Where a path of the least cost crosses, of those in the band.
  template <class Fork>
  Crossing crossing(Fork& fork, Index threshold, const Blocks& blocks) const {
    const Band band(before_.m, before_.n + behind_.n, threshold);
    fork([&] { before_.fill(fork, band, blocks); }, [&] { behind_.fill(fork, band, blocks); });
    const Index m = before_.m, first = std::max<Index>(0, before_.n - band.most),
                last = std::min(m, before_.n - band.least);
    Crossing here{first, before_.distance(first), behind_.distance(m - first)}, best = here;
    while (here.row < last) {
      here.before += before_.step(here.row);
      here.behind -= behind_.step(m - 1 - here.row);
      ++here.row;
      if (here.distance() < best.distance()) best = here;
    }
    return best;
  }

  /// Where a path of the least cost crosses.
  template <class Fork>
  Crossing crossing(Fork& fork, const Blocks& blocks) const {
    Crossing found;
    widen_band(before_.m, before_.n + behind_.n, [&](Index threshold) {
      found = crossing(fork, threshold, blocks);
      return found.distance();
    });
    return found;
  }

 private:
  Tableau before_, behind_;
};

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

/// The distance of two strings; `scratch` has BothEnds::bytes(), of the longer string's letters and the
/// shorter one's.
template <class Recurrence, class Fork, class A, class B, class Access>
Index distance_in_band(Fork& fork, A with_a, B with_b, Scratch<Access> scratch, const Blocks& blocks) {
  const auto trimmed = Trimmed<A, B>(with_a, with_b);
  // Rows are computed in stripes: the longer string has the less of a stripe that is not used.
  const bool swapped = trimmed.a.size < trimmed.b.size;
  const auto a = swapped ? trimmed.b : trimmed.a, b = swapped ? trimmed.a : trimmed.b;
  if (b.size == 0) return a.size;
  const Alphabet alphabet(a, b);
  if (b.size > blocks.base) {
    const BothEnds<Recurrence, Access> ends(fork, alphabet, a, b, scratch);
    return ends.crossing(fork, blocks).distance();
  }
  const BitTableau<Recurrence, Access> tableau(fork, alphabet, a, b, false, scratch);
  return widen_band(a.size, b.size, [&](Index threshold) {
    tableau.fill(fork, Band(a.size, b.size, threshold), blocks);
    return tableau.distance(a.size);
  });
}

}  // namespace tallcache::cpu::edit_distance
