// The product of matrices at the machine's limit, cache-oblivious: C = alpha op(A) op(B) + beta C.
//
// The factors are packed once, as [k block][panel][k][mr] and [k block][panel][k][nr] for the register kernel
// (k block: a stretch of the inner dimension). Any sub-problem of whole panels and k blocks is then
// contiguous. It has no conflicts at leading dimensions that are powers of two, and touches few pages.
// REC-MULT (Frigo, Leiserson, Prokop, Ramachandran 1999) recurses on panels and k blocks down to a leaf,
// which is a loop over register tiles. Recursion loses prefetching across the end of a block (Yotov et al.
// 2007), so every leaf is given the one that follows it. The sizes of panels, k blocks and leaves follow from
// the instruction set and are the same on every machine. Whether factors are packed ahead, by each leaf or
// not at all is decided by bounds in bytes and nanoseconds (gemm_plan.hpp), which are constants too.
// TUNING.md gives the measurements behind them.
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "common/ceil_div.hpp"
#include "common/compare.hpp"
#include "common/fork/fork.hpp"
#include "common/halve.hpp"
#include "common/of_thread.hpp"
#include "common/traced.hpp"
#include "common/view.hpp"
#include "cpu/matmul/gemm_plan.hpp"

namespace tallcache::cpu::matmul {

/// The layout of gemm()'s matrices. A view's rows and cols are the stored matrix's; element (i, j) is at data
/// + i * ld + j in row-major order, at data + i + j * ld in column-major order.
enum class Layout { row_major, column_major };
/// Whether a factor enters as its transpose.
enum class Trans { no, yes };

namespace detail {

/// A factor. Element (i, l) is at data + i * row_stride + l * col_stride, l along the inner dimension. B
/// enters as its transpose, so that both factors are read alike. A panel is `width` rows.
template <class T, class Access>
struct Factor {
  using Policy = typename CompiledApart<Access>::Policy;
  const RegisterKernel<T>* kernel;
  typename KernelText<T, Policy>::Pack KernelText<T, Policy>::*pack_panels;
  const T* data;
  Index size, width, row_stride, col_stride;
  bool packed;
  VectorView<T, Access> memory;  ///< of the packed one
  [[no_unique_address]] Access access;

  /// Panel p of the k block that begins at l0 and is `k` long.
  Panels<T> panels(Index p, Index l0, Index k) const {
    if (packed) {
      const Index padded = ceil_div(size, width) * width, steps = kernel->packed_k(k);
      return {memory.data + padded * l0 + p * width * steps, width * steps, 1, width};
    }
    return {data + p * width * row_stride + l0 * col_stride, width * row_stride, row_stride, col_stride};
  }

  void pack(Index p, Index p_end, Index l0, Index k) const {
    pack_to(const_cast<T*>(panels(p, l0, k).data), p, p_end, l0, k);
  }

  void pack_to(T* to, Index p, Index p_end, Index l0, Index k) const {
    const Index first = p * width, count = std::min(p_end * width, size) - first;
    CompiledApart<Access> apart(access);
    const auto& text = kernel->text.under(apart.policy());
    (text.*pack_panels)(to, width, count, k, data + first * row_stride + l0 * col_stride, row_stride,
                        col_stride, apart.policy());
  }
};

/// Panels [begin, end) of a factor in its k blocks [s, s_end): what a part of the product reads of it.
template <class T, class Access>
struct FactorPart {
  const Factor<T, Access>* factor;
  Index begin, end, s, s_end;

