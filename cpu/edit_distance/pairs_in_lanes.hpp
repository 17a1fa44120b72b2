// The distances of many pairs of strings, a pair in each lane of a vector. A lane's band widens as that of
// bit_tableau.hpp; a vector computes what any of its lanes needs.
#pragma once

#include "common/fork/local_memory.hpp"
#include "common/ops/string_distance_batched.hpp"
#include "cpu/edit_distance/bit_tableau.hpp"
#include "cpu/edit_distance/pairs_kernel.hpp"

namespace tallcache::cpu::edit_distance {

/// Pairs that are sorted by their lengths together, so that lanes of a vector end at about the same time.
inline constexpr Index pairs_sorted = 256;

/// Some pairs of a batch in the lanes of a vector.
template <class Recurrence, class Args, class Access>
class LaneGroup {
  using Letters = VectorView<const std::uint8_t, Access>;
  static constexpr int planes = Recurrence::planes;

 public:
  /// The scratch for strings of at most m and n letters.
  static std::size_t bytes(Index m, Index n) {
    const auto words = static_cast<std::size_t>(ceil_div(m, word_bits)), lanes = std::size_t{most_lanes};
    return scratch_bytes({words * most_planes * lanes * sizeof(Word), words * planes * lanes * sizeof(Word),
                          static_cast<std::size_t>(n) * lanes});
  }

  explicit LaneGroup(const Args& args, Scratch<Access> scratch)
      : args_(args),
        lanes_(pairs_kernel<Recurrence>().lanes),
        others_(scratch.template vector<Word>(ceil_div(args.m, word_bits) * most_planes * most_lanes)),
        down_(scratch.template vector<Word>(ceil_div(args.m, word_bits) * planes * most_lanes)),
        columns_(scratch.template vector<std::uint8_t>(args.n * most_lanes)) {}

  /// The results of `count` pairs, which are at most the lanes.
  void solve(const std::uint32_t* pairs, Index count, const Alphabet& alphabet) {
    count_ = count, words_ = 0;
    for (Index l = 0; l < count; ++l) {
      a_[l] = args_.first(pairs[l]), b_[l] = args_.second(pairs[l]);
      words_ = std::max(words_, ceil_div(a_[l].size, word_bits));
      threshold_[l] = std::abs(a_[l].size - b_[l].size) + least_threshold;
    }
    encode(alphabet);
    for (bool left = true; left;) {
      compute();
      left = false;
      for (Index l = 0; l < count; ++l) {
        if (threshold_[l] == solved) continue;
        const Index found = found_[l], threshold = threshold_[l];
        left |= found > threshold;
        threshold_[l] = found <= threshold ? solved : next_threshold(threshold, found, word_bits);
        if (found <= threshold)
          args_.out[pairs[l]] =
              static_cast<std::int32_t>(planes == 1 ? (a_[l].size + b_[l].size - found) / 2 : found);
      }
    }
  }

 private:
  static constexpr Index least_threshold = word_bits, solved = -1;

  void encode(const Alphabet& alphabet) {
    code_planes_ = code_planes(alphabet.planes);
    for (Index l = 0; l < lanes_; ++l) {
      const Letters a = l < count_ ? a_[l] : a_[0].block(0, 0), b = l < count_ ? b_[l] : b_[0].block(0, 0);
      for (Index w = 0; w < words_; ++w) {
        Word bits[most_planes] = {};
        for (Index i = w * word_bits; i < std::min((w + 1) * word_bits, a.size); ++i) {
          const Word code = alphabet.row_code[a[i]];
          for (int p = 0; p < code_planes_; ++p) bits[p] |= (code >> p & 1) << i % word_bits;
        }
        for (int p = 0; p < code_planes_; ++p) others_[(w * code_planes_ + p) * lanes_ + l] = ~bits[p];
      }
      for (Index j = 0; j < b.size; ++j) columns_[j * lanes_ + l] = alphabet.column_code[b[j]];
    }
  }

  /// The distances of the lanes that are not solved, or what their bands show of them.
  void compute() {
    PairsInLanes pairs{.others = others_.data,
                       .down = down_.data,
                       .columns = columns_.data,
                       .words = words_,
                       .begin = 0,
                       .end = 0,
                       .least = std::numeric_limits<Index>::max(),
                       .most = std::numeric_limits<Index>::min()};
    for (Index l = 0; l < count_; ++l)
      if (threshold_[l] != solved) {
        const Band band(a_[l].size, b_[l].size, threshold_[l]);
        pairs.least = std::min(pairs.least, band.least);
        pairs.most = std::max(pairs.most, band.most);
      }
    for (Index w = 0; w < words_ * planes; ++w)
      for (Index l = 0; l < lanes_; ++l) down_[w * lanes_ + l] = Recurrence::down[w % planes];
    CompiledApart<Access> apart(down_.access());
    const auto& text = pairs_kernel<Recurrence>().text.under(apart.policy());
    // Up to the end of the shortest string that is left, and so on.
    for (;;) {
      Index next = std::numeric_limits<Index>::max();
      for (Index l = 0; l < count_; ++l)
        if (threshold_[l] != solved) {
          if (b_[l].size == pairs.end) found_[l] = distance(l);
          if (b_[l].size > pairs.end) next = std::min(next, b_[l].size);
        }
      if (next == std::numeric_limits<Index>::max()) return;
      pairs.begin = pairs.end, pairs.end = next;
      text.columns(pairs, code_planes_, apart.policy());
    }
  }

