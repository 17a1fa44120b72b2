// A tableau of bits of two long strings: a stripe of rows for each warp of one launch. A stripe takes the
// pieces of the border above it as the stripe above writes them.
#pragma once

#include "gpu/edit_distance/lane_pipeline.hpp"

namespace tallcache::gpu::edit_distance {

/// Pieces of the borders between stripes, of up to 16 columns each: the rises in the upper half, the falls in
/// the lower half. A column does not rise and fall, so that a word of ones is no piece: it is not there yet.
struct PieceWord {
  static constexpr Bits absent = ~Bits{0};

  static __device__ Bits load(const Bits* at) {
    Bits piece = absent;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(piece) : "l"(at) : "memory");
    return piece;
  }
  static __device__ void store(Bits* at, const Border& border) {
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(at), "r"(border.rise | border.fall >> 16)
                 : "memory");
  }
  static __device__ Border border(Bits piece) { return {piece & 0xffff0000u, piece << 16}; }
};

/// The borders above and below a stripe; `from` is null where nothing is above. Pieces above are loaded
/// `ahead` at a time, one lane each, while those before them are used.
template <class Column, int ahead>
struct PipelineBorders {
  const Bits* from;
  Bits* to;
  int pieces;
  Bits next = PieceWord::absent, now = 0, current = 0;

  template <class Thread>
  __device__ void prepare(const Thread& t, int piece) {
    if (!from) return;
    const int lane = t.thread().x % warp, place = piece % ahead;
    if (place == 0) {
      now = next;
      const int own = piece + lane;
      const bool needed = lane < ahead && own < pieces;
      while (t.ballot(needed && now == PieceWord::absent))
        if (needed && now == PieceWord::absent) now = PieceWord::load(from + own);
      next = PieceWord::absent;
      if (lane < ahead && own + ahead < pieces) next = PieceWord::load(from + own + ahead);
    }
    current = t.shuffle(now, place);
  }
  __device__ Border above(int) const {
    if (!from) return {Column::top_rise, 0};
    return PieceWord::border(current);
  }
  __device__ void below(int piece, const Border& border) const { PieceWord::store(to + piece, border); }
};

/// The string whose letters are rows, and that whose letters are columns.
struct PipelineStrings {
  const std::uint8_t* rows;
  const std::uint8_t* columns;
  int m, n;
};

/// What the warps of a launch share.
struct PipelineState {
  unsigned has_letter[LetterSet::words * word_bits];
  unsigned stripes;  ///< that warps have taken, in all launches
};

/// Marks the letters of both strings.
struct MarkLetters {
  static constexpr int max_threads = LetterSet::words * word_bits;

  template <class Thread>
  __device__ void operator()(const Thread& t, PipelineStrings strings, PipelineState* state) const {
    __shared__ unsigned seen[max_threads];
    seen[t.thread().x] = 0;
    t.sync();
    const Index threads = Index{t.grid_dim().x} * max_threads,
                first = Index{t.block().x} * max_threads + t.thread().x;
    // Whoever stores, stores the same.
    for (Index i = first; i < strings.m; i += threads) seen[strings.rows[i]] = 1;
    for (Index j = first; j < strings.n; j += threads) seen[strings.columns[j]] = 1;
    t.sync();
    if (seen[t.thread().x]) state->has_letter[t.thread().x] = 1;
  }
};

/// The stripes of one launch.
struct StripeRange {
  int before;     ///< stripes of earlier launches
  bool is_top;    ///< whether nothing is above the first one
  int pieces;     ///< of a border
  Bits* borders;  ///< above each stripe, and below the last one; the first is there already unless is_top
};

/// Takes the next stripe and runs it: use(column, top, rows) gets its last column for each lane, of which
/// `rows` rows from row `top` on are those of letters.
template <class Column, int width, int ahead>
struct Stripe {
  static constexpr int lane_rows = Column::words * word_bits, rows = warp * lane_rows;
  static_assert(width <= 16, "of a PieceWord");

