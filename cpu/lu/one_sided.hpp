// A triangle on one side of a matrix, which is what systems and products with triangles share: the halves of
// the recursion, and the product that joins them.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>

#include "cpu/lu/panel_kernel.hpp"
#include "cpu/matmul/gemmt.hpp"

namespace tallcache::cpu::lu {

using matmul::Layout;
using matmul::Trans;
using matmul::Triangle;
/// Whether op(A) stands left or right of X.
enum class Side { left, right };
/// Whether the diagonal of a triangle is taken for 1, and not read.
enum class Diagonal { unit, non_unit };

/// Whether the rows of a matrix collide in a first-level cache, whose sets are those of a page.
template <class T, class Access>
constexpr bool rows_collide(const MatrixView<T, Access>& a) {
  constexpr Index page = 4096 / sizeof(T);
  return a.ld % page == 0;
}

/// From this size of the other one on a factor is packed whose rows collide. Others wait for the product's
/// own size, which is right for matrices of a good leading dimension.
inline constexpr Index small_product = 48;

/// Factors are read where they lie, whatever their size.
inline constexpr matmul::GemmSizes unpacked{.min_packed = std::numeric_limits<std::int32_t>::max()};

/// C = alpha op(A) op(B) + beta C in row-major order.
template <class Fork, class T, class Access>
void multiply(Fork& fork, std::type_identity_t<T> alpha, ConstantMatrix<T, Access> a, Trans trans_a,
              ConstantMatrix<T, Access> b, Trans trans_b, std::type_identity_t<T> beta,
              MatrixView<T, Access> c, Scratch<Access> scratch, matmul::GemmSizes sizes = {}) {
  if (c.rows == 0 || c.cols == 0 || a.rows == 0 || a.cols == 0) return;
  if (sizes.min_packed == 0 && (rows_collide(a) || rows_collide(b))) sizes.min_packed = small_product;
  matmul::detail::gemm_rows<Fork, T, Access>(fork, trans_a, trans_b, alpha, a, b, beta, c, scratch, sizes);
}

/// The most bytes of scratch of multiply() for an m x n result and an inner dimension of up to k.
template <class T>
std::size_t multiply_scratch(Index m, Index n, Index k) {
  const auto& kernel = matmul::register_kernel<T>();
  const auto bytes = [k](Index size, Index width) {
    return checked_product(checked_product(ceil_div(size, width) * width, k, "packed matrix"), sizeof(T),
                           "packed matrix");
  };
  return scratch_bytes({bytes(m, kernel.mr), bytes(n, kernel.nr)});
}

/// The side of a triangle that is inverted, a multiple of the rows of the product's tiles. A larger one does
/// more work on zeros, a smaller one has shorter products.
template <class T>
Index inverted_side() {
  return 4 * matmul::register_kernel<T>().mr;
}

/// No target's is larger.
inline constexpr Index most_inverted_side = 128;

/// So many elements are a whole number of lines, and an odd one, lest rows collide in caches.
template <class T>
constexpr Index odd_lines(Index elements) {
  constexpr Index line = 64 / sizeof(T);
  return (ceil_div(elements, line) | 1) * line;
}

/// The leading dimension of a panel of columns of `rows` elements: kernels read a vector beyond the last one.
template <class T>
constexpr Index panel_ld(Index rows) {
  return odd_lines<T>(rows + 64 / sizeof(T) - 1);
}

/// The rows of a copy that one strand makes, and those of a transposed one.
inline constexpr Index copied_rows = 16, transposed_rows = 256;

/// `to` = `from`, row by row.
template <class T, class Access>
void copy_rows(MatrixView<T, Access> to, ConstantMatrix<T, Access> from) {
  const auto bytes = static_cast<std::size_t>(from.cols) * sizeof(T);
  if (from.cols == 0) return;
  for (Index i = 0; i < from.rows; ++i)
    std::memcpy(store_n(to.access(), to.data + i * to.ld, from.cols),
                load_n(from.access(), from.data + i * from.ld, from.cols), bytes);
}

/// op(A) for a triangle of the square A on one side of B. The other triangle is not read, nor is a unit
/// diagonal.
template <class T, class Access>
struct OneSided {
  using Matrix = MatrixView<T, Access>;
  using Constant = MatrixView<const T, Access>;

  Side side;
  Triangle triangle;
  Trans trans;
  Diagonal diagonal;

  /// Of op(A).
  bool is_lower() const { return (triangle == Triangle::lower) == (trans == Trans::no); }

  /// The halves of A and B, and what of A lies between its halves.
  struct Halves {
    Constant a1, a2, between;
    Matrix b1, b2;
  };
  Halves halves(const Constant& a, const Matrix& b, Index half) const {
    const Index rest = a.rows - half;
    const bool left = side == Side::left;
    return {a.block(0, 0, half, half), a.block(half, half, rest, rest),
            triangle == Triangle::lower ? a.block(half, 0, rest, half) : a.block(0, half, half, rest),
            left ? b.block(0, 0, half, b.cols) : b.block(0, 0, b.rows, half),
            left ? b.block(half, 0, rest, b.cols) : b.block(0, half, b.rows, rest)};
  }

  /// b = alpha op(factor) x + beta b, or with the factor on the right.
  template <class Fork>
  void multiply_on_side(Fork& fork, T alpha, Constant factor, Trans trans_factor, Constant x, T beta,
                        Matrix b, Scratch<Access> scratch) const {
    if (side == Side::left)
      multiply<Fork, T, Access>(fork, alpha, factor, trans_factor, x, Trans::no, beta, b, scratch);
    else
      multiply<Fork, T, Access>(fork, alpha, x, Trans::no, factor, trans_factor, beta, b, scratch);
  }

  /// A copy of b in `memory`, whose rows do not collide.
  template <class Fork>
  Matrix copied(Fork& fork, Matrix b, VectorView<T, Access> memory) const {
    const Matrix copy = MatrixView<T>{memory.data, b.rows, b.cols, odd_lines<T>(b.cols)}.with(b.access());
    loop_blocks(fork, b.rows, copied_rows, [b, copy](Index begin, Index end) {
      copy_rows<T, Access>(copy.block(begin, 0, end - begin, b.cols), b.block(begin, 0, end - begin, b.cols));
    });
    return copy;
  }
};

}  // namespace tallcache::cpu::lu
