// Two strings as a bit-parallel tableau reads them: letters as codes of few bits.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "common/ceil_div.hpp"
#include "common/fork/fork.hpp"
#include "cpu/edit_distance/bit_kernel.hpp"

namespace tallcache::cpu::edit_distance {

/// The codes of the letters that two strings share, from 0 on. All letters of one string that the other has
/// not are alike: they equal no letter there.
struct Alphabet {
  std::array<std::uint8_t, 256> row_code{}, column_code{};
  int planes = 1;  ///< the bits of a code

  template <class Rows, class Columns>
  Alphabet(Rows rows, Columns columns) {
    std::array<bool, 256> in_rows{}, in_columns{};
    for (Index i = 0; i < rows.size; ++i) in_rows[rows[i]] = true;
    for (Index j = 0; j < columns.size; ++j) in_columns[columns[j]] = true;
    int shared = 0, rows_alone = 0, columns_alone = 0;
    for (int letter = 0; letter < 256; ++letter) {
      shared += in_rows[letter] && in_columns[letter];
      rows_alone |= in_rows[letter] && !in_columns[letter];
      columns_alone |= in_columns[letter] && !in_rows[letter];
    }
    for (int letter = 0, next = 0; letter < 256; ++letter) {
      const bool both = in_rows[letter] && in_columns[letter];
      row_code[letter] = static_cast<std::uint8_t>(both ? next : shared);
      column_code[letter] = static_cast<std::uint8_t>(both ? next : shared + rows_alone);
      next += both;
    }
    const int codes = shared + rows_alone + columns_alone;
    if (codes > 1) planes = std::bit_width(static_cast<unsigned>(codes - 1));
  }
};

/// The words of a column of `rows` rows, a multiple of stripe_words.
constexpr Index column_words(Index rows) { return ceil_div(rows, stripe_rows) * stripe_words; }

/// Letter i of a string, or the one as far from its end.
template <class Letters>
std::uint8_t letter_at(Letters letters, bool backward, Index i) {
  return letters[backward ? letters.size - 1 - i : i];
}

/// Writes the codes of the letters of the rows in planes of bits, planes x column_words(a.size), and those of
/// the columns. Both strings are read from behind where `backward`.
template <class Fork, class A, class B, class Rows, class Columns>
void encode(Fork& fork, const Alphabet& alphabet, A a, B b, bool backward, Rows rows, Columns columns) {
  constexpr Index block = 64;
  loop_blocks(fork, rows.cols, block, [=, &alphabet](Index begin, Index end) {
    for (Index w = begin; w < end; ++w) {
      Word bits[most_planes] = {};
      for (Index i = w * word_bits; i < std::min((w + 1) * word_bits, a.size); ++i) {
        const Word code = alphabet.row_code[letter_at(a, backward, i)];
        for (int p = 0; p < most_planes; ++p) bits[p] |= (code >> p & 1) << i % word_bits;
      }
      for (int p = 0; p < rows.rows; ++p) rows(p, w) = bits[p];
    }
  });
  loop_blocks(fork, b.size, block * word_bits, [=, &alphabet](Index begin, Index end) {
    for (Index j = begin; j < end; ++j) columns[j] = alphabet.column_code[letter_at(b, backward, j)];
  });
}

}  // namespace tallcache::cpu::edit_distance
