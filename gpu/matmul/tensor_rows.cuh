// Factors as bulk copies read them: rows that start at multiples of 16 bytes.
#pragma once

#include <algorithm>

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

/// The scratch that a product of factors of T needs for tensor_rows().
template <class T>
std::size_t tensor_rows_bytes(const Shape& shape) {
  const Index k = shape["k"], n = shape["n"], pad = shape["pad"];
  const auto bytes = [](Index rows, Index cols, Index ld) {
    return ld * sizeof(T) % 16 == 0 ? 0 : static_cast<std::size_t>(rows * padded_cols<T>(cols)) * sizeof(T);
  };
  return scratch_bytes({bytes(shape["m"], k, k + pad), bytes(k, n, n + pad)});
}

/// `from`, called `name`, or its copy in `scratch` when its rows are not whole 16 bytes apart. Throws Error when
/// they are, but start between multiples of 16 bytes: of that its shape says nothing, so there is no scratch.
template <class T>
MatrixView<const T> tensor_rows(const Launch& launch, const MatrixView<const T>& from, Scratch<>& scratch,
                                const char* name) {
  if (has_tensor_map(from)) return from;
  if (from.ld * sizeof(T) % 16 == 0)
    throw Error(std::string("matmul: ") + name + " starts at no multiple of 16 bytes");
  MatrixView<T> to = scratch.matrix<T>(from.rows, padded_cols<T>(from.cols));
  to.cols = from.cols;
  const dim3 grid(static_cast<unsigned>(std::min<Index>(from.rows, 1 << 20)),
                  static_cast<unsigned>(std::min<Index>(ceil_div<Index>(from.cols, 256), 64)));
  copy_rows<T><<<grid, 256, 0, stream_of(launch)>>>(to, from);
  check_launch();
  return to;
}

}  // namespace tallcache::gpu::matmul
