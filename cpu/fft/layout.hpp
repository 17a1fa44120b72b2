// How a transform of n numbers is divided: n = n1 n2, the passes of both, and the sizes of its tables and of
// its working memory.
#pragma once

#include <span>

#include "common/ceil_div.hpp"
#include "common/named.hpp"

namespace tallcache::cpu::fft {

/// What is as large stays in a first-level cache.
inline constexpr Index whole_block_bytes = 16 << 10;

/// The radices of the passes of transforms of `size` numbers.
struct Passes {
  Index size = 1;
  int count = 0;
  unsigned char radix[40] = {};  // more than the prime factors of any size, 3^39 > 2^61

  /// The roots of all passes: R - 1 for each of size / (R of this pass and those before).
  Index roots() const;
  /// The groups of neighbouring rows that the first `taken` passes leave to the others.
  Index groups(int taken) const;
};

/// Whether all prime factors of n have codelets: 2, 3, 5, 7, 11 and 13.
bool is_smooth(Index n);

/// size is smooth. Odd radices, then 4, then 8.
Passes passes_of(Index size);

/// Sizes are in complex numbers.
struct Layout {
  enum class Kind {
    whole,   ///< one codelet
    split,   ///< n1 is a codelet over vectors of neighbouring columns, the rows are passes in place
    blocks,  ///< blocks of `width` columns, each transformed in a buffer and stored as rows, whose columns,
             ///< in blocks again, are transformed in place
  };
  Kind kind = Kind::whole;
  Index n = 0, n1 = 1, n2 = 1;
  Index lanes = 1, width = 1;  ///< of a vector, and of a block of columns or rows: a multiple of the lanes
  Index block = 0;             ///< of `split`, a block of rows: n2 or a few more numbers of each
  bool sweeps = false;         ///< the last pass of these goes over all of them, not part by part
  Passes columns, rows;

  Index row_blocks() const { return ceil_div(n1, width); }
  Index column_blocks() const { return ceil_div(n2, width); }
  /// The rows of a table or buffer: n1 up to a multiple of the lanes.
  Index padded_rows() const { return ceil_div(n1, lanes) * lanes; }

  /// The roots between columns and rows: of `split` n1 - 1 for each column; of `blocks` n1 for each block of
  /// columns (base), which are multiplied by n1 x width others (lane).
  Index split_roots() const;
  Index base_roots() const { return kind == Kind::blocks ? column_blocks() * padded_rows() : 0; }
  Index lane_roots() const { return kind == Kind::blocks ? width * padded_rows() : 0; }
  /// Of `blocks` for a transform in place.
  Index work() const { return kind == Kind::whole ? 0 : kind == Kind::blocks ? n : row_blocks() * block; }
  /// The buffer of a thread, of a block of columns.
  Index buffer() const;
};

/// Of a smooth n, for elements of `element_bytes` (half a complex number) and vectors of one of `lanes`, the
/// largest first. Transforms of up to `base` bytes are split where that takes fewer instructions.
Layout layout_of(Index n, Index element_bytes, std::span<const Index> lanes, Index base);

/// A smooth number of at least `least` >= 1 that is little larger, and even where `least` is.
Index smooth_size(Index least);

/// The size of the convolution of Bluestein's transform of n numbers: smooth and at least 2 n - 1. Throws
/// Error when it overflows.
Index chirp_size(Index n);

}  // namespace tallcache::cpu::fft
