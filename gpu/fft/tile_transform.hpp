// The transforms of a tile's columns, which lie in the registers of a block or of a cluster of blocks. What
// two passes over memory are made of.
#pragma once

#include <algorithm>

#include "gpu/fft/batch.hpp"
#include "gpu/fft/codelets.hpp"
#include "gpu/fft/roots.hpp"

namespace tallcache::gpu::fft {

/// Where numbers lie. Input j1 n2 + j2 is in row j1 < n1 and column j2 < n2; between the passes row k1 of the
/// columns' transforms has as many. There the tiles of 2^lg_rows rows and of 2^lg_cols columns have chunks in
/// common, each in one piece, so that the second pass reads what lies together and the first one writes whole
/// chunks. Output k2 n1 + k1 is number k2 of the transform of row k1. Where what lies between is in the
/// output, a tile's rows are where it has its outputs, and its chunks are in pieces of 2^lg_rows.
struct Layout {
  int lg_n1, lg_n2, lg_rows, lg_cols;
  int lg_row, lg_piece;  ///< lg of what is from a row, and from a piece, to the next one

  static Layout of(int lg_n1, int lg_n2, int lg_rows, int lg_cols, bool in_output) {
    return {lg_n1, lg_n2, lg_rows, lg_cols, in_output ? 0 : lg_n2, in_output ? lg_n1 : lg_rows};
  }

  TALLCACHE_INLINE Index between(Index row, Index col) const {
    const Index in_row = row & ((Index{1} << lg_rows) - 1), in_col = col & ((Index{1} << lg_cols) - 1);
    const Index at = (in_row << lg_cols) + in_col;
    return ((row - in_row) << lg_row) + ((col - in_col + (at >> lg_rows)) << lg_piece) +
           (at & ((Index{1} << lg_rows) - 1));
  }
};

/// Factors of the numbers of each transform; none where they are empty. What is loaded is times its factor,
/// and 0 where there are no more; of what is stored, only what has a factor, as its conjugate's product.
template <class Roots>
struct Factors {
  Roots load{}, store{};
};

/// What all tiles of a pass work on: numbers of one transform, or batches.
template <class Out, class In, class Roots>
struct PassData {
  Out to;
  In from;
  Roots powers, low;
  RootTables tables;
  Layout layout;
  ColumnOrder order;
  Factors<Roots> factors{};
};

/// One block, and no other that it shares a tile with. What a cluster has in its place is in clusters.cuh.
struct OwnBlock {
  static constexpr int lg_blocks = 0;

  template <class Thread>
  TALLCACHE_INLINE static void begin(const Thread&) {}
  template <class Thread>
  TALLCACHE_INLINE static unsigned rank(const Thread&) {
    return 0;
  }
  template <class Thread>
  TALLCACHE_INLINE static unsigned tile(const Thread& t) {
    return t.block().x;
  }
  /// What a pass reads; its neighbours belong to the next tile.
  template <Pass, class From>
  TALLCACHE_INLINE static typename From::value_type load(const From& from, Index i) {
    return from[i];
  }
  /// Before the first number goes to another block's memory, and behind the last.
  template <class Thread>
  TALLCACHE_INLINE static void before_exchange(const Thread&) {}
  template <class Thread>
  TALLCACHE_INLINE static void after_exchange(const Thread& t) {
    t.sync();
  }
  /// memory[i] = z in block `rank` of those that share the tile.
  template <class Thread, class Memory, class Number>
  TALLCACHE_INLINE static void store(const Thread&, Memory& memory, int, int i, Number z) {
    memory[i] = z;
  }
  template <class Thread>
  TALLCACHE_INLINE static void before_last_stage(const Thread&) {}
};

/// lg of the radix of the next stage of transforms of length 2^lg_length: as few stages as there can be, of
/// radices up to 2^lg_max that are alike.
constexpr int lg_radix(int lg_length, int lg_max) {
  const int stages = (lg_length + lg_max - 1) / lg_max;
  return stages == 0 ? 0 : (lg_length + stages - 1) / stages;
}

/// Transforms 2^lg_c columns of length L = 2^lg_l. Each thread has 2^lg_e numbers of one column: first rows j
/// + m L / 2^lg_e, at last outputs k + m L / 2^lg_e. The first stage is a codelet straight on what is loaded;
/// its outputs of residue q go to the block that has q. All other stages stay in that block, each in place in
/// shared memory.
template <class T, Pass pass, int lg_l, int lg_c, int lg_e, class Blocks = OwnBlock>
struct TransformTile {
  using Number = NumberOf<T>;
  static constexpr int lg_p = Blocks::lg_blocks, each = 1 << lg_e, cols = 1 << lg_c;
  static constexpr int lg_step = lg_l - lg_e;  ///< of the rows of a thread
  static constexpr int lg_groups = lg_step - lg_p;
  static constexpr int groups = 1 << lg_groups;  ///< threads of a column in a block
  static constexpr int max_threads = groups * cols;
  /// Neighbouring threads have what lies together in memory: rows of a column that is a whole transform, else
  /// columns. So the tile lies in shared memory by columns, or by rows of so many numbers.
  static constexpr bool by_columns = pass == Pass::whole;
  static constexpr int width = by_columns ? 1 : cols;
  /// So many blocks are on a multiprocessor as its 2^16 registers are enough for, of which half hold numbers
  /// and a thread has 40 at least.
  static constexpr int min_blocks =
      std::clamp((1 << 16) / (max_threads * std::max(40, each* static_cast<int>(sizeof(Number)) / 2)), 1, 16);
  static constexpr int lg_residues = lg_e - lg_p, residues = 1 << lg_residues;
  /// The residues of a block begin apart by a row more than they are long, for the last stage: neighbouring
  /// threads read what neighbouring residues have.
  static constexpr int pitch = (width << lg_step) + width;
  /// From a column to the next one. What is behind its residues, a multiple of 8, leaves the threads of
  /// several columns their own banks.
  static constexpr int apart = by_columns ? residues * pitch + groups % 8 : 1;
  static constexpr std::size_t max_dynamic_shared_bytes =
      lg_step ? (by_columns ? cols * apart : residues * pitch) * sizeof(Number) : 0;
  static_assert(lg_l >= lg_e && lg_groups >= 0 && (lg_p == 0 || lg_step >= lg_e));

