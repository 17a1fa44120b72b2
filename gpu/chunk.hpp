// A chunk of sixteen bytes, which a thread loads or stores at once.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "common/view.hpp"
#include "gpu/on_gpu.hpp"

namespace tallcache::gpu {

template <class T>
using Chunk = Vector<T, 16 / sizeof(T)>;

/// Whether every row of `a` starts at a multiple of 16 bytes.
template <class T, class Access>
bool rows_are_chunks(const MatrixView<T, Access>& a) {
  return reinterpret_cast<std::uintptr_t>(a.data) % 16 == 0 && a.ld * sizeof(T) % 16 == 0;
}

/// The chunk whose first element is `first`, of which elements [begin, end) exist; the others are zero. It is
/// loaded at once where all exist and `wide`, which says that `first` lies at a multiple of 16 bytes.
template <class T, class Element, std::signed_integral I>
TALLCACHE_DEVICE Chunk<T> load_chunk(Element&& first, std::type_identity_t<I> begin, I end,
                                     bool wide = true) {
  constexpr int size = Chunk<T>::size;
  if (wide && begin <= 0 && size <= end) return vector_at<size>(first);
  Chunk<T> chunk{};
#pragma unroll
  for (int e = 0; e < size; ++e)
    if (begin <= e && e < end) chunk.at[e] = element_at(first, e);
  return chunk;
}

/// Stores what exists of the chunk whose first element is `first`.
template <class Element, std::signed_integral I, class T, int size>
TALLCACHE_DEVICE void store_chunk(Element&& first, std::type_identity_t<I> begin, I end,
                                  const Vector<T, size>& chunk, bool wide = true) {
  if (wide && begin <= 0 && size <= end) {
    vector_at<size>(first) = chunk;
    return;
  }
#pragma unroll
  for (int e = 0; e < size; ++e)
    if (begin <= e && e < end) element_at(first, e) = chunk.at[e];
}

}  // namespace tallcache::gpu