  /// The first so many panels, and the others.
  std::pair<FactorPart, FactorPart> split_panels(Index first) const {
    return {{factor, begin, begin + first, s, s_end}, {factor, begin + first, end, s, s_end}};
  }
  /// The first so many k blocks, and the others.
  std::pair<FactorPart, FactorPart> split_k(Index first) const {
    return {{factor, begin, end, s, s + first}, {factor, begin, end, s + first, s_end}};
  }
  bool begins_with(const FactorPart& other) const { return begin == other.begin && s == other.s; }
};

/// The memory in which this thread packs the factors of a leaf; nullptr where it cannot be had. It stays in
/// the thread's caches from leaf to leaf, and no other part of a product sees it.
template <class T>
T* own_memory() {
  struct alignas(64) Memory {
    std::byte bytes[packed_in_leaf];
  };
  Memory* const memory = of_thread<Memory>();
  return memory ? reinterpret_cast<T*>(memory->bytes) : nullptr;
}

template <class T, class Access>
void run_kernel(const RegisterKernel<T>& kernel, const Block<T>& block, Access access) {
  CompiledApart<Access> apart(access);
  kernel.text.under(apart.policy()).multiply(block, apart.policy());
}

template <class T, class Access>
struct GemmRun {
  using C = MatrixView<SumOf<T>, Access>;
  using FactorPart = detail::FactorPart<T, Access>;
  /// The factors of the part that a thread computes afterwards.
  struct Next {
    FactorPart a, b;
  };

  GemmPlan<T> plan;
  Factor<T, Access> a, b;
  C c;
  SumOf<T> alpha, beta;

  /// The whole product.
  template <class Fork>
  void operator()(Fork& fork) const {
    const Index nanoseconds = nanoseconds_of(plan.kernel, plan.m, plan.n, plan.k);
    if (!plan.in_leaves) {
      expect_work(fork, nanoseconds);
      pack(fork);
    }
    expect_work(fork, nanoseconds);
    const FactorPart all_a{&a, 0, plan.panels_m, 0, plan.k_blocks};
    const FactorPart all_b{&b, 0, plan.panels_n, 0, plan.k_blocks};
    multiply(fork, c, all_a, all_b, {all_a, all_b});
  }

  template <class Fork>
  void pack(Fork& fork) const {
    const Groups of_a = groups(a, plan.panels_m, fork.width()), of_b = groups(b, plan.panels_n, fork.width());
    fork.loop(0, of_a.count + of_b.count, 1,
              [=, this](Index at) { at < of_a.count ? pack(of_a, at) : pack(of_b, at - of_a.count); });
  }

  /// to += alpha from_a from_b, where `to` is the block of C of these panels.
  template <class Fork>
  void multiply(Fork& fork, C to, const FactorPart& from_a, const FactorPart& from_b,
                const Next& next) const {
    const Index m = from_a.end - from_a.begin, n = from_b.end - from_b.begin, k = from_a.s_end - from_a.s;
    const auto cut = halve<Index>({m, n, k}, {a.width, b.width, plan.kc}, {plan.mc, plan.nc, 1});
    if (!cut) return leaf(to, from_a, from_b, next);
    const auto product = [&fork, this](const Next& then) {
      return [&fork, this, then](C part, const FactorPart& part_a, const FactorPart& part_b) {
        multiply(fork, part, part_a, part_b, then);
      };
    };
    if (cut.side == 2) {
      const auto [a1, a2] = from_a.split_k(cut.first);
      const auto [b1, b2] = from_b.split_k(cut.first);
      fork.adding(Part(product({a2, b2}), to, a1, b1), Part(product(next), to, a2, b2));
    } else if (cut.side == 0) {
      const auto [a1, a2] = from_a.split_panels(cut.first);
      const Index rows = cut.first * a.width;
      fork(Part(product({a2, from_b}), to.block(0, 0, rows, to.cols), a1, from_b),
           Part(product(next), to.block(rows, 0, to.rows - rows, to.cols), a2, from_b));
    } else {
      const auto [b1, b2] = from_b.split_panels(cut.first);
      const Index cols = cut.first * b.width;
      fork(Part(product({from_a, b2}), to.block(0, 0, to.rows, cols), from_a, b1),
           Part(product(next), to.block(0, cols, to.rows, to.cols - cols), from_a, b2));
    }
  }

 private:
  /// The panels of a factor that are packed together in each k block.
  struct Groups {
    const Factor<T, Access>* factor = nullptr;
    Index panels = 0, size = 1, in_block = 0, count = 0;
  };