  template <class Thread, class Data>
  TALLCACHE_DEVICE void operator()(const Thread& t, const Data& data) const {
    Blocks::begin(t);
    const int thread = static_cast<int>(t.thread().x);
    const int c = by_columns ? thread / groups : thread % cols,
              g = by_columns ? thread % groups : thread / cols;
    const unsigned tile = Blocks::tile(t), rank = Blocks::rank(t);
    const int j = static_cast<int>(rank) * groups + g;
    const Column at = column<is_batch<decltype(data.from)>>(data.order, tile * cols + c);
    Number x[each]{};
    if (at.inside) load(x, transform_of(data.from, at.transform), data, j, at.col);
    transform(x);
    int k = 0;
    if constexpr (lg_step > 0) {
      auto&& memory = dynamic_shared<Number>(t);
      const int begin = c * apart;
      times_stage_roots<lg_l, lg_e>(x, data.powers, j);
      Blocks::before_exchange(t);
#pragma unroll
      for (int q = 0; q < each; ++q)
        Blocks::store(t, memory, q >> lg_residues, begin + (q % residues) * pitch + j * width, x[q]);
      Blocks::after_exchange(t);
      middle_stages<lg_step>(t, memory, data.powers, g, begin);
      Blocks::before_last_stage(t);
      last_stage(x, memory, g, begin);
      k = static_cast<int>(rank) * residues + g % residues + (g / residues << lg_e);
    }
    if constexpr (pass == Pass::columns) times_pass_roots(x, data.powers, data.low, data.tables, k, at.col);
    if (at.inside) store(x, transform_of(data.to, at.transform), data, k, at.col);
  }

 private:
  /// Tiles divide the columns of one transform.
  template <bool batch>
  static TALLCACHE_INLINE Column column(const ColumnOrder& order, unsigned number) {
    if constexpr (batch)
      return order(number);
    else
      return {0, number, true};
  }

  /// Numbers first, first + step, ... of a transform.
  struct Numbers {
    Index first, step;
    TALLCACHE_INLINE Index operator()(int m) const { return first + m * step; }
  };

  /// The numbers of a thread's rows. These are further apart than a chunk is long, so that their numbers are
  /// equally far apart.
  template <class NumberOfRow>
  static TALLCACHE_INLINE Numbers numbers(int row, const NumberOfRow& number) {
    const Index first = number(row);
    return {first, number(row + (1 << lg_step)) - first};
  }

  template <class From, class Data>
  static TALLCACHE_INLINE void load(Number (&x)[each], const From& from, const Data& data, int j, Index col) {
    const Numbers number = numbers(j, [&](Index row) {
      return pass == Pass::columns ? (row << data.layout.lg_n2) + col
             : pass == Pass::rows  ? data.layout.between(col, row)
                                   : row;
    });
    const Numbers place{placed(from, number.first), placed(from, number.step)};
    if constexpr (!HasRoots<Number> && (pass == Pass::whole || pass == Pass::columns))
      if (data.factors.load.size) {
#pragma unroll
        for (int m = 0; m < each; ++m)
          if (number(m) < data.factors.load.size)
            x[m] = load_placed<Blocks, pass>(from, place(m)) * Number(data.factors.load[number(m)]);
        return;
      }
#pragma unroll
    for (int m = 0; m < each; ++m) x[m] = load_placed<Blocks, pass>(from, place(m));
  }

