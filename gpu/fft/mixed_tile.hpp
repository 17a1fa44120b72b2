// The transforms of a tile's columns of any length that has small factors, in a block's shared memory: the
// radices of the stages are known at run time, each a codelet in registers.
#pragma once

#include "gpu/fft/stages.hpp"
#include "gpu/fft/tile_transform.hpp"

namespace tallcache::gpu::fft {

/// Calls run(std::integral_constant<int, radix>) for a radix of 2 to max_radix.
template <int most = max_radix, class Run>
TALLCACHE_INLINE void with_radix(int radix, const Run& run) {
  if constexpr (most >= 2) {
    if (radix == most) return run(std::integral_constant<int, most>());
    with_radix<most - 1>(radix, run);
  }
}

/// A pass over `columns` columns of a transform; each block has 2^lg_cols. Number `row` of a column is at row
/// row_step + col col_step, on the side of memory that lies between two passes in tiles of 2^lg_cols rows and
/// columns, `tile_row` numbers a row of tiles. Neighbouring threads have neighbouring columns, or, if it goes
/// `by_columns`, rows of one, which in shared memory begins `apart` numbers behind the last one.
struct MixedPass {
  Stages stages;
  Pass pass = Pass::whole;
  int lg_cols = 0, apart = 1;
  bool by_columns = false;
  int threads = 1;  ///< of a block
  int n = 1, columns = 1, in_row = 1, in_col = 0, out_row = 1, out_col = 0, tile_row = 0;

  TALLCACHE_INLINE int between(int row, int col) const {
    const int mask = (1 << lg_cols) - 1;
    return (row >> lg_cols) * tile_row + ((col & ~mask) << lg_cols) + ((row & mask) << lg_cols) +
           (col & mask);
  }
  TALLCACHE_INLINE int in(int row, int col) const {
    return pass == Pass::rows ? between(col, row) : row * in_row + col * in_col;
  }
  TALLCACHE_INLINE int out(int row, int col) const {
    return pass == Pass::columns ? between(row, col) : row * out_row + col * out_col;
  }

  /// The parts that the first stage leaves begin an odd number of rows apart, so that neighbouring threads of
  /// the last stage find theirs in different banks.
  constexpr int pad() const { return 1 - stages.below[0].by % 2; }
  int column_numbers() const { return stages.length + pad() * stages.radix[0]; }
  Index tile_numbers() const {
    return stages.count < 2 ? 0 : Index{by_columns ? apart : column_numbers()} << lg_cols;
  }
  Index tiles(const ColumnOrder& order) const { return ceil_div(order.total(), Index{1} << lg_cols); }
};

/// What all tiles of a pass work on.
template <class Out, class In, class Roots>
struct MixedData {
  Out to;
  In from;
  Roots roots;
  MixedPass pass;
  ColumnOrder order;
};

template <class T, class Blocks = OwnBlock>
struct MixedTile {
  using Number = Complex<T>;
  /// Of numbers that are the registers of a multiprocessor with as many for other values.
  static constexpr int max_threads = 512, min_blocks = sizeof(T) == sizeof(float) ? 2 : 1;
  static constexpr std::size_t max_dynamic_shared_bytes = (1 << 17) + (1 << 12);

  template <class Thread, class Data>
  TALLCACHE_DEVICE void operator()(const Thread& t, const Data& data) const {
    Blocks::begin(t);
    auto&& memory = dynamic_shared<Number>(t);
    const MixedPass& p = data.pass;
    const int thread = static_cast<int>(t.thread().x),
              groups = static_cast<int>(t.block_dim().x) >> p.lg_cols;
    const int c = p.by_columns ? thread / groups : thread & ((1 << p.lg_cols) - 1);
    const int first = p.by_columns ? thread - c * groups : thread >> p.lg_cols;
    const Column at = data.order((t.block().x << p.lg_cols) + static_cast<unsigned>(c));
    const auto from = transform_of(data.from, at.transform);
    const auto to = transform_of(data.to, at.transform);
    const int col = static_cast<int>(at.col);
    for (int s = 0; s < p.stages.count; ++s) {
      const bool is_last = s + 1 == p.stages.count;
      if (s > 0) t.sync();
      if (is_last) Blocks::before_last_stage(t);
      with_radix(p.stages.radix[s], [&](auto radix) {
        const int butterflies = p.stages.length / radix;
        for (int b = first; b < butterflies; b += groups)
          if (at.inside) butterfly<decltype(radix)::value>(memory, to, from, data.roots, p, s, b, c, col);
      });
    }
    if (p.stages.count == 0 && at.inside && first == 0)
      store_number(to, p.out(0, col), load_number<Blocks, Pass::columns>(from, p.in(0, col)));
  }

 private:
  /// Number b of the butterflies of stage s in column c of the tile.
  template <int radix, class Memory, class To, class From, class Roots>
  static TALLCACHE_INLINE void butterfly(Memory& memory, const To& to, const From& from, const Roots& roots,
                                         const MixedPass& p, int s, int b, int c, int col) {
    const Stages& stages = p.stages;
    const bool is_first = s == 0, is_last = s + 1 == stages.count;
    const int below = stages.below[s].by;
    Number x[radix];
    int at = b, j = b;
    if (!is_first) {
      const int part = stages.below[s](b);
      j = b - part * below;
      at = is_last ? stages.reversed(b) : part * below * radix + j;
    }
    const int width = p.by_columns ? 1 : 1 << p.lg_cols;
    const int step = (is_first ? below + p.pad() : below) * width;
    const int row = is_first ? at : at + p.pad() * stages.below[0](at);
    const int place = row * width + c * p.apart;
#pragma unroll
    for (int r = 0; r < radix; ++r)
      if (is_first)
        x[r] = load_number<Blocks, Pass::columns>(from, p.in(b + r * below, col));
      else
        x[r] = memory[place + r * step];
    transform(x);
    if (!is_last) {
      times_roots(x, roots, stages, s, j);
#pragma unroll
      for (int r = 0; r < radix; ++r) memory[place + r * step] = x[r];
      return;
    }
    if (p.pass == Pass::columns) {
      const Number first = root<T>(Index{col} * b, p.n);
#pragma unroll
      for (int r = 0; r < radix; ++r) x[r] = x[r] * first;
      times_roots(x, roots, stages, s, col);
    }
#pragma unroll
    for (int r = 0; r < radix; ++r) store_number(to, p.out(b + r * (stages.length / radix), col), x[r]);
  }

  /// x[r] times the r-th power of root j of stage s.
  template <int radix, class Roots>
  static TALLCACHE_INLINE void times_roots(Number (&x)[radix], const Roots& roots, const Stages& stages,
                                           int s, int j) {
    constexpr int bits = Stages::bits(radix);
    Number power[bits];
#pragma unroll
    for (int bit = 0; bit < bits; ++bit)
      power[bit] = roots[stages.roots_begin[s] + bit * stages.period[s] + j];
    times_powers<0, bits>(x, power);
  }
};

}  // namespace tallcache::gpu::fft
