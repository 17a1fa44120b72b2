// The QR factorisation of a narrow panel by one cluster of blocks: rows in registers, one exchange of
// messages a column.
#pragma once

#include "common/view.hpp"
#include "gpu/chunk.hpp"
#include "gpu/cluster.cuh"
#include "gpu/dependent_launch.cuh"
#include "gpu/launch.cuh"
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
template <int of_lane>
inline constexpr int max_panel_warps = of_lane == 16 ? 8 : 16;

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
        rank(blocks > 1 ? static_cast<int>(cluster_rank()) : 0),
        of_warps(memory),
        of_blocks(of_warps + 2 * max_warps * sums_pitch),
        tops(of_blocks + 2 * max_blocks * sums_pitch),
        totals(tops + 4 * columns),
        triangle(totals + 2 * columns),
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
    if (group == 0) totals[column] = own_tau;
    store();
    __syncthreads();
    store_y();
    clear_above();
    if (blocks > 1) sync_cluster();  // no block ends while others read from it
  }

 private:
  // A group's column in shared memory begins at other banks than that of the next group. A row of V is read
  // as a whole, and Y as columns.
  static constexpr int chunk = 16 / static_cast<int>(sizeof(T)), shown_pitch = of_lane + chunk;
  static constexpr int pitch = columns + chunk;
  // The panel's first rows are among this many first ones of a group.
  static constexpr int near = (columns + 8 * groups_of_warp - 1) / (8 * groups_of_warp);
  // The sums of a column by eight lanes fall into other banks than those of the next one.
  static constexpr int sums_pitch = columns + 4, adding = 8;
  static constexpr int fixed_elements =
      2 * (max_warps + max_blocks) * sums_pitch + 6 * columns + columns * columns;
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
    int* const of_own_block = exponents + max_warps * columns;
    if (lane < columns) exponents[warp * columns + column] = largest;
    __syncthreads();
    for (int w = 0; w < warps; ++w) largest = max(largest, exponents[w * columns + column]);
    if (warp == 0) of_own_block[column] = largest;
    if (blocks > 1) {
      sync_cluster();  // all barriers are made, too
      for (int b = 0; b < blocks; ++b) largest = max(largest, *of_block(of_own_block + column, b));
      sync_cluster();
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

  /// The column that is shown, row by row. It is read twice: to hold it would take as many registers again as
  /// the rows do.
  template <class Use>
  __device__ void for_x(const Use& use) const {
#pragma unroll
    for (int r = 0; r < of_lane; r += chunk) {
      T x[chunk];
      put(x, shown + r);
#pragma unroll
      for (int e = 0; e < chunk; ++e) use(r + e, x[e]);
    }
  }

  __device__ void reflect(int j) {
    T sums[4]{};
    for_x([&](int r, T x) { sums[r % 4] += a[r] * x; });
    T sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
#pragma unroll
    for (int distance = columns; distance < 32; distance *= 2) sum += __shfl_xor_sync(~0u, sum, distance);
    if (lane < columns) of_warps[(j % 2 * max_warps + warp) * sums_pitch + column] = sum;
#pragma unroll
    for (int r = 0; r < near; ++r)
      if (row_of(r) == j) tops[j % 2 * columns + column] = a[r];
    __syncthreads();
    if (static_cast<int>(threadIdx.x) < adding * columns) add_all(j);
    __syncthreads();
    sum = totals[column];
    const T top = totals[columns + column];
    const Reflector<T> h = reflector_of(__shfl_sync(~0u, top, j), __shfl_sync(~0u, sum, j));
    const T product = top + sum * h.factor;  // of v and this lane's column
    const T weight = h.tau * product;
    const T of_x = -(h.factor * weight);
    for_x([&](int r, T x) {
      if (column > j) a[r] += x * of_x;
    });
    __syncwarp();
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

  /// The sums over all warps of all blocks, in the same order everywhere, and row j. Eight lanes a column.
  __device__ void add_all(int j) {
    const int of = static_cast<int>(threadIdx.x) / adding, part = lane % adding;
    T sum = sum_of(of_warps + j % 2 * max_warps * sums_pitch + of, part, warps);
    T top = tops[j % 2 * columns + of];
    if (blocks > 1) {
      T* const all = of_blocks + j % 2 * max_blocks * sums_pitch;
      T* const top_of_all = tops + (2 + j % 2) * columns;
      Mbarrier& barrier = arrived[j % 2];
      if (threadIdx.x == 0) barrier.arrive_expecting((blocks + 1) * columns * static_cast<int>(sizeof(T)));
      const std::uint32_t place = shared_address(all + rank * sums_pitch + of);
      const std::uint32_t counted = shared_address(&barrier), place_of_top = shared_address(top_of_all + of);
      for (int b = part; b < blocks; b += adding) {
        send(of_block(place, b), sum, of_block(counted, b));
        if (rank == 0) send(of_block(place_of_top, b), top, of_block(counted, b));
      }
      barrier.wait(j / 2 % 2);
      __syncwarp();
      sum = sum_of(all + of, part, blocks);
      top = top_of_all[of];
    }
    if (part == 0) totals[of] = sum, totals[columns + of] = top;
  }
  /// Of up to 16 numbers, each lane of eight has one or two.
  static __device__ T sum_of(const T* parts, int part, int number) {
    T sum = part < number ? parts[part * sums_pitch] : T{0};
    if (part + adding < number) sum += parts[(part + adding) * sums_pitch];
#pragma unroll
    for (int distance = 1; distance < adding; distance *= 2) sum += __shfl_xor_sync(~0u, sum, distance);
    return sum;
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

  /// Row c of Y is tau_c (v_c^T - the sum over k < c of (v_k^T v_c) y_k). A thread makes a row of V a column
  /// of Y.
  __device__ void store_y() {
    const int of_block = of_lane * groups, begin = rank * of_block;
    for (int i = static_cast<int>(threadIdx.x); i < of_block && begin + i < rows;
         i += static_cast<int>(blockDim.x)) {
      T y[columns];
#pragma unroll
      for (int c = 0; c < columns; c += chunk) put(&y[c], tile + i * pitch + c);
#pragma unroll
      for (int k = 0; k < columns; ++k) {
        y[k] *= totals[k];
#pragma unroll
        for (int c = (k + 1) / chunk * chunk; c < columns; c += chunk) {
          T products[chunk];
          put(products, triangle + k * columns + c);
#pragma unroll
          for (int e = 0; e < chunk; ++e)
            if (c + e > k) y[c + e] -= products[e] * y[k];
        }
      }
#pragma unroll
      for (int c = 0; c < columns; ++c)
        if (c < width) to.y[c * to.y_ld + begin + i] = y[c];
    }
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
  T* totals;        ///< the sums over all blocks, and row j; behind the last column, tau
  T* triangle;      ///< products of reflectors
  T *tile, *shown;  ///< rows of V; before that, of each group the column of the next reflector
  int first = rank * groups * of_lane + group;  ///< of this lane's rows
  Mbarrier* arrived;
  T a[of_lane];
  T own_factor = 0, own_tau = 0, scale_back = 1;  ///< of the lane's column
};

template <class T, int columns, int of_lane>
__global__ void __launch_bounds__(32 * max_panel_warps<of_lane>)
    factor_panel(PanelTo<T> to, int rows, int width) {
  __shared__ Mbarrier barriers[2];
  extern __shared__ __align__(16) std::byte memory[];
  let_next_kernel_start();
  wait_for_last_kernel();
  PanelKernel<T, columns, of_lane>(to, rows, width, reinterpret_cast<T*>(memory), barriers).factor();
}

}  // namespace tallcache::gpu::qr
