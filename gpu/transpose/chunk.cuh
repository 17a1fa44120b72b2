// A chunk of sixteen bytes, which a thread loads or stores at once.
#pragma once

#include <cstdint>

#include "common/view.hpp"

namespace tallcache::gpu::transpose {

template <class T>
struct alignas(16) Chunk {
  static constexpr int size = 16 / sizeof(T);
  T at[size];
};

/// Whether every row of `a` starts at a multiple of 16 bytes.
template <class T>
bool rows_are_chunks(MatrixView<T> a) {
  return reinterpret_cast<std::uintptr_t>(a.data) % 16 == 0 && a.ld * sizeof(T) % 16 == 0;
}

/// The elements [col, col + Chunk::size) of a row of `cols` elements that exist. The address of row + col is
/// a multiple of 16 bytes; col may be negative.
template <class T>
__device__ Chunk<T> load_chunk(const T* row, Index col, Index cols) {
  constexpr int size = Chunk<T>::size;
  if (col >= 0 && col + size <= cols) return *reinterpret_cast<const Chunk<T>*>(row + col);
  Chunk<T> chunk{};
#pragma unroll
  for (int e = 0; e < size; ++e)
    if (col + e >= 0 && col + e < cols) chunk.at[e] = row[col + e];
  return chunk;
}

template <class T>
__device__ void store_chunk(T* row, Index col, Index cols, const Chunk<T>& chunk) {
  constexpr int size = Chunk<T>::size;
  if (col >= 0 && col + size <= cols) {
    *reinterpret_cast<Chunk<T>*>(row + col) = chunk;
    return;
  }
#pragma unroll
  for (int e = 0; e < size; ++e)
    if (col + e >= 0 && col + e < cols) row[col + e] = chunk.at[e];
}

}  // namespace tallcache::gpu::transpose
