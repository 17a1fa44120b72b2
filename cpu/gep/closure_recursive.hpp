// I-GEP for the transitive closure, the semiring of or and and on bits, over tiles of 512 x 512 bits. A tile
// of a row or a column is a product with the closed tile of the diagonal, as that has all paths inside it.
#pragma once

#include <algorithm>
#include <cmath>

#include "common/cache/ideal_misses.hpp"
#include "common/ops/transitive_closure.hpp"
#include "common/variant.hpp"
#include "cpu/gep/closure_kernel.hpp"
#include "cpu/gep/recursion.hpp"

namespace tallcache::cpu::gep {

/// The matrix in tiles, and the leaves of the recursion over it.
template <class Access>
class BitTileMatrix {
  using Word = TransitiveClosure::Word;
  static constexpr Index words = bit_tile * tile_words;  // of a tile

 public:
  static std::size_t bytes(Index n) {
    const std::size_t tiles = checked_product(ceil_div(n, bit_tile), ceil_div(n, bit_tile), "tiles");
    return scratch_bytes({checked_product(tiles, words * sizeof(Word), "tiles")});
  }

  BitTileMatrix(MatrixView<Word, Access> bits, Scratch<Access> scratch)
      : bits_(bits),
        count_(ceil_div(bits.rows, bit_tile)),
        tiles_(scratch.template vector<Word>(count_ * count_ * words)) {}

  Range range() const { return {0, count_}; }

  /// Copies the matrix to the tiles. Rows and words beyond it are 0.
  template <class Fork>
  void load(Fork& fork) const {
    fork.loop(0, count_ * count_, 1, [this](Index tile) {
      const Index first = tile / count_ * bit_tile, left = tile % count_ * tile_words;
      for (Index i = 0; i < bit_tile; ++i)
        for (Index w = 0; w < tile_words; ++w)
          tiles_[tile * words + i * tile_words + w] =
              first + i < bits_.rows && left + w < bits_.cols ? Word(bits_(first + i, left + w)) : 0;
    });
  }
  template <class Fork>
  void store(Fork& fork) const {
    fork.loop(0, count_ * count_, 1, [this](Index tile) {
      const Index first = tile / count_ * bit_tile, left = tile % count_ * tile_words;
      const Index cols = std::min(tile_words, bits_.cols - left);
      for (Index i = 0; i < extent(tile / count_); ++i)
        for (Index w = 0; w < cols; ++w)
          bits_(first + i, left + w) = Word(tiles_[tile * words + i * tile_words + w]);
    });
  }

  static bool applies(Range, Range, Range) { return true; }
  void diagonal(Index k) const {
    CompiledApart<Access> apart(tiles_.access());
    const auto policy = apart.policy();
    closure_kernel().under(policy).diagonal(at(k, k), extent(k), extent(k), policy);
  }
  void row(Index k, Index j) const { interior(k, j, k); }
  void column(Index i, Index k) const { interior(i, k, k); }
  void interior(Index i, Index j, Index k) const {
    CompiledApart<Access> apart(tiles_.access());
    const auto policy = apart.policy();
    closure_kernel().under(policy).product(at(i, j), at(i, k), at(k, j), extent(i), extent(k), policy);
  }

 private:
  Index extent(Index tile) const { return std::min(bit_tile, bits_.rows - tile * bit_tile); }
  Word* at(Index i, Index j) const { return tiles_.data + (i * count_ + j) * words; }

  MatrixView<Word, Access> bits_;
  Index count_;
  VectorView<Word, Access> tiles_;
};

struct closure_recursive {
  static constexpr std::string_view idea =
      "I-GEP on bits: by quadrants; leaves by all unions of eight rows at a time";
  static constexpr std::string_view source = "Chowdhury and Ramachandran 2006";
  using operations = OperationList<TransitiveClosure>;
  static constexpr bool parallel = true;
  static constexpr double ns_per_unit = 0.4;

  static std::size_t scratch(TransitiveClosure, const Shape& shape, const Params&) {
    return BitTileMatrix<Plain>::bytes(shape["n"]);
  }

  /// Of the words: there are n^2/64, of which n^3/64 unions are made.
  static cache::Prediction predicted_misses(TransitiveClosure, const Shape& shape, const Params&,
                                            cache::IdealCache c) {
    const double n = static_cast<double>(shape["n"]);
    return {n + n * n / (64 * c.L) + n * n * n / (64 * 8 * c.L * std::sqrt(c.Z)),
            "O(n + n^2/(64L) + n^3/(512 L sqrt Z))", true};
  }

  template <class Fork, class Args>
  static void run(Fork& fork, const Args& args, const Params&) {
    const Index n = args.a.rows;
    if (n == 0) return;
    const BitTileMatrix<typename decltype(args.a)::access_type> tiles(args.a, args.scratch);
    tiles.load(fork);
    Recursion(fork, tiles).diagonal(tiles.range());
    tiles.store(fork);
  }
};

}  // namespace tallcache::cpu::gep
