// The rows that the exchanges of a panel move, all at once.
#pragma once

#include <cstdint>

namespace tallcache::gpu::lu {

/// Rows are counted from the panel's first one on. Row from[i] becomes row i, for i < width. A row i < width
/// that is not among those becomes row to[i]; to[i] is -1 where it is among them or stays.
struct ExchangeList {
  static constexpr int max_width = 32;
  int begin;  ///< the panel's first row and column in the matrix
  int width;
  int from[max_width], to[max_width];
};

}  // namespace tallcache::gpu::lu
