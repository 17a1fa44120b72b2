// Sums on their way to C through shared memory, from where bulk copies store them (TMA): a warp goes on while
// the copy engine writes.
#pragma once

#include "common/view.hpp"
#include "gpu/matmul/warpgroup_product.cuh"
#include "gpu/tensor_copy.cuh"

namespace tallcache::gpu::matmul {

/// C as a kernel takes it.
struct Target {
  MatrixView<float> c;
  bool pairs;         ///< whether two neighbouring elements from an even column on can be stored at once
  bool by_boxes;      ///< whether bulk copies can store to C
  CUtensorMap boxes;  ///< then: of C, StagedSums::rows x cols
  unsigned char* unusual =
      nullptr;          ///< of products that are checked: 8 tile + warp: whether sums are not all finite
  bool chunks = false;  ///< whether rows start at multiples of 16 bytes
};

/// Whether two neighbouring elements of C from an even column on can be stored at once.
inline bool pairs_of(const MatrixView<float>& c) {
  return c.ld % 2 == 0 && reinterpret_cast<std::uintptr_t>(c.data) % 8 == 0;
}

/// Stores a warpgroup's sums, of which the first is that of (row, col).
template <int sums>
__device__ void store_sums(const MatrixView<float>& c, const float (&sum)[sums], int row, int col,
                           bool pairs) {
  const int thread = threadIdx.x % 128;
  const int c0 = col + thread % 4 * 2;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int i = row + thread / 32 * 16 + thread % 32 / 4 + half * 8;
    if (i >= c.rows) continue;
    float* const to = c.data + i * c.ld;
#pragma unroll
    for (int j = 0; j < sums / 4; ++j) {
      const int at = c0 + 8 * j;
      const float x = sum[4 * j + 2 * half], y = sum[4 * j + 2 * half + 1];
      if (pairs && at + 1 < c.cols) {
        *reinterpret_cast<float2*>(to + at) = {x, y};
      } else {
        if (at < c.cols) to[at] = x;
        if (at + 1 < c.cols) to[at + 1] = y;
      }
    }
  }
}

/// A warp's boxes: it fills one while the other is read.
struct StagedSums {
  static constexpr int rows = 16, cols = 32;  // 128 bytes a row, TMA's longest swizzled one
  static constexpr int box_bytes = rows * cols * 4, bytes_of_warp = 2 * box_bytes;

  unsigned char* memory;  ///< the warp's, from a multiple of 1024 bytes on

  /// Stores 16 rows of a warpgroup's sums, of which the first is that of (row, col).
  template <int sums>
  __device__ void store(const CUtensorMap& boxes, const float (&sum)[sums], int row, int col) const {
    const bool leads = threadIdx.x % 32 == 0;
#pragma unroll
    for (int box = 0; box < sums / 16; ++box) {
      unsigned char* const place = memory + box % 2 * box_bytes;
      if (leads) wait_for_boxes_read<1>();
      __syncwarp();
      fill<sums>(place, sum, box);
      fence_stores_for_products();
      __syncwarp();
      if (leads) {
        store_box(boxes, row, col + box * cols, place);
        commit_boxes();
      }
    }
  }

  /// Boxes stay until they have been read. To be called before the block ends.
  static __device__ void finish() {
    if (threadIdx.x % 32 == 0) wait_for_boxes_read<0>();
  }

 private:
  /// Rows lie one behind the other; in row r, 16 bytes number i lie in place i ^ (r % 8). Every second row
  /// stores its groups of 8 columns in another order, so that lanes 0 to 15 use all banks.
  template <int sums>
  static __device__ void fill(unsigned char* place, const float (&sum)[sums], int box) {
    const int r = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    const bool odd = r % 2 != 0;
#pragma unroll
    for (int j = 0; j < 4; ++j)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int even_at = 16 * box + 4 * j + 2 * half, odd_at = 16 * box + 4 * (j ^ 2) + 2 * half;
        const int chunk = (2 * (odd ? j ^ 2 : j) + t / 2) ^ r;
        *reinterpret_cast<float2*>(place + (r + 8 * half) * 128 + chunk * 16 + t % 2 * 8) =
            odd ? float2{sum[odd_at], sum[odd_at + 1]} : float2{sum[even_at], sum[even_at + 1]};
      }
  }
};

}  // namespace tallcache::gpu::matmul
