// Factors as bulk copies read them: rows that start at multiples of 16 bytes.
#pragma once

#include <algorithm>
#include <memory>

#include "common/ceil_div.hpp"
#include "common/operation.hpp"
#include "gpu/check.hpp"
#include "gpu/on_gpu.hpp"
#include "gpu/tensor_map.hpp"

namespace tallcache::gpu::matmul {

template <class T>
__global__ void __launch_bounds__(256) copy_rows(MatrixView<T> to, MatrixView<const T> from) {
  for (Index i = blockIdx.x; i < from.rows; i += gridDim.x)
    for (Index j = blockIdx.y * Index{256} + threadIdx.x; j < from.cols; j += gridDim.y * Index{256})
      to(i, j) = from(i, j);
}

/// The columns of a copy of rows of `cols` elements.
template <class T>
constexpr Index padded_cols(Index cols) {
  constexpr Index chunk = 16 / sizeof(T);
  return ceil_div(cols, chunk) * chunk;
}

/// The scratch that a product of factors of T needs for TensorRows.
template <class T>
std::size_t tensor_rows_bytes(const Shape& shape) {
  const Index k = shape["k"], n = shape["n"], pad = shape["pad"];
  const auto bytes = [](Index rows, Index cols, Index ld) {
    return ld * sizeof(T) % 16 == 0 ? 0 : static_cast<std::size_t>(rows * padded_cols<T>(cols)) * sizeof(T);
  };
  return scratch_bytes({bytes(shape["m"], k, k + pad), bytes(k, n, n + pad)});
}

/// A factor, or its copy where bulk copies cannot read it. The copy lies in scratch. Where the shape has
/// asked for none, as rows are whole 16 bytes apart but start between multiples of 16, it has memory of the
/// stream's pool from the constructor to the destructor. Throws Error when the pool has none.
template <class T>
class TensorRows {
 public:
  TensorRows(const Launch& launch, const MatrixView<const T>& from, Scratch<>& scratch)
      : view_(from), own_(nullptr, FreeInOrder{stream_of(launch)}) {
    if (has_tensor_map(from)) return;
    const Index cols = padded_cols<T>(from.cols);
    const std::size_t bytes = from.rows * cols * sizeof(T);
    MatrixView<T> to = scratch_bytes({bytes}) <= scratch.bytes_left() ? scratch.matrix<T>(from.rows, cols)
                                                                      : own_rows(from.rows, cols);
    to.cols = from.cols;
    const dim3 grid(static_cast<unsigned>(std::min<Index>(from.rows, 1 << 20)),
                    static_cast<unsigned>(std::min<Index>(ceil_div<Index>(from.cols, 256), 64)));
    copy_rows<T><<<grid, 256, 0, stream_of(launch)>>>(to, from);
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
