// What the parts of `tallcache ranks` share: the options, and the records of programs over ranks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/results/document.hpp"
#include "ranks/counted.hpp"
#include "ranks/matmul.hpp"

namespace tallcache {

/// Ranks that are counted or simulated: a rank more takes longer, and choosing how many rest is a plan for
/// each. Of a transposition every two ranks may exchange a message, so that its work grows with the square.
inline constexpr Index most_ranks = 1'000'000, most_transposing_ranks = 10'000;

struct RanksOptions {
  std::string operation = "matmul", shape, layout, memory, fabric, json;
  std::vector<Index> ranks;
  std::uint64_t seed = 1;
  int threads = 0, repetitions = 5;
  bool count = false, table = false, weak = false, peers = false, all_ranks = false, own_leaves = false;
};

/// The operation over the ranks of MPI. In the program without MPI: by `tallcache_ranks`, which stands beside
/// it and takes its place; throws Error where that was not built.
void run_over_ranks(const RanksOptions&);

ranks::MatmulShape matmul_shape(const RanksOptions&);

/// A record of a program over `ranks` ranks, measured, without quantities.
Record ranks_record(std::string_view operation, std::string_view variant, const Json& shape, Index ranks,
                    int threads);
Json to_json(const ranks::MatmulShape&);

/// Ranks whose every level is listed. Of more ranks, the most over all.
inline constexpr Index most_told = 64;

/// Adds to a record of a matmul: the words that the rank with the most receives, its messages, the words of
/// the formula and of the bound, the bytes that a rank needs.
void add_words(Record&, const ranks::Plan&, const ranks::MatmulShape&, double max_words, double max_messages,
               Origin, bool one_machine = false);
/// Adds the words and messages of a rank by level, counted from 1.
void add_levels(Record&, Index rank, std::span<const ranks::Traffic>, Origin);

/// "2 x 4 x 2 of 16 ranks, 2 turns": how a plan cuts m, n and k.
std::string plan_text(const ranks::Plan&, Index ranks);

}  // namespace tallcache
