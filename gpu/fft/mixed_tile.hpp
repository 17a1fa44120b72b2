// The transforms of a tile's columns of any length that has small factors, in a block's shared memory: the
// radices of the stages are known at run time, each a codelet in registers.
#pragma once

#include "gpu/fft/stages.hpp"
#include "gpu/fft/tile_transform.hpp"

namespace tallcache::gpu::fft {

/// Calls run(std::integral_constant<int, radix>) for a radix of 2 to max_radix, which is searched by halves.
template <int least = 2, int most = max_radix, class Run>
TALLCACHE_INLINE void with_radix(int radix, const Run& run) {
  constexpr int middle = (least + most) / 2;
  if constexpr (least == most)
    run(std::integral_constant<int, least>());
  else if (radix <= middle)
    with_radix<least, middle>(radix, run);
  else
    with_radix<middle + 1, most>(radix, run);
}

/// Where number `row` of column `col` lies: both count in groups of 2^lg, so that an array may be in rows, in
/// columns, or in square tiles.
struct Placement {
  struct Steps {
    int group = 0, one = 0;
  };
  int lg = 0;
  Steps row, col;

  static Placement strided(int row, int col, int lg) { return {lg, {row << lg, row}, {col << lg, col}}; }

  TALLCACHE_INLINE int operator()(int r, int c) const { return along(r, row) + along(c, col); }

 private:
  TALLCACHE_INLINE int along(int i, Steps steps) const {
    return (i >> lg) * steps.group + (i & ((1 << lg) - 1)) * steps.one;
  }
};

/// A pass over `columns` columns of a transform; each block has 2^lg_cols. Neighbouring threads have
/// neighbouring columns, or, if it goes `by_columns`, rows of one, which in shared memory begins `apart`
/// numbers behind the last one.
struct MixedPass {
  Stages stages;
  Pass pass = Pass::whole;
  int lg_cols = 0, apart = 1;
  bool by_columns = false;
  int threads = 1;  ///< of a block
  int n = 1, columns = 1;
  Placement in = Placement::strided(1, 0, 0), out = Placement::strided(1, 0, 0);

  /// The parts that the first stage leaves begin an odd number of rows apart, so that neighbouring threads of
  /// the last stage find theirs in different banks.
  constexpr int pad() const { return 1 - stages.below[0].by % 2; }
  constexpr int column_numbers() const { return stages.length + pad() * stages.radix[0]; }
  /// A stage of sums leaves its outputs beside its inputs.
  Index tile_numbers() const { return stages.count < 2 ? 0 : (1 + stages.has_sums()) * half_numbers(); }
  constexpr int half_numbers() const { return (by_columns ? apart : column_numbers()) << lg_cols; }
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
  TALLCACHE_INLINE void operator()(const Thread& t, const Data& data) const {
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
      if (p.stages.is_summed(s)) {
        if (at.inside) sums(memory, data.roots, p, s, first, groups, c * p.apart);
        continue;
      }
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
    const int place = row * width + c * p.apart + (s > 1 && stages.is_summed(1) ? p.half_numbers() : 0);
    if (is_first) {
#pragma unroll
      for (int r = 0; r < radix; ++r)
        x[r] = load_number<Blocks, Pass::columns>(from, p.in(b + r * below, col));
    } else {
#pragma unroll
      for (int r = 0; r < radix; ++r) x[r] = memory[place + r * step];
    }
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

  /// Stage s, a stage of sums, of the column that begins at `begin`. Outputs k and radix - k are sums over
  /// all inputs of a butterfly; a thread has some neighbouring k at once.
  template <class Memory, class Roots>
  static TALLCACHE_INLINE void sums(Memory& memory, const Roots& roots, const MixedPass& p, int s, int first,
                                    int groups, int begin) {
    constexpr int at_once = Stages::sums_at_once;
    const Stages& stages = p.stages;
    const int radix = stages.radix[s], below = stages.below[s].by, butterflies = stages.length / radix;
    const int width = p.by_columns ? 1 : 1 << p.lg_cols, step = below * width;
    const int twiddles = stages.roots_begin[s], own_roots = twiddles + radix * below;
    const Divisor by_butterflies(butterflies);
    for (int i = first; i < stages.sum_groups(s); i += groups) {
      const int k = by_butterflies(i) * at_once, b = i - k / at_once * butterflies;
      const int part = stages.below[s](b), j = b - part * below, at = part * below * radix + j;
      const int place = (at + p.pad() * stages.below[0](at)) * width + begin;
      Number even[at_once], odd[at_once]{};
      int power[at_once]{};
#pragma unroll
      for (int q = 0; q < at_once; ++q) even[q] = memory[place];
      for (int r = 1; r <= radix / 2; ++r) {
        const Number a = memory[place + r * step], z = memory[place + (radix - r) * step];
        const Number sum = a + z, difference = turned(a - z);
#pragma unroll
        for (int q = 0; q < at_once; ++q) {
          power[q] += k + q;
          power[q] -= power[q] < radix ? 0 : radix;
          const Number w = roots[own_roots + power[q]];
          even[q] = {even[q].re + w.re * sum.re, even[q].im + w.re * sum.im};
          odd[q] = {odd[q].re - w.im * difference.re, odd[q].im - w.im * difference.im};
        }
      }
      const auto store = [&](int row, Number z) {
        memory[p.half_numbers() + place + row * step] = z * Number(roots[twiddles + row * below + j]);
      };
#pragma unroll
      for (int q = 0; q < at_once; ++q) {
        if (k + q <= radix / 2) store(k + q, even[q] + odd[q]);
        if (k + q > 0 && k + q <= radix / 2) store(radix - k - q, even[q] - odd[q]);
      }
    }
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