  Index distance(Index l) const {
    const Index m = a_[l].size, n = b_[l].size;
    Index sum = 0;
    for (Index w = 0; w * word_bits < m; ++w) {
      const Index rows = m - w * word_bits;
      const Word used = rows >= word_bits ? ~Word{0} : (Word{1} << rows) - 1, first = down(w, 0, l);
      if constexpr (planes == 2)
        sum += std::popcount(first & used) - std::popcount(down(w, 1, l) & used);
      else
        sum += std::popcount(~first & used);
    }
    return planes == 2 ? n + sum : m + n - 2 * sum;
  }

  Word down(Index w, int p, Index l) const { return down_[(w * planes + p) * lanes_ + l]; }

  Args args_;
  Index lanes_, count_ = 0, words_ = 0;
  int code_planes_ = 0;
  VectorView<Word, Access> others_, down_;
  VectorView<std::uint8_t, Access> columns_;
  Letters a_[most_lanes], b_[most_lanes];
  Index threshold_[most_lanes], found_[most_lanes];
};

/// The pairs [begin, end), at most pairs_sorted of them, in groups in the order of their lengths.
template <class Recurrence, class Fork, class Args, class Access>
void solve_sorted(Fork& fork, const Args& args, Index begin, Index end, const LocalMemory<Access>& memory) {
  std::uint32_t order[pairs_sorted], length[pairs_sorted];
  for (Index p = begin; p < end; ++p) {
    order[p - begin] = static_cast<std::uint32_t>(p);
    length[p - begin] = static_cast<std::uint32_t>(std::max(args.first(p).size, args.second(p).size));
  }
  std::sort(order, order + (end - begin), [&](std::uint32_t p, std::uint32_t q) {
    return length[p - begin] != length[q - begin] ? length[p - begin] < length[q - begin] : p < q;
  });
  const auto letters = [](auto strings, auto first, auto last) {
    const std::uint32_t from = first, to = last;
    return strings.block(from, Index{to} - from);
  };
  const Alphabet alphabet(letters(args.a, args.a_begin[begin], args.a_begin[end]),
                          letters(args.b, args.b_begin[begin], args.b_begin[end]));
  loop_blocks(fork, end - begin, pairs_kernel<Recurrence>().lanes, [&](Index first, Index last) {
    const auto lease = memory.lease(fork);
    LaneGroup<Recurrence, Args, Access>(args, lease.scratch()).solve(order + first, last - first, alphabet);
  });
}

struct pairs_in_lanes {
  static constexpr std::string_view idea = "a pair in each lane of a vector, in bands that widen";
  static constexpr std::string_view source = "Myers 1999; Hyyrö 2003; Ukkonen 1985";
  using operations = OperationList<LevenshteinBatched, LongestCommonSubsequenceBatched>;
  static constexpr bool parallel = true;
  static constexpr double ns_per_unit = 0.025;

  template <class Op>
  using RecurrenceOf = std::conditional_t<Op::is_common_subsequence, CommonSubsequence, Levenshtein>;

  template <class Op>
  static std::size_t scratch(Op, const Shape& shape, const Params&, Index width) {
    using Group = LaneGroup<RecurrenceOf<Op>, typename Op::template Args<>, Plain>;
    return LocalMemory<>::scratch(Group::bytes(shape["m"], shape["n"]), width);
  }

  template <class Fork, class Args>
  static void run(Fork& fork, const Args& args, const Params&) {
    using Access = typename decltype(args.a)::access_type;
    using Recurrence = RecurrenceOf<typename Args::Of>;
    auto scratch = args.scratch;
    const LocalMemory<Access> memory(scratch, LaneGroup<Recurrence, Args, Access>::bytes(args.m, args.n),
                                     fork.width());
    loop_blocks(fork, args.out.size, pairs_sorted, [=, &fork, &args](Index begin, Index end) {
      solve_sorted<Recurrence>(fork, args, begin, end, memory);
    });
  }
};

}  // namespace tallcache::cpu::edit_distance