  /// Several, to read whole rows of a matrix whose panels are columns; fewer where threads would be idle.
  Groups groups(const Factor<T, Access>& factor, Index panels, Index threads) const {
    constexpr Index most = 16;
    if (!factor.packed) return {};
    const Index least = factor.row_stride == 1 ? 4 : 1;
    const Index size = threads == 1 ? most : std::clamp(panels * plan.k_blocks / (2 * threads), least, most);
    const Index in_block = ceil_div(panels, size);
    return {&factor, panels, size, in_block, in_block * plan.k_blocks};
  }

  void pack(const Groups& groups, Index at) const {
    const Index s = at / groups.in_block, p = at % groups.in_block * groups.size;
    groups.factor->pack(p, std::min(p + groups.size, groups.panels), s * plan.kc, plan.k_block_size(s));
  }

  /// Without memory of the thread's own, panel by panel on its stack.
  void leaf_in_own_memory(C to, const FactorPart& from_a, const FactorPart& from_b) const {
    if (T* const memory = own_memory<T>()) return packed_leaf(memory, to, from_a, from_b);
    for (Index p = from_a.begin; p < from_a.end; ++p)
      for (Index q = from_b.begin; q < from_b.end; ++q) {
        const Index row = (p - from_a.begin) * a.width, col = (q - from_b.begin) * b.width;
        leaf_on_stack(to.block(row, col, std::min(a.width, to.rows - row), std::min(b.width, to.cols - col)),
                      {&a, p, p + 1, from_a.s, from_a.s_end}, {&b, q, q + 1, from_b.s, from_b.s_end});
      }
  }

  /// A panel of each factor. Not inlined: what it takes of the stack would be its caller's.
  __attribute__((noinline)) void leaf_on_stack(C to, const FactorPart& from_a,
                                               const FactorPart& from_b) const {
    constexpr std::size_t bits = 8, line = 64;
    const Index elements = (a.width + b.width) * plan.kernel.packed_k(plan.kc);
    void* const memory =
        __builtin_alloca_with_align(static_cast<std::size_t>(elements) * sizeof(T), line * bits);
    packed_leaf(static_cast<T*>(memory), to, from_a, from_b);
  }

  /// Packs the factors one behind the other.
  void packed_leaf(T* free, C to, const FactorPart& from_a, const FactorPart& from_b) const {
    const Index l0 = from_a.s * plan.kc, k = plan.k_block_size(from_a.s), steps = plan.kernel.packed_k(k);
    const auto packed = [&](const FactorPart& part) {
      const auto& factor = *part.factor;
      if (!factor.packed) return factor.panels(part.begin, l0, k);
      T* const begin = free;
      free += (part.end - part.begin) * factor.width * steps;
      factor.pack_to(begin, part.begin, part.end, l0, k);
      return Panels<T>{begin, factor.width * steps, 1, factor.width};
    };
    run(block_of(to, from_a, k, packed(from_a), packed(from_b)));
  }

  void run(const Block<T>& block) const { run_kernel(plan.kernel, block, c.access()); }

  /// Nothing is prefetched: an empty range, as a prefetch needs a valid address.
  Block<T> block_of(C to, const FactorPart& from_a, Index k, Panels<T> panels_a, Panels<T> panels_b) const {
    return {.m = to.rows,
            .n = to.cols,
            .k = k,
            .a = panels_a,
            .b = panels_b,
            .a_packed = a.packed,
            .b_packed = b.packed,
            .c = to.data,
            .ldc = to.ld,
            .alpha = alpha,
            .beta = from_a.s == 0 ? beta : SumOf<T>{1},
            .ahead = {{a.data, 0}, {b.data, 0}}};
  }

