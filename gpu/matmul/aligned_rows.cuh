// Factors as bulk copies and loads of 16 bytes read them: rows that start at multiples of 16 bytes.
#pragma once

#include <algorithm>
#include <memory>

#include "common/ceil_div.hpp"
#include "common/operation.hpp"
#include "gpu/check.hpp"
#include "gpu/chunk.hpp"
#include "gpu/dependent_launch.cuh"
#include "gpu/on_gpu.hpp"
#include "gpu/tensor_map.hpp"

namespace tallcache::gpu::matmul {

/// Copies to rows that start at multiples of 16 bytes, as many at once. Blocks of 32 x 8 threads.
template <class T>
__global__ void __launch_bounds__(256) copy_rows(MatrixView<T> to, MatrixView<const T> from) {
  let_next_kernel_start();
  constexpr Index each = 16 / sizeof(T);
  for (Index i = blockIdx.x * Index{8} + threadIdx.y; i < from.rows; i += gridDim.x * Index{8})
    for (Index j = (blockIdx.y * Index{32} + threadIdx.x) * each; j < from.cols; j += gridDim.y * 32 * each)
      *reinterpret_cast<Chunk<T>*>(&to(i, j)) = load_chunk<T>(from(i, j), 0, from.cols - j, false);
}

/// The columns of a copy of rows of `cols` elements.
template <class T>
constexpr Index padded_cols(Index cols) {
  constexpr Index chunk = 16 / sizeof(T);
  return ceil_div(cols, chunk) * chunk;
}

/// The scratch that AlignedRows needs for a matrix of T with rows `ld` apart.
template <class T>
std::size_t aligned_rows_bytes(Index rows, Index cols, Index ld) {
  return ld * sizeof(T) % 16 == 0 ? 0 : static_cast<std::size_t>(rows * padded_cols<T>(cols)) * sizeof(T);
}
/// That for both factors of a product.
template <class T>
std::size_t aligned_rows_bytes(const Shape& shape) {
  const Index k = shape["k"], n = shape["n"], pad = shape["pad"];
  return scratch_bytes({aligned_rows_bytes<T>(shape["m"], k, k + pad), aligned_rows_bytes<T>(k, n, n + pad)});
}

/// A factor, or its copy where its rows start elsewhere. The copy lies in scratch. Where the shape has
/// asked for none, as rows are whole 16 bytes apart but start between multiples of 16, it has memory of the
/// stream's pool from the constructor to the destructor. Throws Error when the pool has none.
template <class T>
class AlignedRows {
 public:
  AlignedRows(const Launch& launch, const MatrixView<const T>& from, Scratch<>& scratch)
      : view_(from), own_(nullptr, FreeInOrder{stream_of(launch)}) {
    if (has_tensor_map(from) || from.rows == 0 || from.cols == 0) return;
    const Index cols = padded_cols<T>(from.cols);
    const std::size_t bytes = from.rows * cols * sizeof(T);
    MatrixView<T> to = scratch_bytes({bytes}) <= scratch.bytes_left() ? scratch.matrix<T>(from.rows, cols)
                                                                      : own_rows(from.rows, cols);
    to.cols = from.cols;
    const dim3 grid(static_cast<unsigned>(std::min<Index>(ceil_div<Index>(from.rows, 8), 1 << 20)),
                    static_cast<unsigned>(std::min<Index>(ceil_div<Index>(cols * sizeof(T), 512), 64)));
    copy_rows<T><<<grid, dim3(32, 8), 0, stream_of(launch)>>>(to, from);
    check_launch();
    view_ = to;
  }

  const MatrixView<const T>& view() const { return view_; }

 private:
  struct FreeInOrder {
    cudaStream_t stream;
    void operator()(void* memory) const { cudaFreeAsync(memory, stream); }
  };

  MatrixView<T> own_rows(Index rows, Index cols) {
    void* memory = nullptr;
    TALLCACHE_CUDA(cudaMallocAsync(&memory, rows * cols * sizeof(T), own_.get_deleter().stream));
    own_.reset(memory);
    return {static_cast<T*>(memory), rows, cols, cols};
  }

  MatrixView<const T> view_;
  std::unique_ptr<void, FreeInOrder> own_;
};

}  // namespace tallcache::gpu::matmul
