// B = A^T where A has few rows or few columns. A block processes as much of the long side as fits into its
// shared memory, and reads and writes runs of neighbouring elements.
#pragma once

#include <bit>

#include "common/ops/transpose.hpp"
#include "gpu/check.hpp"
#include "gpu/tile.hpp"

namespace tallcache::gpu::transpose {

inline constexpr int strip_threads = 256;
inline constexpr Index narrow = 63;  ///< the maximum rows or columns of a narrow matrix

/// The part of a matrix that a block processes: the whole short side, `across`, and `along` of the long one,
/// a power of two.
struct Strip {
  static constexpr int bytes = 16384;
  int across, log_along;

  Strip(Index short_side, int element) : across(static_cast<int>(short_side)) {
    log_along = std::bit_width(static_cast<unsigned>(bytes / element / across)) - 1;
  }
  int along() const { return 1 << log_along; }
  /// An odd number of elements, so that neither direction has bank conflicts.
  __host__ __device__ int pitch() const { return across | 1; }
};

/// k / d, for k below 2^13 and d below 2^7.
__device__ inline int quotient(int k, int d) {
  return static_cast<int>(static_cast<unsigned>(k) * ((1u << 20) / d + 1) >> 20);
}

/// `flat`: A has few rows; otherwise few columns.
template <class T, bool flat>
__global__ void __launch_bounds__(strip_threads)
    transpose_strips(MatrixView<T> b, MatrixView<const T> a, Strip strip) {
  extern __shared__ __align__(16) unsigned char memory[];
  T* held = reinterpret_cast<T*>(memory);  // element (l, s), l along, s across, at l * pitch + s
  constexpr int loads = Strip::bytes / sizeof(T) / strip_threads;
  const int across = strip.across, along = 1 << strip.log_along, pitch = strip.pitch();
  const Index begin = Index{blockIdx.x} * along;
  const Index length = flat ? a.cols : a.rows;
  const int here = length - begin < along ? static_cast<int>(length - begin) : along;
  const auto by_lines = [&](int k) { return int2{k & (along - 1), k >> strip.log_along}; };
  const auto by_strips = [&](int k) {
    const int l = quotient(k, across);
    return int2{l, k - l * across};
  };
  T value[loads];
#pragma unroll
  for (int e = 0; e < loads; ++e) {
    const int k = e * strip_threads + threadIdx.x;
    const int2 at = flat ? by_lines(k) : by_strips(k);
    if (at.x < here && at.y < across) value[e] = flat ? a(at.y, begin + at.x) : a(begin + at.x, at.y);
  }
#pragma unroll
  for (int e = 0; e < loads; ++e) {
    const int k = e * strip_threads + threadIdx.x;
    const int2 at = flat ? by_lines(k) : by_strips(k);
    if (at.x < here && at.y < across) held[at.x * pitch + at.y] = value[e];
  }
  __syncthreads();
#pragma unroll
  for (int e = 0; e < loads; ++e) {
    const int k = e * strip_threads + threadIdx.x;
    const int2 at = flat ? by_strips(k) : by_lines(k);
    if (at.x < here && at.y < across) {
      const T element = held[at.x * pitch + at.y];
      if constexpr (flat)
        b(begin + at.x, at.y) = element;
      else
        b(at.y, begin + at.x) = element;
    }
  }
}

struct narrow_strips : OnGpu {
  static constexpr std::string_view idea =
      "matrices of few rows or few columns: a block transposes all of them along part of the long side; "
      "applies coalescing, coarsening";
  static constexpr std::string_view source = "M16: Shared memory bank conflicts, by strips";
  using operations = OperationList<Transpose<float>, Transpose<double>, Transpose<std::int32_t>>;

  static bool supports(const Shape& shape) { return std::min(shape["m"], shape["n"]) <= narrow; }

  template <class Args>
  static void call(const Launch& launch, const Args& args, const Params&) {
    if (args.a.rows == 0 || args.a.cols == 0) return;
    if (args.a.rows <= args.a.cols)
      start<true>(launch, args.b, args.a);
    else
      start<false>(launch, args.b, args.a);
  }

 private:
  template <bool flat, class T>
  static void start(const Launch& launch, const MatrixView<T>& b, const MatrixView<const T>& a) {
    const Strip strip(std::min(a.rows, a.cols), sizeof(T));
    const unsigned blocks = grid_of(ceil_div(std::max(a.rows, a.cols), strip.along()));
    const std::size_t held = strip.along() * strip.pitch() * sizeof(T);
    transpose_strips<T, flat><<<blocks, strip_threads, held, stream_of(launch)>>>(b, a, strip);
    check_launch();
  }
};

}  // namespace tallcache::gpu::transpose
