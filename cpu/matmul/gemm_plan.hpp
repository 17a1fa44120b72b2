// How gemm() divides a product: which factors are packed, in which panels, and the leaves of its recursion.
#pragma once

#include <algorithm>

#include "common/ceil_div.hpp"
#include "common/halve.hpp"
#include "common/variant.hpp"
#include "cpu/matmul/register_kernel.hpp"

namespace tallcache::cpu::matmul {

/// Sizes that replace the instruction set's own, to show that the speed hardly depends on them; 0 keeps
/// the default.
struct GemmSizes {
  Index kc = 0, mc = 0, nc = 0, min_packed = 0;
};

namespace detail {

constexpr Index value_or_default(Index value, Index default_value) { return value ? value : default_value; }

/// The time of a product on one thread, in nanoseconds, with saturation: it only chooses a plan.
template <class T>
Index nanoseconds_of(const RegisterKernel<T>& kernel, Index m, Index n, Index k) {
  const double work = static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  return static_cast<Index>(std::min(work, 1e15)) / kernel.per_ns;
}
/// Whether a product of this time stays on one thread.
constexpr bool on_one_thread(Index nanoseconds) { return nanoseconds < 50'000; }
/// Up to so many threads move little between their caches.
inline constexpr Index few_threads = 4;
/// The largest factors that leaves pack for themselves, in bytes: of all leaves, and of one. They are
/// the same on every machine, whatever its caches.
inline constexpr Index packed_in_leaves = Index{4} << 20, packed_in_leaf = Index{512} << 10;

/// Which factors of a product are packed, and whether threads share it.
template <class T>
struct Packing {
  const RegisterKernel<T>& kernel;
  Index threads, kc;
  bool a, b, shared, one_leaf;  ///< one_leaf: the kernel reads both where they are

  /// `b_rows`: the rows of B are contiguous, as the kernel reads them. What several threads pack moves
  /// between their caches, so that it pays later than on one.
  Packing(const RegisterKernel<T>& kernel, Index m, Index n, Index k, bool b_rows, Index threads,
          const GemmSizes& sizes)
      : kernel(kernel), threads(threads), kc(kernel.packed_k(value_or_default(sizes.kc, kernel.kc))) {
    const Index halves = threads == 1 ? 2 : threads <= few_threads ? 3 : 4;
    const Index min_packed = value_or_default(sizes.min_packed, kernel.min_packed * halves / 2);
    const bool always = kernel.k_group > 1;  // its order is not that of any matrix
    a = always || n >= min_packed;
    b = always || m >= min_packed || !b_rows || (!kernel.masked && n % kernel.lanes != 0);
    shared = threads > 1 && !on_one_thread(nanoseconds_of(kernel, m, n, k));
    one_leaf = !a && !b && k <= kc && !shared;
  }
};

/// The division of a product into whole panels and k blocks. The order in which an element's terms are added
/// does not depend on the number of threads.
template <class T>
struct GemmPlan {
  const RegisterKernel<T>& kernel;
  Index m, n, k;
  Index panels_m, panels_n, kc, k_blocks;
  Index mc, nc;  ///< in panels
  bool pack_a, pack_b;
  bool in_leaves = false;  ///< each leaf packs what it reads, to memory of its own

  /// The plan of packing.threads threads. Without scratch leaves pack for themselves. The one decision on how
  /// a product is computed: the same under every access policy.
  static GemmPlan choose(Index m, Index n, Index k, const Packing<T>& packing, bool has_scratch,
                         const GemmSizes& sizes) {
    GemmPlan plan(m, n, k, packing, packing.one_leaf, sizes);
    if (packing.shared && sizes.mc == 0 && sizes.nc == 0) {
      plan.share(packing.threads);
      plan.pack_in_leaves(packing.threads);
    }
    if (!has_scratch && sizes.kc == 0) plan.do_without_scratch();
    return plan;
  }

  /// The plan of one thread's product that others may take tiles of: in blocks, also where it is one leaf.
  /// Its scratch serves every plan of these sizes.
  static GemmPlan in_blocks(Index m, Index n, Index k, const Packing<T>& packing, const GemmSizes& sizes) {
    return GemmPlan(m, n, k, packing, false, sizes);
  }

  /// Makes leaves so small that each of `threads` has several, down to two panels on either side.
  void share(Index threads) {
    constexpr Index leaves_a_thread = 4, least = 2;
    Index rows = panels_m, cols = panels_n, leaves = 1;
    while (halve_larger(rows, cols, mc, nc)) leaves *= 2;
    for (; leaves < leaves_a_thread * threads && halve_larger(rows, cols, least, least); leaves *= 2)
      mc = rows, nc = cols;
  }

  /// Lets leaves pack for themselves where the factors are small. A packed factor of the whole product lies
  /// in the caches of the threads that had it last: to write it there takes many threads longer than to pack
  /// parts of it several times.
  void pack_in_leaves(Index threads) {
    in_leaves = threads > few_threads && (pack_a || pack_b) && packed_bytes(m, n, k) <= packed_in_leaves &&
                leaf_bytes() <= packed_in_leaf;
  }

  /// Lets leaves pack for themselves because there is no memory for the packed factors, and makes them so
  /// small that they can, down to a panel on either side.
  void do_without_scratch() {
    in_leaves = pack_a || pack_b;
    while (in_leaves && leaf_bytes() > packed_in_leaf && halve_larger(mc, nc, 1, 1)) continue;
  }

  /// Makes so many panels of rows and columns the larger of the two parts that they are cut into. Returns
  /// whether they are no leaf.
  bool halve_larger(Index& rows, Index& cols, Index leaf_rows, Index leaf_cols) const {
    const auto cut = halve<Index>({rows, cols}, {kernel.mr, kernel.nr}, {leaf_rows, leaf_cols});
    if (cut) (cut.side == 0 ? rows : cols) -= cut.first;
    return bool(cut);
  }

  /// What is packed of so many rows of A and columns of B.
  Index packed_bytes(Index rows, Index cols, Index k) const {
    return k * ((pack_a ? rows : 0) + (pack_b ? cols : 0)) * Index(sizeof(T));
  }
  Index leaf_bytes() const { return packed_bytes(mc * kernel.mr, nc * kernel.nr, kc); }
  Index k_block_size(Index s) const { return std::min(kc, k - s * kc); }
  Index size_a() const { return pack_a && !in_leaves ? panels_m * kernel.mr * kernel.packed_k(k) : 0; }
  Index size_b() const { return pack_b && !in_leaves ? panels_n * kernel.nr * kernel.packed_k(k) : 0; }
  std::size_t scratch() const {
    const auto bytes = [this](Index panels, Index width, Index k) {
      return checked_product(checked_product(panels * width, kernel.packed_k(k), "packed matrix"), sizeof(T),
                             "packed matrix");
    };
    return scratch_bytes(
        {pack_a ? bytes(panels_m, kernel.mr, k) : 0, pack_b ? bytes(panels_n, kernel.nr, k) : 0});
  }

 private:
  GemmPlan(Index m, Index n, Index k, const Packing<T>& packing, bool one_leaf, const GemmSizes& sizes)
      : kernel(packing.kernel), m(m), n(n), k(k), pack_a(packing.a), pack_b(packing.b) {
    panels_m = ceil_div(m, kernel.mr);
    panels_n = ceil_div(n, kernel.nr);
    kc = packing.kc;
    if (one_leaf) {
      mc = panels_m, nc = panels_n, kc = k, k_blocks = k > 0;
      return;
    }
    mc = ceil_div(value_or_default(sizes.mc, kernel.mc), kernel.mr);
    nc = ceil_div(value_or_default(sizes.nc, kernel.nc), kernel.nr);
    k_blocks = ceil_div(k, kc);
    kc = k_blocks ? kernel.packed_k(ceil_div(k, k_blocks)) : 0;
    k_blocks = kc ? ceil_div(k, kc) : 0;
  }
};

}  // namespace detail
}  // namespace tallcache::cpu::matmul
