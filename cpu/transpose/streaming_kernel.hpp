// The leaves of the streaming transpositions: blocks are copied to a small buffer, transposed in registers,
// and written in whole lines. The kernels use Highway and are chosen at run time. They move bits and depend
// only on the size of an element.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <type_traits>

#include "common/named.hpp"
#include "common/traced.hpp"

namespace tallcache::cpu::transpose {

/// The use of an output: read again while it is in the caches, or not.
enum class Reuse { none, expected };

/// The use to assume of an output of so many bytes when the caller does not tell: a small one was in the
/// caches before and stays there, a large one replaces itself before it is read again.
constexpr Reuse assumed_reuse(Index bytes) {
  return bytes < Index{4} << 20 ? Reuse::expected : Reuse::none;  // TUNING.md
}

/// The order in which the small blocks of a leaf follow one another where B is written past the caches: down
/// the columns of A, or across its rows. Intel's processors read ahead along up to 32 rows at once, and are a
/// quarter faster across; AMD's were measured down (TUNING.md).
enum class Walk { down, across };

/// Whether this is a processor of AMD.
bool runs_on_amd();

inline Walk fastest_walk() { return runs_on_amd() ? Walk::down : Walk::across; }

/// What a recursion stops at, `rows` x `cols` of A at most, and how it is written.
struct Leaf {
  Index rows, cols;
  Reuse reuse;
  Walk walk;
};

/// A leaf of base x base elements; where blocks follow one another across, a quarter as high and four times
/// as wide. base >= 1.
constexpr Leaf leaf_of(Index base, Reuse reuse, Walk walk) {
  const bool wide = reuse == Reuse::none && walk == Walk::across;
  const Index largest = std::numeric_limits<Index>::max();
  return wide ? Leaf{std::max<Index>(base / 4, 1), std::min(base, largest / 4) * 4, reuse, walk}
              : Leaf{base, base, reuse, walk};
}

namespace detail {
/// The leaves for elements of one size, under an access policy. Their buffers are their own: the policy sees
/// the matrices.
template <class Access>
struct LeafText {
  void (*transpose_block)(void* b, Index ldb, const void* a, Index lda, Index rows, Index cols, Index above,
                          bool below, Reuse reuse, Walk walk, Access);
  void (*swap_tiles)(void* x, Index ldx, void* y, Index ldy, Index rows, Index cols, Access);
};
/// Of elements of 4 or 8 bytes.
const CompiledTexts<LeafText>& leaves(Index element_bytes);
}  // namespace detail

template <class T>
concept Streamable = std::is_trivially_copyable_v<T> &&(sizeof(T) == 4 || sizeof(T) == 8);

/// The maximum number of rows and columns of swap_tiles: 256 bytes, four lines.
template <Streamable T>
inline constexpr Index swapped_tile = 256 / sizeof(T);

/// Writes the transpose of a (rows x cols) to b (cols x rows). a is part of a matrix of which `above` rows
/// precede it, and more rows follow if `below`. Leading dimensions are in elements. With Reuse::none the
/// whole lines of b are written past the caches, and are visible to other threads when the call returns. A
/// line that is shared with the call for the rows below is written by that call, which reads the rows above
/// its own again.
template <Streamable T, class Access = Plain>
void transpose_block(T* b, Index ldb, const T* a, Index lda, Index rows, Index cols, Index above, bool below,
                     Reuse reuse, Walk walk, Access access = {}) {
  CompiledApart<Access> apart(access);
  detail::leaves(sizeof(T))
      .under(apart.policy())
      .transpose_block(b, ldb, a, lda, rows, cols, above, below, reuse, walk, apart.policy());
}

/// Replaces the rows x cols tile x and the cols x rows tile y by each other's transposes. They are disjoint,
/// or x == y is square. rows, cols <= swapped_tile<T>.
template <Streamable T, class Access = Plain>
void swap_tiles(T* x, Index ldx, T* y, Index ldy, Index rows, Index cols, Access access = {}) {
  CompiledApart<Access> apart(access);
  detail::leaves(sizeof(T)).under(apart.policy()).swap_tiles(x, ldx, y, ldy, rows, cols, apart.policy());
}

}  // namespace tallcache::cpu::transpose
