// The lanes of a warp as the stripes of a tableau of bits: each has some words of rows and takes the columns
// a piece behind the lane above it, which hands it the border between them by a shuffle.
#pragma once

#include "gpu/edit_distance/letter_codes.hpp"

namespace tallcache::gpu::edit_distance {

/// The first of a group of lanes has the topmost rows.
struct LaneGroup {
  int lanes, place;  ///< of the group; of this lane within it
};

/// Sees each column of a lane as it is computed; this one does not look.
struct NoWatcher {
  TALLCACHE_INLINE void enter(const Border&) {}
  template <class Column>
  TALLCACHE_INLINE void leave(const Column&, Index) {}
};

/// Advances the columns of all lanes of the warp over `size` letters, from letter `from` of `letters`. A
/// group works on one string; groups may work on different ones. Pieces have `width` columns but the first,
/// which has what is left. All lanes call borders.prepare(t, piece) before each piece of the first lanes of
/// groups; these call above(piece), and the last lanes of groups below(piece, border).
template <int width, class Thread, class Column, int planes, class Letters, class Borders,
          class Watcher = NoWatcher>
TALLCACHE_DEVICE void run_pipeline(const Thread& t, Column& column,
                                   const RowCodes<Column::words, planes>& rows,
                                   const LetterCodes<planes>& codes, const Letters& letters,
                                   std::uint32_t from, int size, LaneGroup group, Borders& borders,
                                   Watcher&& watcher = {}) {
  const int pieces = ceil_div(size, width), first = size - (pieces - 1) * width;
  const int before = (t.thread().x + warp - 1) % warp;
  const int steps = t.reduce_max(pieces + group.lanes - 1);
  const auto advance = [&](Index at, Bits letter, Border& in, Border& out) {
    Bits code[planes], equal[Column::words];
#pragma unroll
    for (int p = 0; p < planes; ++p) code[p] = codes.mask(letter, p);
    rows.equal(code, equal);
    watcher.enter(in);
    column.step(equal, in, out);
    watcher.leave(column, at - from);
  };
  Border out;
#pragma unroll 1
  for (int step = 0; step < steps; ++step) {
    const int piece = step - group.place;
    borders.prepare(t, step);
    Border in{t.shuffle(out.rise, before), t.shuffle(out.fall, before)};
    if (piece < 0 || piece >= pieces) continue;
    if (group.place == 0) in = borders.above(piece);
    out = {};
    const Index begin = Index{from} + first + (piece - 1) * width;
    if (piece || first == width) {
      Bits letter[width];
#pragma unroll
      for (int k = 0; k < width; ++k) letter[k] = static_cast<std::uint8_t>(letters[begin + k]);
#pragma unroll
      for (int k = 0; k < width; ++k) advance(begin + k, letter[k], in, out);
      out.align(width);
    } else {
#pragma unroll 1
      for (int j = 0; j < first; ++j)
        advance(Index{from} + j, static_cast<std::uint8_t>(letters[Index{from} + j]), in, out);
      out.align(first);
    }
    if (group.place == group.lanes - 1) borders.below(piece, out);
  }
}

}  // namespace tallcache::gpu::edit_distance
