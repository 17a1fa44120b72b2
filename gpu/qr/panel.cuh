// The QR factorisation of a narrow panel by one cluster of blocks: rows in registers, one exchange of
// messages a column.
#pragma once

#include "common/view.hpp"
#include "gpu/chunk.hpp"
#include "gpu/dependent_launch.cuh"
#include "gpu/launch.cuh"
#include "gpu/lu/cluster.cuh"
#include "gpu/qr/column_scale.cuh"

namespace tallcache::gpu::qr {

/// Where a panel's results go. The product of its reflectors is I - V T V^T, and Y = T^T V^T. V has its ones
/// and zeros.
template <class T>
struct PanelTo {
  T* a;  ///< the panel itself: R, and V below the diagonal
  Index ld;
  T* v;
  Index v_ld;
  T* y;
  Index y_ld;
  T* tau;
  int above;  ///< rows of V, columns of Y, that are set to 0 before those of the panel
};

/// The warps of a block for which there are registers.
template <class T, int of_lane>
inline constexpr int max_panel_warps = of_lane == 16    ? 8
                                       : sizeof(T) == 8 ? 12
                                                        : 16;

/// A panel of up to `columns` columns. A lane has one column of `of_lane` rows; the lanes that have the same
/// rows are a group. Neighbouring rows are those of different groups: the panel's first rows, of which row j
/// is needed in column j, are each group's first ones. A block has at least 8 warps.
///
/// For column j one sum over the rows below j gives all: the products of its elements x with all columns are
/// x^T x, what the reflector v = (1; x / (alpha - beta)) is multiplied with in the columns behind, and the
/// products of v with the reflectors before, which T is made of. Columns stay scaled (column_scale.cuh).
template <class T, int columns, int of_lane>
class PanelKernel {
 public:
  static constexpr int max_warps = 16, max_blocks = 16, groups_of_warp = 32 / columns;
  static constexpr int of_warp = groups_of_warp * of_lane;

  static std::size_t shared_bytes(int warps) {
    return sizeof(T) * (fixed_elements + static_cast<std::size_t>(warps) * of_warp * pitch);
  }

  __device__ PanelKernel(const PanelTo<T>& results, int number_of_rows, int number_of_columns, T* memory,
                         Mbarrier* barriers)
      : to(results),
        rows(number_of_rows),
        width(number_of_columns),
        blocks(static_cast<int>(gridDim.x)),
        rank(blocks > 1 ? static_cast<int>(lu::cluster_rank()) : 0),
        of_warps(memory),
        of_blocks(of_warps + 2 * max_warps * columns),
        tops(of_blocks + 2 * max_blocks * columns),
        triangle(tops + 4 * columns),
        tile(triangle + columns * columns),
        shown(tile + group * shown_pitch),
        arrived(barriers) {}

  __device__ void factor() {
    load();
    if (threadIdx.x == 0 && blocks > 1)
      for (int b = 0; b < 2; ++b) arrived[b].init(1);
    scale();
    show_column(0);
#pragma unroll 1
    for (int j = 0; j < width; ++j) reflect(j);
    if (rank == 0 && group == 0 && column < width) to.tau[column] = own_tau;
    __syncthreads();
    if (warp == 0) invert_triangle();
    store();
    __syncthreads();
    store_y();
    clear_above();
    if (blocks > 1) lu::sync_cluster();  // no block ends while others read from it
  }

 private:
  // A group's column in shared memory begins at other banks than that of the next group. A row of V is read
  // as a whole, and Y as columns.
  static constexpr int chunk = 16 / static_cast<int>(sizeof(T)), shown_pitch = of_lane + chunk;
  static constexpr int pitch = columns + chunk;
  // The panel's first rows are among this many first ones of a group.
  static constexpr int near = (columns + 8 * groups_of_warp - 1) / (8 * groups_of_warp);
  static constexpr int fixed_elements = (2 * max_warps + 2 * max_blocks + 4) * columns + columns * columns;
  static_assert(shown_pitch <= of_lane * pitch && columns >= chunk && near <= of_lane);

  __device__ int row_of(int r) const { return first + r * groups; }

  __device__ void load() {
#pragma unroll
    for (int r = 0; r < of_lane; ++r)
      a[r] = row_of(r) < rows && column < width ? to.a[row_of(r) * to.ld + column] : T{0};
  }

