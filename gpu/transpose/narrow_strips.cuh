// B = A^T where A has few rows or few columns. A block processes as much of the long side as fits into its
// shared memory, and reads and writes runs of neighbouring elements.
#pragma once

#include <bit>

#include "common/ops/transpose.hpp"
#include "gpu/check.hpp"
#include "gpu/tile.hpp"

namespace tallcache::gpu::transpose {

inline constexpr int strip_threads = 256, strip_warps = strip_threads / 32;
inline constexpr Index narrow = 96;  ///< the maximum rows or columns of a narrow matrix

/// k / d, for k below 2^13 and d below 2^7.
__device__ inline int quotient(int k, int d) {
  return static_cast<int>(static_cast<unsigned>(k) * ((1u << 20) / d + 1) >> 20);
}

/// The part of a matrix that a block processes: the whole short side, `across`, and `words` of 32 elements of
/// the long one. Element l along and s across is held at l * pitch + s.
template <class T, int words>
struct Lines {
  static constexpr int along = 32 * words;
  static constexpr int at_once = words < 16 / static_cast<int>(sizeof(T)) ? words : 16 / sizeof(T);
  static constexpr int parts = words / at_once;  ///< of a line, each a warp's

  T* held;
  int across, here;  ///< elements

  /// An odd number of elements, so that neither direction has bank conflicts.
  static __host__ __device__ int pitch_of(int across) { return across | 1; }
  static std::size_t bytes(int across) { return along * pitch_of(across) * sizeof(T); }
  __device__ T& at(int l, int s) const { return held[l * pitch_of(across) + s]; }

  /// From the lines of the long side, `ld` elements apart.
  __device__ void load_lines(const T* a, Index ld) const {
    constexpr int lines = 4;
    const int warp = threadIdx.x / 32, all = across * parts;
    for (int first = warp; first < all; first += lines * strip_warps) {
      T value[lines][at_once];
#pragma unroll
      for (int u = 0; u < lines; ++u) {
        const int line = first + u * strip_warps;
        const T* const from = a + line / parts * ld;
#pragma unroll
        for (int w = 0; w < at_once; ++w)
          if (const int l = element(line, w); line < all && l < here) value[u][w] = from[l];
      }
#pragma unroll
      for (int u = 0; u < lines; ++u) {
        const int line = first + u * strip_warps;
#pragma unroll
        for (int w = 0; w < at_once; ++w)
          if (const int l = element(line, w); line < all && l < here) at(l, line / parts) = value[u][w];
      }
    }
  }
  __device__ void store_lines(T* b, Index ld) const {
    const int all = across * parts;
    for (int line = threadIdx.x / 32; line < all; line += strip_warps) {
      T* const to = b + line / parts * ld;
#pragma unroll
      for (int w = 0; w < at_once; ++w)
        if (const int l = element(line, w); l < here) to[l] = at(l, line / parts);
    }
  }

  /// From the lines of the short side, place(k) the address of the k-th element.
  template <class Place>
  __device__ void load_strips(Place place) const {
    constexpr int loads = 8;
    const int all = here * across;
    for (int first = threadIdx.x; first < all; first += loads * strip_threads) {
      T value[loads];
#pragma unroll
      for (int u = 0; u < loads; ++u)
        if (const int k = first + u * strip_threads; k < all) value[u] = *place(k);
#pragma unroll
      for (int u = 0; u < loads; ++u)
        if (const int k = first + u * strip_threads; k < all) {
          const int l = quotient(k, across);
          at(l, k - l * across) = value[u];
        }
    }
  }
  template <class Place>
  __device__ void store_strips(Place place) const {
    const int all = here * across;
    for (int k = threadIdx.x; k < all; k += strip_threads) {
      const int l = quotient(k, across);
      *place(k) = at(l, k - l * across);
    }
  }

 private:
  /// The element of a line in which word w of this lane's part lies.
  static __device__ int element(int line, int w) {
    return (line % parts * at_once + w) * 32 + static_cast<int>(threadIdx.x % 32);
  }
};

/// f(place): place(k) is the address of the k-th element of lines of `across`, `ld` elements apart.
template <class T, class F>
__device__ void with_places(T* lines, Index ld, int across, F f) {
  if (ld == across)
    f([=](int k) { return lines + k; });
  else
    f([=](int k) {
      const int l = quotient(k, across);
      return lines + l * ld + (k - l * across);
    });
}

/// `flat`: A has few rows; otherwise few columns.
template <class T, bool flat, int words>
__global__ void __launch_bounds__(strip_threads) transpose_lines(MatrixView<T> b, MatrixView<const T> a) {
  using Part = Lines<T, words>;
  extern __shared__ __align__(16) unsigned char memory[];
  const Index begin = Index{blockIdx.x} * Part::along, length = flat ? a.cols : a.rows;
  const int here = length - begin < Part::along ? static_cast<int>(length - begin) : Part::along;
  const Part strip{reinterpret_cast<T*>(memory), static_cast<int>(flat ? a.rows : a.cols), here};
  if constexpr (flat) {
    strip.load_lines(a.data + begin, a.ld);
    __syncthreads();
    with_places(b.data + begin * b.ld, b.ld, strip.across, [&](auto place) { strip.store_strips(place); });
  } else {
    with_places(a.data + begin * a.ld, a.ld, strip.across, [&](auto place) { strip.load_strips(place); });
    __syncthreads();
    strip.store_lines(b.data + begin, b.ld);
  }
}

/// For a few rows or columns alone, or with gaps between short lines: the part of a matrix that a block
/// processes, the whole short side, `across`, and `along` of the long one, a power of two.
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
    constexpr int words = 16 / sizeof(T);
    const Index across = std::min(a.rows, a.cols);
    const bool has_gaps = (flat ? b.ld : a.ld) != across;
    if (across >= 64) return start<flat, words / 2>(launch, b, a);
    if (across > 8 && !has_gaps) return start<flat, words>(launch, b, a);
    const Strip strip(across, sizeof(T));
    const unsigned blocks = grid_of(ceil_div(std::max(a.rows, a.cols), strip.along()));
    const std::size_t held = strip.along() * strip.pitch() * sizeof(T);
    transpose_strips<T, flat><<<blocks, strip_threads, held, stream_of(launch)>>>(b, a, strip);
    check_launch();
  }

  template <bool flat, int words, class T>
  static void start(const Launch& launch, const MatrixView<T>& b, const MatrixView<const T>& a) {
    using Part = Lines<T, words>;
    const int across = static_cast<int>(std::min(a.rows, a.cols));
    const unsigned blocks = grid_of(ceil_div(std::max(a.rows, a.cols), Part::along));
    transpose_lines<T, flat, words><<<blocks, strip_threads, Part::bytes(across), stream_of(launch)>>>(b, a);
    check_launch();
  }
};

}  // namespace tallcache::gpu::transpose
