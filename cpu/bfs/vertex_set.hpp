// A set of vertices as a tree of words: a bit for each vertex, and above that a bit for each word that is not
// 0. A walk over k of n vertices takes O(k log_64 n) steps and meets them in their order, and branches of a
// fork insert at once.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "common/ceil_div.hpp"
#include "common/fork/fork.hpp"
#include "common/traced.hpp"

namespace tallcache::cpu::bfs {

template <class Access>
class VertexSet {
 public:
  using Word = std::uint64_t;
  static constexpr Index bits = 64;

  static std::size_t scratch(Index vertices) {
    std::size_t total = 0;
    each_level(vertices, [&](Index words) {
      total = checked_sum(total, scratch_bytes({static_cast<std::size_t>(words) * sizeof(Word)}), "scratch");
    });
    return total;
  }

  /// In scratch of that size. It is not clear yet.
  VertexSet(Index vertices, Scratch<Access>& scratch) {
    each_level(vertices, [&](Index words) {
      level_[static_cast<std::size_t>(levels_++)] = scratch.template vector<Word>(words);
    });
  }

  int levels() const { return levels_; }
  /// The words above those of the vertices, each of which is of a block of 64 words.
  Index blocks() const { return ceil_div(level(0).size, bits); }

  template <class Fork>
  void clear(Fork& fork) const {
    for (int k = 0; k < levels_; ++k)
      loop_blocks(fork, level(k).size, 4096, [words = level(k)](Index begin, Index end) {
        for (Index i = begin; i < end; ++i) words[i] = 0;
      });
  }

  bool has(Index vertex) const { return level(0)[vertex / bits] >> (vertex % bits) & 1; }

  /// Any number of branches may insert at once. Whoever makes a word other than 0 says so above.
  void insert(Index vertex) const {
    for (int k = 0; k < levels_; ++k, vertex /= bits) {
      const auto words = level(k);
      if (words.access().fetch_or(words.data + vertex / bits, Word{1} << vertex % bits) != 0) return;
    }
  }

  /// Word i of level k, which is then 0.
  Word take(int k, Index i) const {
    const auto words = level(k);
    const Word word = words[i];
    words[i] = 0;
    return word;
  }

  /// Stores word_at(i) in each word i of a block, in place of what is there. Blocks may be filled at once;
  /// join() ends it.
  template <class WordAt>
  void fill_block(Index block, const WordAt& word_at) const {
    Word above = 0;
    for (Index i = block * bits; i < std::min((block + 1) * bits, level(0).size); ++i) {
      const Word word = word_at(i);
      level(0)[i] = word;
      above |= Word{word != 0} << i % bits;
    }
    if (levels_ > 1) level(1)[block] = above;
  }
  void join() const {
    for (int k = 2; k < levels_; ++k)
      for (Index i = 0; i < level(k).size; ++i) {
        Word word = 0;
        for (Index j = i * bits; j < std::min((i + 1) * bits, level(k - 1).size); ++j)
          word |= Word{level(k - 1)[j] != 0} << j % bits;
        level(k)[i] = word;
      }
  }

 private:
  /// Calls then(words of the level), from the vertices' level up to a single word.
  template <class Then>
  static void each_level(Index vertices, const Then& then) {
    do {
      vertices = std::max<Index>(1, ceil_div(vertices, bits));
      then(vertices);
    } while (vertices > 1);
  }

  const VectorView<Word, Access>& level(int k) const { return level_[static_cast<std::size_t>(k)]; }

  std::array<VectorView<Word, Access>, 6> level_;  // 64^6 vertices
  int levels_ = 0;
};

}  // namespace tallcache::cpu::bfs