  /// Divides each column by the power of two of its largest element.
  __device__ void scale() {
    int largest = 0;
#pragma unroll
    for (int r = 0; r < of_lane; ++r) largest = max(largest, exponent_of(a[r]));
#pragma unroll
    for (int distance = columns; distance < 32; distance *= 2)
      largest = max(largest, __shfl_xor_sync(~0u, largest, distance));
    int* const exponents = reinterpret_cast<int*>(of_warps);
    int* const of_block = exponents + max_warps * columns;
    if (lane < columns) exponents[warp * columns + column] = largest;
    __syncthreads();
    for (int w = 0; w < warps; ++w) largest = max(largest, exponents[w * columns + column]);
    if (warp == 0) of_block[column] = largest;
    if (blocks > 1) {
      lu::sync_cluster();  // all barriers are made, too
      for (int b = 0; b < blocks; ++b) largest = max(largest, *lu::of_block(of_block + column, b));
      lu::sync_cluster();
    } else {
      __syncthreads();
    }
    const T factor = power_of_two<T>(-largest_shift<T>(largest));
    scale_back = power_of_two<T>(largest_shift<T>(largest));
#pragma unroll
    for (int r = 0; r < of_lane; ++r) a[r] *= factor;
  }

  /// Column j below the diagonal for all lanes of a group; zeros above.
  __device__ void show_column(int j) {
    if (column == j) {
#pragma unroll
      for (int r = 0; r < of_lane; r += chunk) {
        Chunk<T> rows_of_chunk;
#pragma unroll
        for (int e = 0; e < chunk; ++e)
          rows_of_chunk.at[e] = r + e < near && row_of(r + e) <= j ? T{0} : a[r + e];
        vector_at<chunk>(shown[r]) = rows_of_chunk;
      }
    }
    __syncwarp();
  }

  __device__ void reflect(int j) {
    T x[of_lane];
#pragma unroll
    for (int r = 0; r < of_lane; r += chunk) put(&x[r], shown + r);
    __syncwarp();
    T sums[4]{};
#pragma unroll
    for (int r = 0; r < of_lane; ++r) sums[r % 4] += a[r] * x[r];
    T sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
#pragma unroll
    for (int distance = columns; distance < 32; distance *= 2) sum += __shfl_xor_sync(~0u, sum, distance);
    if (lane < columns) of_warps[(j % 2 * max_warps + warp) * columns + column] = sum;
    T top = 0;
#pragma unroll
    for (int r = 0; r < near; ++r)
      if (row_of(r) == j) tops[j % 2 * columns + column] = a[r];
    __syncthreads();
    sum_of_all(j, sum, top);

    const Reflector<T> h = reflector_of(__shfl_sync(~0u, top, j), __shfl_sync(~0u, sum, j));
    const T product = top + sum * h.factor;  // of v and this lane's column
    const T weight = h.tau * product;
    if (column > j) {
      const T of_x = -(h.factor * weight);
#pragma unroll
      for (int r = 0; r < of_lane; ++r) a[r] += x[r] * of_x;
    }
#pragma unroll
    for (int r = 0; r < near; ++r)
      if (row_of(r) == j && column >= j) a[r] = column == j ? h.beta : top - weight;
    // The columns before j keep x of their reflectors.
    if (group == 0 && column < j) triangle[column * columns + j] = own_factor * product;
    if (column == j) own_factor = h.factor, own_tau = h.tau;
    if (j + 1 < width) show_column(j + 1);
  }

  /// 16 bytes of shared memory.
  static __device__ void put(T* to, const T* from) {
    const Chunk<T> elements = vector_at<chunk>(*from);
#pragma unroll
    for (int e = 0; e < chunk; ++e) to[e] = elements.at[e];
  }

  /// The sums over all warps of all blocks, in the same order everywhere, and row j.
  __device__ void sum_of_all(int j, T& sum, T& top) {
    const T* const parts = of_warps + j % 2 * max_warps * columns + column;
    sum = sum_of(parts, warps);
    top = tops[j % 2 * columns + column];
    if (blocks == 1) return;
    T* const all = of_blocks + j % 2 * max_blocks * columns;
    T* const top_of_all = tops + (2 + j % 2) * columns;
    Mbarrier& barrier = arrived[j % 2];
    if (threadIdx.x == 0) barrier.arrive_expecting((blocks + 1) * columns * static_cast<int>(sizeof(T)));
    if (lane < columns) {
      const std::uint32_t place = shared_address(all + rank * columns + column);
      const std::uint32_t counted = shared_address(&barrier),
                          place_of_top = shared_address(top_of_all + column);
      for (int b = warp; b < blocks; b += warps) {
        lu::send(lu::of_block(place, b), sum, lu::of_block(counted, b));
        if (rank == 0) lu::send(lu::of_block(place_of_top, b), top, lu::of_block(counted, b));
      }
    }
    barrier.wait(j / 2 % 2);
    sum = sum_of(all + column, blocks);
    top = top_of_all[column];
  }
  static __device__ T sum_of(const T* parts, int number) {
    T sums[2]{};
#pragma unroll 4
    for (int i = 0; i + 1 < number; i += 2) {
      sums[0] += parts[i * columns];
      sums[1] += parts[(i + 1) * columns];
    }
    if (number % 2) sums[0] += parts[(number - 1) * columns];
    return sums[0] + sums[1];
  }