  template <class Thread, class Watcher, class Use>
  static __device__ void run(const Thread& t, const PipelineStrings& strings, PipelineState* state,
                             const StripeRange& range, Watcher& watcher, Use use) {
    const int lane = t.thread().x;
    // Stripes are taken in their order, so that the one above is at work already.
    unsigned taken = 0;
    if (lane == 0) taken = t.atomic_add(state->stripes, 1u);
    const int stripe = static_cast<int>(t.shuffle(taken, 0)), own = stripe - range.before;
    LetterSet set;
#pragma unroll
    for (int i = 0; i < LetterSet::words; ++i)
      set.has[i] = t.ballot(state->has_letter[i * word_bits + lane] != 0);
    const unsigned distinguishing = set.distinguishing_bits();
    Bits* const above = range.borders + Index{own} * range.pieces;
    PipelineBorders<Column, ahead> borders{own || !range.is_top ? above : nullptr, above + range.pieces,
                                           range.pieces};
    const Index top = Index{stripe} * rows + lane * lane_rows, left = strings.m - top;
    const int used = static_cast<int>(left < 0 ? 0 : left < lane_rows ? left : lane_rows);
    watcher.begin(top);
    const auto run_by = [&]<int planes>(std::integral_constant<int, planes>) {
      const LetterCodes<planes> codes(t, distinguishing);
      RowCodes<Column::words, planes> codes_of_rows;
      codes_of_rows.load(t, strings.rows, static_cast<std::uint32_t>(top), used, codes);
      Column column;
      column.begin();
      run_pipeline<width>(t, column, codes_of_rows, codes, strings.columns, 0u, strings.n, {warp, lane},
                          borders, watcher);
      use(column, used);
    };
    with_planes(t.popcount(distinguishing), run_by);
  }
};

/// How many stripes there are, and the scratch that they take.
struct PipelinePlan {
  /// The stripes of one launch: no more than have their borders in scratch.
  static constexpr Index most_stripes = 1024;
  Index stripes, pieces;

  Index at_once() const { return std::min(stripes, most_stripes); }
  std::size_t border_bytes() const {
    return checked_product(at_once() + 1, pieces * static_cast<Index>(sizeof(Bits)), "borders");
  }

  /// Calls start(range, stripes) for each launch of stripes. `scratch` has a PipelineState and the borders.
  template <class Access, class Start>
  void run(const Launch& launch, const PipelineStrings& strings, Scratch<Access>& scratch,
           Start start) const {
    constexpr int threads = MarkLetters::max_threads, most_blocks = 512;
    constexpr Index letters_of_thread = 64;
    const auto state = scratch.template vector<PipelineState>(1);
    const auto borders = scratch.template vector<Bits>(static_cast<Index>(border_bytes() / sizeof(Bits)));
    set_zero(launch, state);
    const Index longest = std::max(strings.m, strings.n),
                blocks = std::clamp<Index>(ceil_div(longest, threads * letters_of_thread), 1, most_blocks);
    launch_kernel(launch, MarkLetters{}, {{grid_of(blocks)}, {threads}}, strings, state.data);
    for (Index done = 0; done < stripes; done += most_stripes) {
      const Index now = std::min(stripes - done, most_stripes), begin = done ? pieces : 0;
      if (done)
        copy_elements(launch, borders.block(0, pieces),
                      VectorView<const Bits>(borders.block(most_stripes * pieces, pieces)));
      const auto absent = borders.block(begin, (now + 1) * pieces - begin);
      TALLCACHE_CUDA(cudaMemsetAsync(absent.data, 0xff, absent.size * sizeof(Bits), stream_of(launch)));
      start(StripeRange{static_cast<int>(done), done == 0, static_cast<int>(pieces), borders.data},
            state.data, now);
    }
  }
};

}  // namespace tallcache::gpu::edit_distance
