// What every rank moves at every cut of a plan: counted from the roles of the views that the text showed.
#pragma once

#include <vector>

#include "ranks/plan.hpp"

namespace tallcache::ranks {

/// Elements and messages, in all turns.
struct Traffic {
  Index words_received = 0, words_sent = 0, messages_received = 0;

  Traffic& operator+=(const Traffic& other) {
    words_received += other.words_received;
    words_sent += other.words_sent;
    messages_received += other.messages_received;
    return *this;
  }
  friend bool operator==(const Traffic&, const Traffic&) = default;
};

/// Of one rank, by level of the plan.
std::vector<Traffic> count_rank(const Plan&, Index rank);

/// Of one level over all ranks.
struct LevelTraffic {
  Index parts = 1, group = 1;  ///< of the cut, and the ranks of a part
  bool in_turn = false;
  Index min_words = 0, max_words = 0, all_words = 0, max_messages = 0;  ///< received
};

struct Counts {
  std::vector<LevelTraffic> levels;
  Index max_words = 0;  ///< that a rank receives at all levels
  Index all_words = 0;
  Index max_messages = 0;
};

/// What a run of the plan sends, read off its layout. No data is moved.
Counts count(const Plan&);

}  // namespace tallcache::ranks
