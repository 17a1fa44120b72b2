// A stable counting sort of pairs so few that 16 bits tell their keys and their positions apart.
#pragma once

#include "common/variant.hpp"
#include "cpu/counting_sort/streaming_kernels.hpp"

namespace tallcache::cpu::counting_sort {

/// The most pairs, and the largest key, of sort_few_pairs().
inline constexpr Index most_few_pairs = 65535;

/// Whether the first pass over n pairs notes how many equal keys came before each, so that the second one
/// only reads counters. That pays where the counters outgrow the first-level cache; else a store more is
/// slower (TUNING.md).
constexpr bool notes_ranks(Index n) { return n >= 1 << 14; }

/// What sort_few_pairs() works on. A counter, later the beginning of its value, is of 16 bits, as half as
/// many lines hold it.
template <class Access>
struct FewPairs {
  VectorView<std::uint16_t, Access> begin;  ///< of each value, rounded up to four
  VectorView<std::uint16_t, Access> rank;   ///< of each pair among those of its value, where notes_ranks()
  VectorView<Word, Access> stage;  ///< of each pair, in order: its key, and its position in the input

  static constexpr Index counters(Index values) { return (values + 3) / 4 * 4; }
  static constexpr Index ranks(Index n) { return notes_ranks(n) ? n : 0; }
  static std::size_t scratch(Index n, Index values) {
    const auto bytes = [](Index size, std::size_t element) {
      return static_cast<std::size_t>(size) * element;
    };
    return scratch_bytes({bytes(counters(values), 2), bytes(ranks(n), 2), bytes(n, 4)});
  }

  FewPairs(Index n, Index values, Scratch<Access>& scratch)
      : begin(scratch.template vector<std::uint16_t>(counters(values))),
        rank(scratch.template vector<std::uint16_t>(ranks(n))),
        stage(scratch.template vector<Word>(n)) {}
};

/// Sorts n <= most_few_pairs pairs, whose keys are below `values` <= most_few_pairs + 1, stably to `out` and
/// `payload_out`. `begin`, `rank` and `stage` are as above. No output is written at random: one word of the
/// stage is.
void sort_few_pairs(const Word* keys, const Word* payload, Index n, Index values, Word* out,
                    Word* payload_out, std::uint16_t* begin, std::uint16_t* rank, Word* stage);

template <class Args>
void sort_few_pairs(const Args& args) {
  auto scratch = args.scratch;
  const Index n = args.in.size, values = Index{args.range} + 1;
  const FewPairs<typename decltype(args.out)::access_type> to(n, values, scratch);
  writes(to.begin), reads(args.in), reads(to.begin), writes(to.rank);
  reads(args.in), reads(to.rank), writes(to.stage);
  sort_few_pairs(args.in.data, args.payload_in.data, n, values, args.out.data, args.payload_out.data,
                 to.begin.data, to.rank.data, to.stage.data);
  reads(to.stage), reads(args.payload_in), writes(args.out), writes(args.payload_out);
}

}  // namespace tallcache::cpu::counting_sort
