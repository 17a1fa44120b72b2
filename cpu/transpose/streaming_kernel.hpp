// The leaves of the streaming transpositions: blocks transposed in registers, gathered into a small buffer,
// and written from there in whole lines. Kernels of Highway, chosen at run time; they move bits and know of
// an element only its size.
#pragma once

#include <cstddef>
#include <type_traits>

#include "common/named.hpp"

namespace tallcache::cpu::transpose {

/// What becomes of an output: read again before it would leave the caches, or not.
enum class Reuse { none, soon };

namespace detail {
void transpose_block_4(void* b, Index ldb, const void* a, Index lda, Index rows, Index cols, Index above,
                       bool below, Reuse reuse);
void transpose_block_8(void* b, Index ldb, const void* a, Index lda, Index rows, Index cols, Index above,
                       bool below, Reuse reuse);
void swap_tiles_4(void* x, void* y, Index ld, Index rows, Index cols);
void swap_tiles_8(void* x, void* y, Index ld, Index rows, Index cols);
}  // namespace detail

template <class T>
concept Streamable = std::is_trivially_copyable_v<T> &&(sizeof(T) == 4 || sizeof(T) == 8);

/// Rows and columns of the tiles of swap_tiles at most: 256 bytes, four lines.
template <Streamable T>
inline constexpr Index swapped_tile = 256 / sizeof(T);

/// b (cols x rows) becomes the transpose of a (rows x cols), part of a matrix of which `above` rows precede
/// it and `below` tells whether more follow. Leading dimensions in elements. With Reuse::none the whole lines
/// of b are written past the caches, and are visible to other threads when the call returns; a line that a
/// call for the rows below shares is written by that call, from as many rows above its own.
template <Streamable T>
void transpose_block(T* b, Index ldb, const T* a, Index lda, Index rows, Index cols, Index above, bool below,
                     Reuse reuse) {
  (sizeof(T) == 4 ? detail::transpose_block_4 : detail::transpose_block_8)(b, ldb, a, lda, rows, cols, above,
                                                                           below, reuse);
}

/// The rows x cols tile x and the cols x rows tile y of one matrix become each other's transposes. Either
/// they are disjoint or x == y, square. rows, cols <= swapped_tile<T>.
template <Streamable T>
void swap_tiles(T* x, T* y, Index ld, Index rows, Index cols) {
  (sizeof(T) == 4 ? detail::swap_tiles_4 : detail::swap_tiles_8)(x, y, ld, rows, cols);
}

}  // namespace tallcache::cpu::transpose
