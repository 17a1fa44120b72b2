#include "ranks/counted.hpp"

#include <algorithm>
#include <limits>

namespace tallcache::ranks {
namespace {

// What one rank moves of matrix `v` in a turn. The stretch grows from the last cut up to the first one.
void count_matrix(const Plan& plan, std::size_t v, Index rank, Index turn, std::vector<Traffic>& levels) {
  Stretch held{0, plan.box(v, rank, turn).size()};
  for (std::size_t level = plan.levels(); level-- > 0;) {
    if (!plan.moves(v, level)) continue;
    const Cut& cut = plan.cuts()[level];
    const Stretch own = part_of(held, cut.parts, plan.digit(level, rank));
    const Index others = cut.parts - 1;
    Traffic moved{held.size - own.size, others * own.size, others};
    // A sum goes the other way: each part to its rank.
    if (cut.roles[v] == Role::added) std::swap(moved.words_received, moved.words_sent);
    levels[level] += moved;
    held = own;
  }
}

void count_into(const Plan& plan, Index rank, std::vector<Traffic>& levels) {
  std::ranges::fill(levels, Traffic{});
  for (Index turn = 0; turn < plan.turns(); ++turn)
    for (std::size_t v = 0; v < plan.matrices().size(); ++v) count_matrix(plan, v, rank, turn, levels);
}

}  // namespace

std::vector<Traffic> count_rank(const Plan& plan, Index rank) {
  std::vector<Traffic> levels(plan.levels());
  if (rank < plan.ranks()) count_into(plan, rank, levels);
  return levels;
}

Counts count(const Plan& plan) {
  Counts counts;
  for (std::size_t level = 0; level < plan.levels(); ++level)
    counts.levels.push_back({.parts = plan.cuts()[level].parts,
                             .group = plan.group(level),
                             .in_turn = plan.cuts()[level].in_turn,
                             .min_words = std::numeric_limits<Index>::max()});
  std::vector<Traffic> levels(plan.levels());
  for (Index rank = 0; rank < plan.ranks(); ++rank) {
    count_into(plan, rank, levels);
    Traffic all;
    for (std::size_t level = 0; level < plan.levels(); ++level) {
      LevelTraffic& at = counts.levels[level];
      const Traffic& moved = levels[level];
      at.min_words = std::min(at.min_words, moved.words_received);
      at.max_words = std::max(at.max_words, moved.words_received);
      at.all_words += moved.words_received;
      at.max_messages = std::max(at.max_messages, moved.messages_received);
      all += moved;
    }
    counts.max_words = std::max(counts.max_words, all.words_received);
    counts.all_words += all.words_received;
    counts.max_messages = std::max(counts.max_messages, all.messages_received);
  }
  return counts;
}

}  // namespace tallcache::ranks
