// The alignment of two short strings: every column of the tableau is kept as bits, and a path is followed
// back.
#pragma once

#include "common/ops/alignment.hpp"
#include "cpu/edit_distance/bit_kernel.hpp"

namespace tallcache::cpu::edit_distance {

/// The script of a part of two strings. An operation stands where its letters begin: that of letters i and j
/// of the part is element i + j. Elements in between are 0.
template <class Access>
struct ScriptPart {
  VectorView<std::uint8_t, Access> script;

  void set(Index i, Index j, Edit edit) const {
    script[i + j] = static_cast<std::uint8_t>(edit);
    if (edit == Edit::match || edit == Edit::substitution) script[i + j + 1] = 0;
  }
  ScriptPart part(Index begin, Index size) const { return {script.block(begin, size)}; }
};

/// Strings of no more letters together are short.
inline constexpr Index short_letters = 512;

/// The columns of a tableau of two short strings: the differences down them.
class KeptColumns {
 public:
  /// Neither string is empty.
  template <class A, class B>
  KeptColumns(A a, B b) : words_((a.size + word_bits - 1) / word_bits) {
    for (Index i = 0; i < a.size; ++i) std::fill_n(equal_[a[i]], words_, Word{0});
    for (Index j = 0; j < b.size; ++j) std::fill_n(equal_[b[j]], words_, Word{0});
    for (Index i = 0; i < a.size; ++i) equal_[a[i]][i / word_bits] |= Word{1} << i % word_bits;
    for (Index j = 0; j < b.size; ++j) next(b[j], j);
  }

  /// Whether the cell behind row i and column j is one more than the one above it, and whether one less.
  bool rises(Index i, Index j) const { return bit(rises_, i, j); }
  bool falls(Index i, Index j) const { return bit(falls_, i, j); }

 private:
  static constexpr Index most_words = short_letters / word_bits;

  void next(std::uint8_t letter, Index j) {
    Word in_rise = 1, in_fall = 0;
    for (Index w = 0; w < words_; ++w) {
      const Index at = j * words_ + w;
      const Word rise = j ? rises_[at - words_] : ~Word{0}, fall = j ? falls_[at - words_] : 0;
      const Word equal = equal_[letter][w], across = equal | fall, matched = equal | in_fall;
      const Word diagonal = (((matched & rise) + rise) ^ rise) | matched;
      const Word out_rise = fall | ~(diagonal | rise), out_fall = rise & diagonal;
      const Word along_rise = out_rise << 1 | in_rise, along_fall = out_fall << 1 | in_fall;
      rises_[at] = along_fall | ~(across | along_rise);
      falls_[at] = along_rise & across;
      in_rise = out_rise >> 63, in_fall = out_fall >> 63;
    }
  }

  bool bit(const Word* bits, Index i, Index j) const {
    return bits[j * words_ + i / word_bits] >> i % word_bits & 1;
  }

  Index words_;
  Word equal_[256][most_words];
  // The most words of columns that short strings have are those of 193 rows and 319 columns.
  static constexpr Index most_kept = 1280;
  static_assert(most_kept >= 4 * (short_letters - 193) && short_letters == 512);
  Word rises_[most_kept], falls_[most_kept];
};

/// Writes the operations that turn `a` into `b`, which have at most short_letters letters together.
template <class A, class B, class Access>
void align_short(A a, B b, ScriptPart<Access> script) {
  Index i = a.size, j = b.size;
  if (i > 0 && j > 0) {
    const KeptColumns columns(a, b);
    while (i > 0 && j > 0) {
      const bool match = a[i - 1] == b[j - 1];
      if (!match && columns.rises(i - 1, j - 1)) {
        --i;
        script.set(i, j, Edit::deletion);
      } else if (!match && j > 1 && columns.falls(i - 1, j - 2)) {
        // The cell to the left is less than the one above it, the diagonal one.
        --j;
        script.set(i, j, Edit::insertion);
      } else {
        --i, --j;
        script.set(i, j, match ? Edit::match : Edit::substitution);
      }
    }
  }
  while (i > 0) script.set(--i, j, Edit::deletion);
  while (j > 0) script.set(i, --j, Edit::insertion);
}

}  // namespace tallcache::cpu::edit_distance
