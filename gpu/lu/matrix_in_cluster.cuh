// The decomposition of a matrix that lies whole in the shared memory of a cluster of blocks. The first warp
// of a block has 32 rows in the columns of a panel, and messages tell the pivots; all warps have the columns
// behind.
#pragma once

#include "gpu/cluster.cuh"
#include "gpu/lu/whole_matrix.cuh"

namespace tallcache::gpu::lu {

template <class T>
struct MatrixInCluster {
  static constexpr int columns = 16, rows = 32, max_blocks = 16, warps = 8, threads = 32 * warps;
  static constexpr int vector = Chunk<T>::size;
  using Offer = Proposal<T, columns>;

  struct Memory {
    Offer own, offers[2][max_blocks];
    Mbarrier arrived[2];
    alignas(16) T triangle[columns][columns];  ///< of the panel: the columns of L at the diagonal
    alignas(16) T lower[rows][columns];        ///< of the panel: this block's rows
    int from[columns];                         ///< the rows of the panel's pivots
    int position[rows];
    bool active[rows];
  };
  /// Of the columns: eight lanes that have a row each then meet no bank twice.
  static constexpr int pitch(int n) { return (ceil_div(n, vector) | 1) * vector; }
  static constexpr std::size_t shared_bytes(int n) {
    return sizeof(Memory) + sizeof(T) * (rows + columns) * pitch(n);
  }
  /// The blocks that have m rows, a power of two. One alone could send no messages.
  static constexpr int blocks(Index m) {
    int number = 2;
    while (number * rows < m) number *= 2;
    return number;
  }
  static constexpr bool has_room(Index m, Index n) {
    return m <= max_blocks * rows && n < shared_of_block &&
           shared_bytes(static_cast<int>(n)) <= shared_of_block;
  }

  /// Factors each of the matrices of m x n that lie one below the other in `a`.
  static void start(cudaStream_t, const MatrixView<T>& a, std::int32_t* exchanges, Index m);

  __device__ MatrixInCluster(const MatrixView<T>& matrix, bool rows_are_wide, int number_of_blocks,
                             std::byte* memory)
      : a(matrix),
        m(static_cast<int>(matrix.rows)),
        n(static_cast<int>(matrix.cols)),
        number(number_of_blocks),
        wide(rows_are_wide),
        shared(*reinterpret_cast<Memory*>(memory)),
        kept(reinterpret_cast<T*>(memory + sizeof(Memory))),
        pivots(kept + rows * pitch(n)),
        of_row(pitch(n)),
        row{rank * rows + lane, warp == 0 && rank * rows + lane < m} {}

  __device__ void factor(std::int32_t* exchanges) {
    const int steps = m < n ? m : n;
    load();
    if (threadIdx.x == 0)
      for (int b = 0; b < 2; ++b) shared.arrived[b].init(1);
    sync_cluster();  // all barriers are made, and all rows read
#pragma unroll 1
    for (int col = 0; col < steps; col += columns) {
      if (warp == 0) factor_panel(col, steps - col, exchanges);
      if (col + columns >= n) break;
      sync_cluster();
      solve(col, steps - col);
      sync_cluster();
      subtract(col);
      __syncthreads();
    }
    __syncthreads();
    store();
  }

 private:
  __device__ int own_rows() const { return min(m - rank * rows, rows); }

  __device__ void load() {
    const int step = wide ? vector : 1;
    for (int i = warp; i < own_rows(); i += warps)
      for (int j = lane * step; j < n; j += 32 * step) {
        const std::uint32_t to = shared_address(kept + i * of_row + j);
        const T* const from = a.data + (rank * rows + i) * a.ld + j;
        if (wide)
          copy_asynchronously<16>(to, from, min(n - j, vector) * static_cast<int>(sizeof(T)));
        else
          copy_asynchronously<sizeof(T)>(to, from, static_cast<int>(sizeof(T)));
      }
    commit_copies();
    wait_for_copies<0>();
  }
  __device__ void store() {
    for (int i = warp; i < own_rows(); i += warps) {
      const T* const from = kept + i * of_row;
      T* const to = a.data + shared.position[i] * a.ld;
      if (wide)
        for (int j = lane * vector; j < n; j += 32 * vector)
          store_chunk(to[j], 0, n - j, vector_at<vector>(from[j]), true);
      else
        for (int j = lane; j < n; j += 32) to[j] = from[j];
    }
  }

  /// The first warp. Rows are told whole: their multipliers are the rows of L at the diagonal.
  __device__ void factor_panel(int col, int width, std::int32_t* exchanges) {
    T* const own = kept + lane * of_row + col;
    row.load([&](int k) { return col + k < of_row ? vector_at<vector>(own[k]) : Chunk<T>{}; });
#pragma unroll
    for (int j = 0; j < columns; ++j) {
      if (j >= width) break;
      row.template offer<32>(j, 0, shared.own);
      __syncwarp();
      const Offer& pivot = agree(j, (col + j) / 2 % 2);
      if (lane < columns) shared.triangle[lane][j] = pivot.elements[lane];
      if (lane == 0) shared.from[j] = pivot.row;
      if (rank == 0 && lane == 0) exchanges[col + j] = pivot.position;
      row.eliminate(pivot, j, col + j);
    }
    row.store([&](int k, const Chunk<T>& chunk) {
      if (col + k < of_row) vector_at<vector>(own[k]) = chunk;
      vector_at<vector>(shared.lower[lane][k]) = chunk;
    });
    shared.position[lane] = row.position;
    shared.active[lane] = row.active;
  }