  template <class To, class Data>
  static TALLCACHE_INLINE void store(const Number (&x)[each], const To& to, const Data& data, int k,
                                     Index col) {
    const Numbers number = numbers(k, [&](Index row) {
      return pass == Pass::columns ? data.layout.between(row, col)
             : pass == Pass::rows  ? (row << data.layout.lg_n1) + col
                                   : row;
    });
    const Numbers place{placed(to, number.first), placed(to, number.step)};
    if constexpr (!HasRoots<Number> && (pass == Pass::whole || pass == Pass::rows))
      if (data.factors.store.size) {
#pragma unroll
        for (int m = 0; m < each; ++m)
          if (number(m) < data.factors.store.size)
            store_placed(to, place(m), conjugate(x[m]) * Number(data.factors.store[number(m)]));
        return;
      }
#pragma unroll
    for (int m = 0; m < each; ++m) store_placed(to, place(m), x[m]);
  }

  /// x[q] *= exp(-2 pi i j q / 2^lg_length), of which 2^lg_r is the radix.
  template <int lg_length, int lg_r, class Roots>
  static TALLCACHE_INLINE void times_stage_roots(Number (&x)[1 << lg_r], const Roots& powers, int j) {
    Number power[lg_r];
#pragma unroll
    for (int s = 0; s < lg_r; ++s) power[s] = powers[(1 << (lg_length - s)) + j];
    times_powers<0, lg_r>(x, power);
  }

  /// x[m] *= exp(-2 pi i col row / n) for the row of x[m]. The root of the first row is computed where it is
  /// complex: threads of a warp would find theirs far apart in the tables.
  template <class Roots>
  static TALLCACHE_INLINE void times_pass_roots(Number (&x)[each], const Roots& powers, const Roots& low,
                                                const RootTables& tables, int k, Index col) {
    const auto column = static_cast<unsigned>(col);
    Number first;
    if constexpr (HasRoots<Number>)
      first = tables(powers, low, column * static_cast<unsigned>(k));
    else
      first = root<T>(col * k, Index{1} << tables.lg_n);
#pragma unroll
    for (int m = 0; m < each; ++m) x[m] = x[m] * first;
    Number power[lg_e];
#pragma unroll
    for (int s = 0; s < lg_e; ++s) power[s] = tables(powers, low, column << (lg_step + s));
    times_powers<0, lg_e>(x, power);
  }

  /// The stages of transforms of length 2^lg_length but the last.
  template <int lg_length, class Thread, class Memory, class Roots>
  static TALLCACHE_INLINE void middle_stages(const Thread& t, Memory& memory, const Roots& powers, int g,
                                             int begin) {
    constexpr int lg_r = lg_radix(lg_length, lg_e), lg_next = lg_length - lg_r;
    if constexpr (lg_next > 0) {
#pragma unroll
      for (int i = 0; i < each >> lg_r; ++i) {
        const int butterfly = g + (i << lg_groups), j = butterfly % (1 << lg_next),
                  part = butterfly >> lg_next;
        const int residue = part >> (lg_step - lg_length), within = part % (1 << (lg_step - lg_length));
        const int at = begin + residue * pitch + ((within << lg_length) + j) * width;
        Number y[1 << lg_r];
#pragma unroll
        for (int m = 0; m < 1 << lg_r; ++m) y[m] = memory[at + (m << lg_next) * width];
        transform(y);
        times_stage_roots<lg_length, lg_r>(y, powers, j);
#pragma unroll
        for (int m = 0; m < 1 << lg_r; ++m) memory[at + (m << lg_next) * width] = y[m];
      }
      t.sync();
      middle_stages<lg_next>(t, memory, powers, g, begin);
    }
  }

  /// lg of the radix of the last stage of transforms of length 2^lg_length.
  static constexpr int lg_last(int lg_length) {
    const int lg_r = lg_radix(lg_length, lg_e);
    return lg_r == lg_length ? lg_r : lg_last(lg_length - lg_r);
  }

  /// Where the part of the last stage is whose outputs are the `digits`-th of their residue: its digits
  /// reversed.
  template <int lg_length>
  static TALLCACHE_INLINE int reversed(int digits, int part = 0) {
    constexpr int lg_r = lg_radix(lg_length, lg_e);
    if constexpr (lg_r == lg_length)
      return part;
    else
      return reversed<lg_length - lg_r>(digits >> lg_r, (part << lg_r) + digits % (1 << lg_r));
  }

  template <class Memory>
  static TALLCACHE_INLINE void last_stage(Number (&x)[each], const Memory& memory, int g, int begin) {
    constexpr int lg_r = lg_last(lg_step), butterflies = each >> lg_r;
#pragma unroll
    for (int i = 0; i < butterflies; ++i) {
      const int butterfly = g + (i << lg_groups), residue = butterfly % residues;
      const int part = reversed<lg_step>(butterfly >> lg_residues);
      const int at = begin + residue * pitch + (part << lg_r) * width;
      Number y[1 << lg_r];
#pragma unroll
      for (int m = 0; m < 1 << lg_r; ++m) y[m] = memory[at + m * width];
      transform(y);
#pragma unroll
      for (int m = 0; m < 1 << lg_r; ++m) x[i + m * butterflies] = y[m];
    }
  }
};

}  // namespace tallcache::gpu::fft