  void leaf(C to, const FactorPart& from_a, const FactorPart& from_b, const Next& next) const {
    if (plan.in_leaves) return leaf_in_own_memory(to, from_a, from_b);
    const Index l0 = from_a.s * plan.kc, k = plan.k_block_size(from_a.s);
    Block<T> block = block_of(to, from_a, k, a.panels(from_a.begin, l0, k), b.panels(from_b.begin, l0, k));
    const Index next_l0 = next.a.s * plan.kc, next_k = plan.k_block_size(next.a.s);
    if (a.packed && !next.a.begins_with(from_a))
      block.ahead[0] = {a.panels(next.a.begin, next_l0, next_k).data,
                        (from_a.end - from_a.begin) * a.width * next_k};
    if (b.packed && !next.b.begins_with(from_b))
      block.ahead[1] = {b.panels(next.b.begin, next_l0, next_k).data,
                        (from_b.end - from_b.begin) * b.width * next_k};
    run(block);
  }
};

/// The product as one leaf, on a B that is not transposed. The same as with a plan, which would take half as
/// long as the product of n = 8 itself.
template <class T, class Access>
void multiply_unpacked(const RegisterKernel<T>& kernel, Trans trans_a, SumOf<T> alpha,
                       MatrixView<const T, Access> a, MatrixView<const T, Access> b, SumOf<T> beta,
                       MatrixView<SumOf<T>, Access> c) {
  const Index a_row_stride = trans_a == Trans::no ? a.ld : 1, a_col_stride = trans_a == Trans::no ? 1 : a.ld;
  run_kernel<T>(kernel,
                {.m = c.rows,
                 .n = c.cols,
                 .k = b.rows,
                 .a = {a.data, kernel.mr * a_row_stride, a_row_stride, a_col_stride},
                 .b = {b.data, kernel.nr, 1, b.ld},
                 .a_packed = false,
                 .b_packed = false,
                 .c = c.data,
                 .ldc = c.ld,
                 .alpha = alpha,
                 .beta = beta,
                 .ahead = {{a.data, 0}, {b.data, 0}}},
                c.access());
}

/// The run of a plan in row-major order. The packed factors are at the beginning of the scratch.
template <class T, class Access>
GemmRun<T, Access> gemm_run(const GemmPlan<T>& plan, Trans trans_a, Trans trans_b, SumOf<T> alpha,
                            MatrixView<const T, Access> a, MatrixView<const T, Access> b, SumOf<T> beta,
                            MatrixView<SumOf<T>, Access> c, Scratch<Access> scratch) {
  using Text = KernelText<T, typename CompiledApart<Access>::Policy>;
  const RegisterKernel<T>& kernel = plan.kernel;
  const bool a_rows = trans_a == Trans::no, b_rows = trans_b == Trans::no;
  const auto a_memory = scratch.template vector<T>(plan.size_a());
  const auto b_memory = scratch.template vector<T>(plan.size_b());
  return {.plan = plan,
          .a = {&kernel, &Text::pack_a, a.data, plan.m, kernel.mr, a_rows ? a.ld : 1, a_rows ? 1 : a.ld,
                plan.pack_a, a_memory, a.access()},
          .b = {&kernel, &Text::pack_b, b.data, plan.n, kernel.nr, b_rows ? 1 : b.ld, b_rows ? b.ld : 1,
                plan.pack_b, b_memory, b.access()},
          .c = c,
          .alpha = alpha,
          .beta = beta};
}

/// gemm() in row-major order. The arguments must be valid.
template <class Fork, class T, class Access>
void gemm_rows(Fork& fork, Trans trans_a, Trans trans_b, SumOf<T> alpha, MatrixView<const T, Access> a,
               MatrixView<const T, Access> b, SumOf<T> beta, MatrixView<SumOf<T>, Access> c,
               Scratch<Access> scratch, const GemmSizes& sizes,
               const RegisterKernel<T>& kernel = register_kernel<T>()) {
  const Index m = c.rows, n = c.cols, k = trans_a == Trans::no ? a.cols : a.rows;
  if (m == 0 || n == 0) return;
  if (k == 0 || alpha == 0) {
    fork.loop(0, m, 1, [c, beta](Index i) {
      for (Index j = 0; j < c.cols; ++j)
        c(i, j) = beta == 0 ? SumOf<T>{} : static_cast<SumOf<T>>(beta * c(i, j));
    });
    return;
  }
  const Packing<T> packing(kernel, m, n, k, trans_b == Trans::no, fork.width(), sizes);
  if (packing.one_leaf) return multiply_unpacked<T>(kernel, trans_a, alpha, a, b, beta, c);
  const auto plan = GemmPlan<T>::choose(m, n, k, packing, scratch.bytes_left() > 0, sizes);
  gemm_run<T, Access>(plan, trans_a, trans_b, alpha, a, b, beta, c, scratch)(fork);
}

}  // namespace detail

/// The bytes of scratch of gemm() with the same `layout`, `trans_a`, `trans_b` and `sizes`, by this `kernel`.
/// C is m x n, k is the inner dimension. Throws Error when the bytes overflow.
///
/// Source: the plan of gemm() (cpu/matmul/gemm_plan.hpp).
template <class T>
std::size_t gemm_scratch_bytes(Layout layout, Trans trans_a, Trans trans_b, Index m, Index n, Index k,
                               const GemmSizes& sizes = {},
                               const RegisterKernel<T>& kernel = register_kernel<T>()) {
  const bool rows = layout == Layout::row_major;
  const bool b_rows = rows ? trans_b == Trans::no : trans_a == Trans::no;
  if (!rows) std::swap(m, n);
  const detail::Packing<T> packing(kernel, m, n, k, b_rows, 1, sizes);
  return detail::GemmPlan<T>::in_blocks(m, n, k, packing, sizes).scratch();
}

/// C = alpha op(A) op(B) + beta C, where op is the identity or, where `trans_a` or `trans_b` says so, the
/// transposition, as BLAS's gemm: C is m x n, op(A) m x k, op(B) k x n, all stored in this `layout`. With
/// beta = 0 C is not read, with alpha = 0 A and B are not. The result is the same on any number of threads,
/// and without `scratch`, where each leaf packs what it reads. `sizes` are tuned where they are not given.
/// Throws Error when the sizes do not fit or the matrices overlap.
///
/// Source: REC-MULT (Frigo, Leiserson, Prokop, Ramachandran 1999) over packed panels (Goto and van de Geijn
/// 2008).
template <class Fork, class T, class Access>
void gemm(Fork& fork, Layout layout, Trans trans_a, Trans trans_b, std::type_identity_t<T> alpha,
          MatrixView<const T, Access> a, MatrixView<const T, Access> b, std::type_identity_t<T> beta,
          MatrixView<T, Access> c, Scratch<Access> scratch, const GemmSizes& sizes = {}) {
  const Index m = c.rows, n = c.cols;
  const auto op_rows = [](const auto& x, Trans trans) { return trans == Trans::no ? x.rows : x.cols; };
  const auto op_cols = [](const auto& x, Trans trans) { return trans == Trans::no ? x.cols : x.rows; };
  const Index k = op_cols(a, trans_a);
  if (op_rows(a, trans_a) != m || op_rows(b, trans_b) != k || op_cols(b, trans_b) != n)
    throw Error("gemm: op(A) is " + std::to_string(op_rows(a, trans_a)) + " x " + std::to_string(k) +
                ", op(B) " + std::to_string(op_rows(b, trans_b)) + " x " +
                std::to_string(op_cols(b, trans_b)) + ", C " + std::to_string(m) + " x " + std::to_string(n));
  // In column-major order the arrays are those of the transposes in row-major order: C^T = op(B)^T op(A)^T.
  if (layout == Layout::column_major) {
    const auto transposed = [](auto x) {
      std::swap(x.rows, x.cols);
      return x;
    };
    return gemm<Fork, T, Access>(fork, Layout::row_major, trans_b, trans_a, alpha, transposed(b),
                                 transposed(a), beta, transposed(c), scratch, sizes);
  }
  validate_view(a.with(Plain{}), "A");
  validate_view(b.with(Plain{}), "B");
  validate_view(c.with(Plain{}), "C");
  validate_disjoint(c.with(Plain{}), "C", a.with(Plain{}), "A");
  validate_disjoint(c.with(Plain{}), "C", b.with(Plain{}), "B");
  detail::gemm_rows<Fork, T, Access>(fork, trans_a, trans_b, alpha, a, b, beta, c, scratch, sizes);
}

}  // namespace tallcache::cpu::matmul
