// REC-TRANSPOSE down to leaves that a kernel transposes in registers and writes in whole lines, past the
// caches where the output is large.
//
// A plain store to a line that is in no cache reads the line first: 24 bytes for each double transposed. A
// whole line written past the caches is not read: 16 bytes. Plain stores are faster where the output is in
// the caches, or was written just before, as such lines must leave the caches first. Streaming is faster
// where the output is in no cache (TUNING.md). By default the size of the output decides; a caller who knows
// better chooses: parameter stream, argument Reuse.
#pragma once

#include <algorithm>

#include "common/ceil_div.hpp"
#include "common/fork/fork.hpp"
#include "common/halve.hpp"
#include "common/ops/transpose.hpp"
#include "common/variant.hpp"
#include "cpu/transpose/streaming_kernel.hpp"

namespace tallcache::cpu::transpose {

/// B = A^T. `above` rows of the matrix that A is part of precede A, and more rows follow if `below`. A leaf
/// also reads the end of the rows above, whose line it shares. The branches are therefore no Parts: they
/// touch more than their blocks.
template <class Fork, class B, class A>
void rec_transpose_streaming(Fork& fork, B b, A a, Leaf leaf, Index above = 0, bool below = false) {
  const auto cut = halve<Index>({ceil_div(a.cols, leaf.cols), ceil_div(a.rows, leaf.rows)}, {1, 1}, {1, 1});
  if (!cut) {
    transpose_block(b.data, b.ld, a.data, a.ld, a.rows, a.cols, above, below, leaf.reuse, leaf.walk,
                    b.access());
  } else if (cut.side == 0) {
    const Index half = cut.first * leaf.cols, rest = a.cols - half;
    fork(
        [&, half] {
          rec_transpose_streaming(fork, b.block(0, 0, half, b.cols), a.block(0, 0, a.rows, half), leaf, above,
                                  below);
        },
        [&, half, rest] {
          rec_transpose_streaming(fork, b.block(half, 0, rest, b.cols), a.block(0, half, a.rows, rest), leaf,
                                  above, below);
        });
  } else {
    const Index half = cut.first * leaf.rows, rest = a.rows - half;
    fork(
        [&, half] {
          rec_transpose_streaming(fork, b.block(0, 0, b.rows, half), a.block(0, 0, half, a.cols), leaf, above,
                                  true);
        },
        [&, half, rest] {
          rec_transpose_streaming(fork, b.block(0, half, b.rows, rest), a.block(half, 0, rest, a.cols), leaf,
                                  above + half, below);
        });
  }
}

/// Replaces X and Y by each other's transposes. They are disjoint blocks of one matrix, and Y has X's
/// transposed shape.
template <class Fork, class A>
void rec_swap_transposed(Fork& fork, A x, A y) {
  constexpr Index tile = swapped_tile<typename A::value_type>;
  const auto part = [&fork](A first, A second) { rec_swap_transposed(fork, first, second); };
  const auto cut = halve<Index>({ceil_div(x.cols, tile), ceil_div(x.rows, tile)}, {1, 1}, {1, 1});
  const Index half = cut.first * tile;
  if (!cut) {
    swap_tiles(x.data, x.ld, y.data, y.ld, x.rows, x.cols, x.access());
  } else if (cut.side == 0) {
    const Index rest = x.cols - half;
    fork(Part(part, x.block(0, 0, x.rows, half), y.block(0, 0, half, y.cols)),
         Part(part, x.block(0, half, x.rows, rest), y.block(half, 0, rest, y.cols)));
  } else {
    const Index rest = x.rows - half;
    fork(Part(part, x.block(0, 0, half, x.cols), y.block(0, 0, y.rows, half)),
         Part(part, x.block(half, 0, rest, x.cols), y.block(0, half, y.rows, rest)));
  }
}

/// A = A^T for a square A: the two diagonal quarters in place, the other two swapped.
template <class Fork, class A>
void rec_transpose_in_place(Fork& fork, A a) {
  constexpr Index tile = swapped_tile<typename A::value_type>;
  const auto cut = halve<Index>({ceil_div(a.rows, tile)}, {1}, {1});
  if (!cut) return swap_tiles(a.data, a.ld, a.data, a.ld, a.rows, a.cols, a.access());
  const Index half = cut.first * tile, rest = a.rows - half;
  const auto diagonal = [&fork](A block) { rec_transpose_in_place(fork, block); };
  const auto diagonals = [&fork, diagonal](A first, A second) {
    fork(Part(diagonal, first), Part(diagonal, second));
  };
  fork(Part([&fork](A x, A y) { rec_swap_transposed(fork, x, y); }, a.block(0, half, half, rest),
            a.block(half, 0, rest, half)),
       Part(diagonals, a.block(0, 0, half, half), a.block(half, half, rest, rest)));
}

/// The base of leaves so small that each of `threads` has several, where a matrix of `elements` takes long
/// enough.
constexpr Index shared_base(Index base, Index elements, Index element_bytes, Index threads) {
  constexpr Index least_bytes = Index{2} << 20, least_base = 128, leaves_a_thread = 4;
  if (threads == 1 || elements * element_bytes < least_bytes) return base;
  while (base / 2 >= least_base && elements / base / base < leaves_a_thread * threads) base /= 2;
  return base;
}

struct recursive_streaming {
  static constexpr std::string_view idea =
      "REC-TRANSPOSE; leaves transposed in registers, whole lines written past the caches";
  static constexpr std::string_view source = "M6; leaf after HPTT (Springer, Su and Bientinesi 2017)";
  using operations =
      OperationList<Transpose<float>, Transpose<double>, Transpose<std::int32_t>, TransposeInPlace<float>,
                    TransposeInPlace<double>, TransposeInPlace<std::int32_t>>;
  static constexpr Index stream_choices[] = {0, 1, 2};
  static constexpr ParamSpec params[] = {
      {"base", 1024, "leaves have as many elements as base x base or fewer, in rows that suit the processor"},
      {"stream", 2,
       "1: B is written past the caches, for it is not read again soon; "
       "0: through them; 2: by its size; in place all are the same",
       0, stream_choices}};
  static constexpr bool parallel = true;
  static constexpr double ns_per_unit = 1.0 / 32;

  template <class Fork, class Args>
  static void run(Fork& fork, const Args& args, const Params& params) {
    constexpr Index element_bytes = sizeof(typename decltype(args.a)::value_type);
    const Index elements = args.a.rows * args.a.cols, bytes = elements * element_bytes;
    if constexpr (requires { args.b; }) {
      const Index stream = params["stream"];
      const Index base = shared_base(params["base"], elements, element_bytes, fork.width());
      const Reuse reuse = stream == 2 ? assumed_reuse(bytes) : stream ? Reuse::none : Reuse::expected;
      if (args.a.rows && args.a.cols)
        rec_transpose_streaming(fork, args.b, args.a, leaf_of(base, reuse, fastest_walk()));
    } else {
      if (args.a.rows) rec_transpose_in_place(fork, args.a);
    }
  }
};

}  // namespace tallcache::cpu::transpose
