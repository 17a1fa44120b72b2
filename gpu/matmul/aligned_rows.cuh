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

/// A copy to rows that start at multiples of 16 bytes. `blocks` have 8 rows at once; none: there is no copy.
template <class T>
struct RowCopy {
  MatrixView<T> to{};
  MatrixView<const T> from{};
  int blocks = 0;
};

/// Both copies, as many bytes at once. Blocks of 32 x 8 threads, first.blocks + second.blocks along x. May
/// start before the kernel before it has ended (launch_dependent).
template <class T>
__global__ void __launch_bounds__(256)
    copy_rows(const __grid_constant__ RowCopy<T> first, const __grid_constant__ RowCopy<T> second) {
  let_next_kernel_start();
  constexpr Index each = 16 / sizeof(T);
  const int block = static_cast<int>(blockIdx.x);
  const bool of_first = block < first.blocks;
  const RowCopy<T>& own = of_first ? first : second;
  wait_for_last_kernel();
  for (Index i = (of_first ? block : block - first.blocks) * Index{8} + threadIdx.y; i < own.from.rows;
       i += own.blocks * Index{8})
    for (Index j = (blockIdx.y * Index{32} + threadIdx.x) * each; j < own.from.cols;
         j += gridDim.y * 32 * each)
      *reinterpret_cast<Chunk<T>*>(&own.to(i, j)) =
          load_chunk<T>(own.from(i, j), 0, own.from.cols - j, false);
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

/// Factors, or their copies where their rows start elsewhere: one launch makes both. A copy lies in scratch.
/// Where the shape has asked for none, as rows are whole 16 bytes apart but start between multiples of 16, it
/// has memory of the stream's pool from the constructor to the destructor. Throws Error when the pool has
/// none.
template <class T>
class AlignedRows {
 public:
  using Matrix = MatrixView<const T>;

  AlignedRows(const Launch& launch, Scratch<>& scratch, const Matrix& first, const Matrix& second = {})
      : first_(first, stream_of(launch)), second_(second, stream_of(launch)) {
    first_.plan(scratch);
    second_.plan(scratch);
    const RowCopy<T>&a = first_.copy, &b = second_.copy;
    if (a.blocks + b.blocks == 0) return;
    const Index bytes = std::max(a.to.ld, b.to.ld) * Index{sizeof(T)};
    launch_dependent(copy_rows<T>,
                     dim3(static_cast<unsigned>(a.blocks + b.blocks),
                          static_cast<unsigned>(std::min<Index>(ceil_div<Index>(bytes, 512), 64))),
                     dim3(32, 8), 0, stream_of(launch), a, b);
  }

  const Matrix& first() const { return first_.view; }
  const Matrix& second() const { return second_.view; }

 private:
  struct FreeInOrder {
    cudaStream_t stream;
    void operator()(void* memory) const { cudaFreeAsync(memory, stream); }
  };

  struct Factor {
    Matrix view;
    RowCopy<T> copy{};
    std::unique_ptr<void, FreeInOrder> own;

    Factor(const Matrix& from, cudaStream_t stream) : view(from), own(nullptr, FreeInOrder{stream}) {}

    void plan(Scratch<>& scratch) {
      if (has_tensor_map(view) || view.rows == 0 || view.cols == 0) return;
      const Index cols = padded_cols<T>(view.cols);
      const std::size_t bytes = view.rows * cols * sizeof(T);
      copy = {scratch_bytes({bytes}) <= scratch.bytes_left() ? scratch.matrix<T>(view.rows, cols)
                                                             : own_rows(view.rows, cols),
              view, static_cast<int>(std::min<Index>(ceil_div<Index>(view.rows, 8), 1 << 20))};
      copy.to.cols = view.cols;
      view = copy.to;
    }
    MatrixView<T> own_rows(Index rows, Index cols) {
      void* memory = nullptr;
      TALLCACHE_CUDA(cudaMallocAsync(&memory, rows * cols * sizeof(T), own.get_deleter().stream));
      own.reset(memory);
      return {static_cast<T*>(memory), rows, cols, cols};
    }
  };

  Factor first_, second_;
};

}  // namespace tallcache::gpu::matmul
