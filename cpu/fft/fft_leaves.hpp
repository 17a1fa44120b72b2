// The leaves of the transforms: passes of codelets over vectors, compiled for each SIMD target (Highway) and
// chosen at run time. Complex numbers are pairs of T. "Split" data hold the real parts of the lanes of a
// vector, then their imaginary parts; their lanes are columns in the order of place_of_lane().
#pragma once

#include <span>

#include "common/named.hpp"
#include "common/traced.hpp"

namespace tallcache::cpu::fft {

/// The radices of the passes, of columns that are one codelet over vectors, and of whole transforms, without
/// 1, which copies. Of passes 16 would take more registers than there are.
inline constexpr int pass_radices[] = {2, 3, 4, 5, 7, 8, 11, 13};
inline constexpr int radices[] = {2, 3, 4, 5, 7, 8, 11, 13, 16};
inline constexpr int whole_sizes[] = {2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 20, 24, 25, 32};

/// The columns of a codelet that is n1 x n2 shorter ones; 1 where it is none.
constexpr int columns_of_codelet(int radix) {
  if (radix <= 5 || radix == 8) return 1;
  for (const int n1 : {4, 5, 3, 2})
    if (radix % n1 == 0) return n1;
  return 1;
}

/// The sizes of transforms that are one codelet over vectors, a lane each.
inline constexpr int short_sizes[] = {2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

/// The column that lies in lane l of `lanes`: the order in which one shuffle a vector separates real and
/// imaginary parts.
constexpr Index place_of_lane(Index l, Index lanes) { return lanes > 1 ? l / 2 + l % 2 * (lanes / 2) : l; }

/// Of real type T and one length of vector, under an access policy. All widths are multiples of the lanes.
/// `roots` of a pass hold R - 1 numbers for each p: exp(-2 pi i p j / (R m)) for 0 < j < R.
template <class T>
struct Leaves {
  template <class Access>
  struct Text {
    /// The first pass, of radix R and n = R m, over `width` columns: row i of them is at from + i stride,
    /// `count` of its numbers are read, the others are 0. y[(p + m j) width + q] becomes w^(p j) sum over k
    /// of x[(p + m k) stride + q] exp(-2 pi i j k / R), w the root of n. `to` is split.
    void (*first_pass)(int radix, const T* from, Index stride, Index count, T* to, Index width, Index m,
                       const T* roots, Access);
    /// The same in place, of split data, for each of `groups` transforms of R m rows one behind the other, of
    /// `count` of the m butterflies from p on: `x` and `roots` begin there. Without roots where m = 1.
    void (*middle_pass)(int radix, T* x, Index width, Index groups, Index m, Index count, const T* roots,
                        Access);
    /// The last pass, m = 1, for `groups` among `all` transforms, each a pair of `order`: number j of group
    /// order[2 i] of `from` and column c goes to to[(order[2 i + 1] + all j) stride + c], where c < count.
    void (*last_pass)(int radix, const T* from, T* to, Index stride, Index count, Index width, Index groups,
                      Index all, const Index* order, Access);
    /// R m numbers as R rows: the transforms of the columns, the twiddles, the transposition. Row k goes to
    /// work[k / width * block + p width + k % width], split. `roots` are split vectors: R - 1 for each vector
    /// of columns p. Rows R and beyond, up to a multiple of the lanes, are 0. Of `count` columns from p on, a
    /// multiple of the lanes: `from`, `work` and `roots` begin there.
    void (*split_columns)(int radix, const T* from, T* work, Index width, Index block, Index m, Index count,
                          const T* roots, Access);
    /// Row order[k] of `buffer`, of `width` columns c, times base_roots[k] lane_roots[k, c], goes to to[c
    /// distance + k], k < n1, c < count. `buffer`, `order` and both roots have rows up to a multiple of the
    /// lanes; numbers but those of `to` are split.
    void (*twiddle_transposed)(const T* buffer, const Index* order, Index width, Index n1, T* to,
                               Index distance, Index count, const T* base_roots, const T* lane_roots, Access);
    /// n numbers of each of `count` transforms, transform c at from + c distance, become column c of rows of
    /// `width`, split; the other columns are 0, and so are rows n and beyond, up to a multiple of the lanes.
    void (*rows_to_lanes)(const T* from, Index distance, Index count, Index n, T* to, Index width, Access);
    /// The opposite: number k of transform c is column c of row order[k], k < n. `order` has rows up to a
    /// multiple of the lanes.
    void (*lanes_to_rows)(const T* from, const Index* order, Index width, T* to, Index distance, Index count,
                          Index n, Access);
    /// `count` transforms of `size` numbers, transform c at c distance of both arrays. `to` may be `from`.
    void (*short_rows)(int size, const T* from, T* to, Index distance, Index count, Access);
    /// to[i] = from[i] factors[i] for i < count, interleaved, real and imaginary parts exchanged at the loads
    /// from `from`, at the stores. `to` may be `from`.
    void (*multiply)(const T* from, const T* factors, T* to, Index count, bool exchanged, bool exchange,
                     Access);
    /// A transform of `radix` numbers. `to` may be `from`.
    void (*whole)(int radix, const T* from, T* to, Access);
    /// What a real transform of 2 `half` numbers does beside the complex one of their pairs: numbers k of
    /// `to`, 1 <= begin <= k < end <= half / 2 + 1, and numbers half - k from those of `from`, by halves of
    /// the roots exp(-pi i k / half). `to` may be `from`. Of the forward transform it comes behind the
    /// complex one, of the inverse before it.
    void (*mirrored)(const T* from, T* to, const T* half_roots, Index begin, Index end, Index half, Access);
  };
  struct Texts : CompiledTexts<Text> {
    Text<Plain> inverse;  ///< not scaled; no variant takes it, so that there is none to trace
    Index lanes;          ///< of a vector
  };
};

/// For T = double and float, one for each length of vector: the target's first, then halves down to 4 lanes.
/// A short transform has no use for long vectors.
template <class T>
std::span<const typename Leaves<T>::Texts> leaves();

}  // namespace tallcache::cpu::fft