  /// T = D (I + N D)^-1, where D has tau on its diagonal and N the products of each reflector with those
  /// behind it (Puglisi 1992). One warp; a lane a column.
  __device__ void invert_triangle() {
    T* const taus = tops;
    if (lane < columns) taus[column] = own_tau;
    __syncwarp();
    T z[columns];
#pragma unroll
    for (int i = columns - 1; i >= 0; --i) {
      T sums[2]{i == column ? T{1} : T{0}, T{0}};
#pragma unroll
      for (int k = i + 1; k < columns; ++k)
        sums[k % 2] -= (k < width ? triangle[i * columns + k] : T{0}) * taus[k] * z[k];
      z[i] = sums[0] + sums[1];
    }
    __syncwarp();
#pragma unroll
    for (int i = 0; i < columns; ++i)
      if (lane < columns)
        triangle[i * columns + column] = i <= column && column < width ? taus[i] * z[i] : T{0};
  }

  __device__ void store() {
#pragma unroll
    for (int r = 0; r < of_lane; ++r) {
      const int row = row_of(r);
      const T v = a[r] * own_factor, element = row > column ? v : row == column ? T{1} : T{0};
      tile[(group + r * groups) * pitch + column] = element;
      if (row >= rows || column >= width) continue;
      to.v[row * to.v_ld + column] = element;
      to.a[row * to.ld + column] = row > column ? v : a[r] * scale_back;
    }
  }

  /// Y, a row a column of the panel, through shared memory: a row of V becomes a column of Y.
  __device__ void store_y() {
    T t[columns];
#pragma unroll
    for (int k = 0; k < columns; ++k) t[k] = triangle[k * columns + column];
#pragma unroll 4
    for (int r = 0; r < of_lane; ++r) {
      T* const row = tile + (group + r * groups) * pitch;
      T sums[4]{};
#pragma unroll
      for (int k = 0; k < columns; k += chunk) {
        T v[chunk];
        put(v, row + k);
#pragma unroll
        for (int e = 0; e < chunk; ++e) sums[(k + e) % 4] += v[e] * t[k + e];
      }
      __syncwarp();
      row[column] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    }
    __syncthreads();
    const int of_block = of_lane * groups, begin = rank * of_block;
    for (int c = warp; c < width; c += warps)
      for (int i = lane; i < of_block && begin + i < rows; i += 32)
        to.y[c * to.y_ld + begin + i] = tile[i * pitch + c];
  }

  __device__ void clear_above() {
    const int threads = static_cast<int>(blockDim.x);
    for (int i = rank * threads + static_cast<int>(threadIdx.x); i < to.above * width;
         i += blocks * threads) {
      to.v[(i / width - to.above) * to.v_ld + i % width] = 0;
      to.y[i / to.above * to.y_ld + i % to.above - to.above] = 0;
    }
  }

  PanelTo<T> to;
  int rows, width, blocks, rank;
  int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  int warps = static_cast<int>(blockDim.x) / 32, column = lane % columns;
  int group = static_cast<int>(threadIdx.x) / columns, groups = warps * groups_of_warp;  ///< of the block
  T *of_warps, *of_blocks;
  T* tops;          ///< row j of this block's, then of the first block's
  T* triangle;      ///< products of reflectors, then T
  T *tile, *shown;  ///< rows of V; before that, of each group the column of the next reflector
  int first = rank * groups * of_lane + group;  ///< of this lane's rows
  Mbarrier* arrived;
  T a[of_lane];
  T own_factor = 0, own_tau = 0, scale_back = 1;  ///< of the lane's column
};

template <class T, int columns, int of_lane>
__global__ void __launch_bounds__(32 * max_panel_warps<T, of_lane>)
    factor_panel(PanelTo<T> to, int rows, int width) {
  __shared__ Mbarrier barriers[2];
  extern __shared__ __align__(16) std::byte memory[];
  let_next_kernel_start();
  wait_for_last_kernel();
  PanelKernel<T, columns, of_lane>(to, rows, width, reinterpret_cast<T*>(memory), barriers).factor();
}

}  // namespace tallcache::gpu::qr
