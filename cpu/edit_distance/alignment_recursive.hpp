// The alignment of two strings in linear memory. The longer string is halved; where a path crosses is found
// from the distances of both halves, computed from both ends (Hirschberg 1975); the two parts follow. Work
// Theta(mn), about as much for all parts as for the first halves.
#pragma once

#include "cpu/edit_distance/bit_tableau.hpp"
#include "cpu/edit_distance/small_alignment.hpp"

namespace tallcache::cpu::edit_distance {

template <class Access>
class AlignmentOf {
  using Letters = VectorView<const std::uint8_t, Access>;
  using Memory = VectorView<std::byte, Access>;

 public:
  /// The bytes of scratch for a letter of either string: those of the tableaux of two halves, which have the
  /// rows of the shorter string each, and a part of what is at least there.
  static constexpr Index bytes_of_letter = 16;

  AlignmentOf(const Alphabet& alphabet, const Blocks& blocks) : alphabet_(alphabet), blocks_(blocks) {}

  /// Writes the operations. `distance` is that of the strings, or negative where it is not known. `memory`
  /// has bytes_of_letter for each letter.
  template <class Fork>
  void align(Fork& fork, Letters with_a, Letters with_b, Index distance, ScriptPart<Access> script,
             Memory memory) const {
    const Trimmed<Letters, Letters> trimmed(with_a, with_b);
    const Letters a = trimmed.a, b = trimmed.b;
    for (Index i = 0; i < trimmed.first; ++i) script.set(i, i, Edit::match);
    for (Index i = 0; i < trimmed.last; ++i)
      script.set(trimmed.first + a.size + i, trimmed.first + b.size + i, Edit::match);
    const auto rest = script.part(2 * trimmed.first, a.size + b.size);
    if (a.size == 0 || b.size == 0 || a.size + b.size <= short_letters) return align_short(a, b, rest);

    const bool a_is_longer = a.size > b.size;
    const Letters rows = a_is_longer ? b : a, columns = a_is_longer ? a : b;
    const auto cross = crossing(fork, alphabet(a_is_longer), rows, columns, distance, memory);
    const Index i = a_is_longer ? a.size / 2 : cross.row, j = a_is_longer ? cross.row : b.size / 2,
                letters = i + j, left = a.size + b.size - letters;
    fork(
        [&] {
          align(fork, a.block(0, i), b.block(0, j), cross.before, rest.part(0, letters),
                memory.block(0, letters * bytes_of_letter));
        },
        [&] {
          align(fork, a.block(i, a.size - i), b.block(j, b.size - j), cross.behind, rest.part(letters, left),
                memory.block(letters * bytes_of_letter, left * bytes_of_letter));
        });
  }

 private:
  template <class Fork>
  Crossing crossing(Fork& fork, const Alphabet& alphabet, Letters rows, Letters columns, Index distance,
                    Memory memory) const {
    auto scratch = Scratch<>({memory.data, static_cast<std::size_t>(memory.size)}).with(memory.access());
    const BothEnds<Levenshtein, Access> ends(fork, alphabet, rows, columns, scratch);
    return distance < 0 ? ends.crossing(fork, blocks_) : ends.crossing(fork, distance, blocks_);
  }

  /// The codes of the letters of `a` are those of rows where `b` is the longer string.
  Alphabet alphabet(bool a_is_longer) const {
    Alphabet codes = alphabet_;
    if (a_is_longer) std::swap(codes.row_code, codes.column_code);
    return codes;
  }

  Alphabet alphabet_;
  Blocks blocks_;
};

/// Moves the operations together; returns their number, and counts the edits.
template <class Access>
Index close_script(VectorView<std::uint8_t, Access> script, Index& edits) {
  Index count = 0;
  edits = 0;
  for (Index s = 0; s < script.size; ++s) {
    const std::uint8_t edit = script[s];
    if (edit == 0) continue;
    edits += edit != static_cast<std::uint8_t>(Edit::match);
    script[count++] = edit;
  }
  return count;
}

struct alignment_recursive {
  static constexpr std::string_view idea =
      "where a path crosses the middle from the distances of both halves as bits, then each part";
  static constexpr std::string_view source = "Hirschberg 1975; Hyyrö 2003; Chowdhury and Ramachandran 2006";
  using operations = OperationList<Alignment>;
  static constexpr ParamSpec params[] = {{"base", 2048, "a block with no larger side is a leaf"},
                                         {"ways", 1024, "a larger side is cut into so many"}};
  static constexpr bool parallel = true;
  static constexpr double ns_per_unit = 0.07;

  static std::size_t scratch(Alignment, const Shape& shape, const Params&) {
    return scratch_bytes(
        {checked_product(shape["m"] + shape["n"], AlignmentOf<Plain>::bytes_of_letter, "scratch")});
  }

  template <class Fork, class Args>
  static void run(Fork& fork, const Args& args, const Params& params) {
    auto scratch = args.scratch;
    using Access = typename decltype(args.a)::access_type;
    using Of = AlignmentOf<Access>;
    const auto memory = scratch.template vector<std::byte>((args.a.size + args.b.size) * Of::bytes_of_letter);
    Of(Alphabet(args.a, args.b), {.base = params["base"], .ways = params["ways"]})
        .align(fork, args.a, args.b, -1, ScriptPart<Access>{args.script}, memory);
    Index edits;
    args.out[1] = static_cast<std::int32_t>(close_script(args.script, edits));
    args.out[0] = static_cast<std::int32_t>(edits);
  }
};

}  // namespace tallcache::cpu::edit_distance
