// The register kernels of the matrix product: C = alpha A B + beta C on tiles that the vector registers hold,
// and the packing of their factors. Vectors are Google Highway's, dispatched at run time.
//
// A tile is `rows` x `cols` of C; a panel of A is `rows` of its rows, a panel of B `cols` of its columns.
// Packed, a panel lies as the kernel reads it: of A [k][rows], of B [k][cols], what is outside of the matrix
// zero.
#pragma once

#include <cstddef>

#include "common/named.hpp"

namespace tallcache::cpu::matmul {

/// Where a factor's panels lie: element (i, l) of panel p (column or row i of it, step l of the inner
/// dimension) is at data[p * panel + i * across + l * along].
template <class T>
struct Panels {
  const T* data = nullptr;
  Index panel = 0, across = 1, along = 0;

  const T* at(Index p, Index l = 0) const { return data + p * panel + l * along; }
};

/// A product of panels. B's have across = 1.
template <class T>
struct Block {
  Index m, n, k;  ///< of C's block and of the inner dimension
  Panels<T> a, b;
  bool a_packed, b_packed;
  T* c;
  Index ldc;
  T alpha, beta;  ///< beta = 0: C is not read
  /// What the next block reads that this one does not, a hint: two ranges of elements.
  struct Range {
    const T* begin;
    Index size;
  } ahead[2];
};

/// What an instruction set has. Its sizes depend on nothing else: not on a cache, not on a measurement.
template <class T>
struct RegisterKernel {
  Index rows, cols;  ///< of a tile
  Index lanes;       ///< of a vector
  Index slab;        ///< inner dimension that is packed together
  Index leaf_m, leaf_n;
  Index unpacked;  ///< least dimension at which a factor used across it is packed
  bool masked;     ///< reads part of a vector without touching the rest: B may stay unpacked at any width

  /// C = alpha A B + beta C, a loop over tiles.
  void (*multiply)(const Block<T>&);
  /// Panels of `width`, one behind the other, of `count` rows of A (columns of B) and k steps of the inner
  /// dimension: panel p has to[p * width * k + l * width + i] = from[(p * width + i) * across + l * along],
  /// and zero where that is behind the last one.
  void (*pack)(T* to, Index width, Index count, Index k, const T* from, Index across, Index along);
};

/// That of the target which this processor dispatches to.
template <class T>
const RegisterKernel<T>& register_kernel();
template <>
const RegisterKernel<double>& register_kernel();
template <>
const RegisterKernel<float>& register_kernel();

}  // namespace tallcache::cpu::matmul
