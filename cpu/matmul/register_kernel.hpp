// The register kernels of the matrix product: C = alpha A B + beta C on tiles that the vector registers hold,
// and the packing of their factors. Vectors are Google Highway's, dispatched at run time.
//
// A tile is mr x nr of C; a panel of A is mr of its rows, a panel of B nr of its columns. A
// packed panel is stored in the order in which the kernel reads it: [k][mr] for A, [k][nr] for B, with
// zeros outside of the matrix. A kernel of bfloat16 has an order of its own within every k_group steps.
#pragma once

#include <cstddef>

#include "common/ceil_div.hpp"
#include "common/element.hpp"
#include "common/named.hpp"
#include "common/traced.hpp"
#include "common/view.hpp"

namespace tallcache::cpu::matmul {

/// The elements of a product of matrices of T.
template <class T>
using SumOf = typename Element<T>::Sum;

/// The position of a factor's panels. Element (i, l) of panel p (row i of A's or column i of B's, step l of
/// the inner dimension) is at data[p * panel + i * row_stride + l * col_stride].
template <class T>
struct Panels {
  const T* data = nullptr;
  Index panel = 0, row_stride = 1, col_stride = 0;

  const T* at(Index p, Index l = 0) const { return data + p * panel + l * col_stride; }
};

/// A product of panels. B's have row_stride = 1.
template <class T>
struct Block {
  Index m, n, k;  ///< of C's block and of the inner dimension
  Panels<T> a, b;
  bool a_packed, b_packed;
  SumOf<T>* c;
  Index ldc;
  SumOf<T> alpha, beta;  ///< beta = 0: C is not read
  /// The data that the next block reads and this one does not, to be prefetched: two ranges of elements.
  struct Range {
    const T* begin;
    Index size;
  } ahead[2];
};

/// What a kernel runs, all of whose accesses to the matrices and to packed panels go through the policy.
template <class T, class Access>
struct KernelText {
  /// C = alpha A B + beta C, a loop over tiles.
  void (*multiply)(const Block<T>&, Access);
  /// Packs `count` rows of A (columns of B) and k steps of the inner dimension into consecutive panels of
  /// `width`. Where k_group is 1, panel p has to[p * width * k + l * width + i] = from[(p * width + i) *
  /// row_stride + l * col_stride], and zero beyond the last row.
  using Pack = void (*)(T* to, Index width, Index count, Index k, const T* from, Index row_stride,
                        Index col_stride, Access);
  Pack pack_a, pack_b;
};

/// The kernels of an instruction set. Its sizes are constants of that set, chosen by measurements
/// (TUNING.md): nothing is measured, and no cache asked for its size, on the machine that runs them.
template <class T>
struct RegisterKernel {
  Index mr, nr;  ///< of a tile
  Index lanes;   ///< of a vector
  Index kc;      ///< inner dimension that is packed together
  Index mc, nc;
  Index per_ns;      ///< multiply-adds of a small product in a nanosecond, within a factor of two
  Index min_packed;  ///< a factor is packed from this size of the other factor's dimension on
  bool masked;       ///< loads part of a vector without reading the rest: B may stay unpacked at any width

  template <class Access>
  using Text = KernelText<T, Access>;
  CompiledTexts<Text> text;

  /// Packed panels have a multiple of so many steps of the inner dimension; zeros follow the last.
  Index k_group = 1;

  Index packed_k(Index k) const { return ceil_div(k, k_group) * k_group; }
};

/// The register kernel of the target that this processor dispatches to.
template <class T>
const RegisterKernel<T>& register_kernel();
template <>
const RegisterKernel<double>& register_kernel();
template <>
const RegisterKernel<float>& register_kernel();
template <>
const RegisterKernel<Bfloat16>& register_kernel();

/// The kernel of bfloat16 with AVX-512 BF16; null where the processor has none. The other widens to float.
const RegisterKernel<Bfloat16>* dot_kernel();
const RegisterKernel<Bfloat16>& widening_kernel();

}  // namespace tallcache::cpu::matmul