  /// The best of the rows that the blocks offer.
  __device__ __forceinline__ const Offer& agree(int j, int phase) {
    constexpr int pieces = static_cast<int>(sizeof(Offer)) / 16;
    Offer* const all = shared.offers[j % 2];
    Mbarrier& barrier = shared.arrived[j % 2];
    if (lane == 0) barrier.arrive_expecting(number * static_cast<int>(sizeof(Offer)));
    const std::uint32_t counted = shared_address(&barrier), to = shared_address(all + rank);
    for (int i = lane; i < number * pieces; i += 32)
      send(of_block(to + i % pieces * 16, i / pieces),
           reinterpret_cast<const uint4*>(&shared.own)[i % pieces], of_block(counted, i / pieces));
    __syncwarp();  // all have read the own offer
    barrier.wait(phase);
    const bool is_block = lane < number;
    return all[best_lane<32>(is_block ? all[lane].key : Key<T>{0},
                             is_block ? all[lane].position : 0x7fffffff)];
  }

  /// The rows of the panel's pivots in the columns behind it. The blocks share strips of 32 columns, a warp
  /// has one and a lane a column; then all blocks get all.
  __device__ void solve(int col, int width) {
    const int first = col + columns + rank * 32, apart = number * 32;
    for (int c = first + warp * apart + lane; c < n; c += warps * apart) {
      T x[columns];
#pragma unroll
      for (int i = 0; i < columns; ++i) {
        const int of = i < width ? shared.from[i] : 0;
        x[i] = *of_block(kept + of % rows * of_row + c, of / rows);
      }
      substitute(x, shared.triangle);
#pragma unroll
      for (int i = 0; i < columns; ++i) pivots[i * of_row + c] = x[i];
    }
    __syncthreads();
    constexpr int across = 32 / vector;
    for (int c = first; c < n; c += apart)
      for (int b = warp; b < number; b += warps)
        for (int i = lane; i < columns * across; i += 32)
          if (const int at = c + i % across * vector; b != rank && at < n) {
            T* const chunk = pivots + i / across * of_row + at;
            *of_block(reinterpret_cast<uint4*>(chunk), b) = *reinterpret_cast<const uint4*>(chunk);
          }
  }

  /// The products of the panel's multipliers and those rows. A warp has every eighth of the chunks, a lane a
  /// row; a row that became a pivot's is complete.
  __device__ void subtract(int col) {
    if (lane >= own_rows()) return;
    const int place = shared.position[lane] - col;
    const bool is_pivot = place >= 0 && place < columns && !shared.active[lane];
    if (!shared.active[lane] && !is_pivot) return;
    T multiplier[columns];
#pragma unroll
    for (int k = 0; k < columns; ++k) multiplier[k] = shared.lower[lane][k];
    T* const own = kept + lane * of_row;
    const int first = col + columns + warp * vector;
    if (is_pivot)
      for (int c = first; c < n; c += warps * vector)
        vector_at<vector>(own[c]) = vector_at<vector>(pivots[place * of_row + c]);
    else
      subtract_rows_to(own, first, n, warps * vector, multiplier, [&](int k) { return pivots + k * of_row; });
  }

  MatrixView<T> a;
  int m, n, number;  ///< number: of blocks
  bool wide;
  Memory& shared;
  T *kept, *pivots;  ///< this block's rows, and those of the panel's pivots behind it
  int of_row;
  int rank = static_cast<int>(cluster_rank());
  int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  PanelRow<T, columns> row;
};

/// Each of the matrices of m x n that lie one below the other in `a`, by a cluster of `blocks`.
template <class T>
__global__ void __launch_bounds__(MatrixInCluster<T>::threads)
    factor_in_clusters(MatrixView<T> a, std::int32_t* exchanges, Index m, int blocks, bool wide) {
  extern __shared__ __align__(16) std::byte memory[];
  let_next_kernel_start();
  wait_for_last_kernel();
  const Index number = static_cast<int>(blockIdx.x) / blocks;
  MatrixInCluster<T>(a.block(number * m, 0, m, a.cols), wide, blocks, memory)
      .factor(exchanges + number * min(m, a.cols));
}

template <class T>
void MatrixInCluster<T>::start(cudaStream_t stream, const MatrixView<T>& a, std::int32_t* exchanges,
                               Index m) {
  const int number = blocks(m);
  launch_chained<factor_in_clusters<T>>(
      stream,
      {grid_of(a.rows / m * number), static_cast<unsigned>(threads), shared_bytes(static_cast<int>(a.cols)),
       static_cast<unsigned>(number)},
      a, exchanges, m, number, rows_are_chunks(a));
}

}  // namespace tallcache::gpu::lu
