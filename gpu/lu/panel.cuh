// The decomposition of a narrow panel by one cluster of blocks: rows in registers, one exchange of messages a
// column, no row moved before the end.
#pragma once

#include <algorithm>

#include "common/view.hpp"
#include "gpu/cluster.cuh"
#include "gpu/dependent_launch.cuh"
#include "gpu/lu/exchange_list.hpp"
#include "gpu/lu/pivot.cuh"

namespace tallcache::gpu::lu {

/// What a warp or a block proposes as the next pivot: its element, and the row from there on.
template <class T, int columns>
struct alignas(16) Proposal {
  Key<T> key;
  T factor;      ///< factor_of the pivot
  int position;  ///< where the row would lie now, had the earlier exchanges been made
  int row;       ///< where it lies
  alignas(16) T elements[columns];
};

/// The rows of so many columns for which a thread has registers, and the threads of a block that have them.
template <class T>
constexpr int max_rows_of_thread(int columns) {
  return (columns >= 16 ? 512 : 256) / (columns * static_cast<int>(sizeof(T)));
}
template <class T>
constexpr int max_panel_threads(int columns, int of_thread) {
  return columns * of_thread * sizeof(T) < 512 ? 512 : 384;
}

/// A panel of up to `columns` columns. A thread holds `of_thread` rows of it.
template <class T, int columns, int of_thread>
struct PanelKernel {
  static constexpr int max_warps = 16, max_blocks = 16, no_row = 0x7fffffff;
  using Offer = Proposal<T, columns>;
  static constexpr int pitch = columns + 1;  // a column of threads' elements falls into all banks

  static std::size_t shared_bytes(int threads) {
    return (2 * (max_warps + max_blocks)) * sizeof(Offer) + of_thread * threads * pitch * sizeof(T);
  }

  __device__ PanelKernel(T* panel, Index row_size, int number_of_rows, int number_of_columns,
                         std::byte* memory, Mbarrier* barriers)
      : a(panel),
        ld(row_size),
        rows(number_of_rows),
        width(number_of_columns),
        blocks(static_cast<int>(gridDim.x)),
        rank(blocks > 1 ? static_cast<int>(cluster_rank()) : 0),
        of_warps(reinterpret_cast<Offer*>(memory)),
        of_blocks(of_warps + 2 * max_warps),
        done(reinterpret_cast<T*>(of_blocks + 2 * max_blocks)),
        arrived(barriers) {}

  __device__ void factor(std::int32_t* exchanges, int first, ExchangeList* list, int left_columns) {
    load();
    if (threadIdx.x == 0 && blocks > 1)
      for (int b = 0; b < 2; ++b) arrived[b].init(1);
    __syncthreads();
    fetch();
    if (blocks > 1) sync_cluster();  // all barriers are made, and all rows read
    offer<columns>(0, [] {});
    columns_from<0>(exchanges, first, list);
    __syncthreads();
    store();

#pragma unroll
    for (int r = 0; r < of_thread; ++r)
      if (const int row = first_row(r) + static_cast<int>(threadIdx.x); row < width)
        list->to[row] = !active[r] || position[r] == row ? -1 : position[r];
    if (rank == 0 && threadIdx.x == 0) list->begin = first, list->width = width;
    if (left_columns > 0) {
      __syncthreads();
      if (blocks > 1) sync_cluster();
      exchange_left(*list, left_columns);
    } else if (blocks > 1) {
      sync_cluster();  // no block ends while others send to it
    }
  }

 private:
  __device__ int first_row(int r) const { return (rank * of_thread + r) * static_cast<int>(blockDim.x); }

  __device__ void load() {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
    const int count = of_thread * static_cast<int>(blockDim.x), first = first_row(0);
    constexpr int at_once = 32 / columns;  // rows of a warp's access
    for (int i = warp * at_once + lane / columns; i < count; i += warps * at_once) {
      const int j = lane % columns;
      const bool exists = first + i < rows && j < width;
      copy_asynchronously<sizeof(T)>(shared_address(done + i * pitch + j),
                                     a + (exists ? (first + i) * ld + j : 0),
                                     exists ? static_cast<int>(sizeof(T)) : 0);
    }
    commit_copies();
    wait_for_copies<0>();
  }
  __device__ void fetch() {
#pragma unroll
    for (int r = 0; r < of_thread; ++r) {
      const int i = r * static_cast<int>(blockDim.x) + static_cast<int>(threadIdx.x);
      position[r] = first_row(r) + static_cast<int>(threadIdx.x);
      active[r] = position[r] < rows;
#pragma unroll
      for (int j = 0; j < columns; ++j) row[r][j] = done[i * pitch + j];
    }
  }
  /// Rows go to the places to which the exchanges bring them.
  __device__ void store() {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    constexpr int at_once = 32 / columns;
#pragma unroll
    for (int r = 0; r < of_thread; ++r) {
      const int begin = r * static_cast<int>(blockDim.x) + warp * 32;
#pragma unroll 4
      for (int i = 0; i < 32; i += at_once) {
        const int of = i + lane / columns, j = lane % columns;
        const int to = __shfl_sync(~0u, position[r], of);
        if (first_row(0) + begin + of < rows && j < width) a[to * ld + j] = done[(begin + of) * pitch + j];
      }
    }
  }

  /// Registers begin with the column of the next pivot: the loop stays a loop, and every few columns one of
  /// fewer registers follows.
  template <int from>
  __device__ void columns_from(std::int32_t* exchanges, int first, ExchangeList* list) {
    constexpr int together = 8 < columns ? 8 : columns;
    if constexpr (from < columns) {
#pragma unroll 1
      for (int j = from; j < from + together; ++j) {
        if (j >= width) return;
        const Offer& pivot = agree<columns - from>(j);
        if (rank == 0 && threadIdx.x == 0) {
          exchanges[j] = first + pivot.position;
          list->from[j] = pivot.row;
        }
        eliminate<columns - from>(pivot, j);
      }
      columns_from<from + together>(exchanges, first, list);
    }
  }

  /// The pivot of column j of those that the warps offer: all blocks agree upon it.
  template <int left>
  __device__ const Offer& agree(int j) {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
    const Offer* const own = of_warps + j % 2 * max_warps;
    __syncthreads();
    const bool is_warp = lane < warps;
    const int best = best_lane(is_warp ? own[lane].key : Key<T>{0}, is_warp ? own[lane].position : no_row);
    if (blocks == 1) return own[best];

    Offer* const all = of_blocks + j % 2 * max_blocks;
    constexpr int bytes = static_cast<int>(offsetof(Offer, elements) + left * sizeof(T));
    static_assert(bytes % 16 == 0 && bytes <= 32 * 16);
    Mbarrier& barrier = arrived[j % 2];
    if (threadIdx.x == 0) barrier.arrive_expecting(blocks * bytes);
    if (lane < bytes / 16) {
      const uint4 piece = reinterpret_cast<const uint4*>(own + best)[lane];
      const std::uint32_t to = shared_address(all + rank) + lane * 16, counted = shared_address(&barrier);
      for (int b = warp; b < blocks; b += warps) send(of_block(to, b), piece, of_block(counted, b));
    }
    barrier.wait(j / 2 % 2);
    const bool is_block = lane < blocks;
    return all[best_lane(is_block ? all[lane].key : Key<T>{0}, is_block ? all[lane].position : no_row)];
  }

  /// The best of the warp's rows is offered as the pivot of column j. What `beside` does comes in between.
  template <int left, class Beside>
  __device__ void offer(int j, const Beside& beside) {
    Key<T> key = active[0] ? key_of(row[0][0]) : 0;
    int at = 0;
#pragma unroll
    for (int r = 1; r < of_thread; ++r)
      if (const Key<T> other = active[r] ? key_of(row[r][0]) : 0;
          other > key || (other == key && position[r] < position_of(at)))
        key = other, at = r;
    T pivot = row[0][0];
#pragma unroll
    for (int r = 1; r < of_thread; ++r) pivot = at == r ? row[r][0] : pivot;
    const T factor = factor_of(pivot);
    const int lane = threadIdx.x % 32;
    if (best_lane(key, position_of(at), beside) == lane)
      write_offer<left>(of_warps[j % 2 * max_warps + threadIdx.x / 32], key, factor, at);
  }

  __device__ int position_of(int at) const {
    int found = position[0];
#pragma unroll
    for (int r = 1; r < of_thread; ++r) found = at == r ? position[r] : found;
    return found;
  }

  template <int left>
  __device__ void write_offer(Offer& to, Key<T> key, T factor, int at) const {
    to.key = key;
    to.factor = factor;
    to.position = position_of(at);
#pragma unroll
    for (int r = 0; r < of_thread; ++r)
      if (at == r) {
        to.row = first_row(r) + static_cast<int>(threadIdx.x);
#pragma unroll
        for (int j = 0; j < left; ++j) to.elements[j] = row[r][j];
      }
  }

  /// The exchanges on the columns left of the panel: rows are read to shared memory, and written.
  __device__ void exchange_left(const ExchangeList& list, int left_columns) {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
    T* const pulled = reinterpret_cast<T*>(of_warps);
    T* const top = pulled + 32 * ExchangeList::max_width;
    for (int begin = 32 * rank; begin < left_columns; begin += 32 * blocks) {
      const bool inside = begin + lane < left_columns;
      T* const column = a - left_columns + begin + lane;
      __syncthreads();
#pragma unroll 4
      for (int i = warp; i < width && inside; i += warps) {
        pulled[i * 32 + lane] = column[list.from[i] * ld];
        top[i * 32 + lane] = column[i * ld];
      }
      __syncthreads();
#pragma unroll 4
      for (int i = warp; i < width && inside; i += warps) {
        column[i * ld] = pulled[i * 32 + lane];
        if (const int to = list.to[i]; to >= 0) column[to * ld] = top[i * 32 + lane];
      }
    }
  }

  template <int left>
  __device__ void eliminate(const Offer& pivot, int j) {
    const T factor = pivot.factor, divisor = pivot.elements[0];
    T multiplier[of_thread];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
#pragma unroll
    for (int r = 0; r < of_thread; ++r) {
      const int first_of_warp = first_row(r) + warp * 32,
                local = r * static_cast<int>(blockDim.x) + warp * 32;
      if (const int at = pivot.row - first_of_warp; at >= 0 && at < 32) {
        // The row of the pivot is one of this warp's. It is complete.
        if (lane < left && j + lane < columns) done[(local + at) * pitch + j + lane] = pivot.elements[lane];
        if (lane == at) active[r] = false;
      }
      if (position[r] == j && pivot.position != j) position[r] = pivot.position;
      if (pivot.row - first_of_warp == lane) position[r] = j;
      multiplier[r] = multiplier_of(row[r][0], factor, divisor);
      if (active[r]) done[(local + lane) * pitch + j] = multiplier[r];
      row[r][0] = row[r][1] - multiplier[r] * pivot.elements[1];
    }
    // The next pivot is looked for beside the products.
    offer<left>(j + 1, [&] {
#pragma unroll
      for (int r = 0; r < of_thread; ++r)
#pragma unroll
        for (int k = 2; k < left; ++k) row[r][k - 1] = row[r][k] - multiplier[r] * pivot.elements[k];
    });
  }

  T* a;
  Index ld;
  int rows, width, blocks, rank;
  Offer *of_warps, *of_blocks;
  T* done;  ///< rows as far as they are complete
  Mbarrier* arrived;
  T row[of_thread][columns];
  int position[of_thread];
  bool active[of_thread];
};

template <class T, int columns, int of_thread>
__global__ void __launch_bounds__(max_panel_threads<T>(columns, of_thread))
    factor_panel(T* a, Index ld, int rows, int width, std::int32_t* exchanges, int first, ExchangeList* list,
                 int left_columns) {
  __shared__ Mbarrier barriers[2];
  extern __shared__ __align__(16) std::byte memory[];
  let_next_kernel_start();
  wait_for_last_kernel();
  PanelKernel<T, columns, of_thread>(a, ld, rows, width, memory, barriers)
      .factor(exchanges, first, list, left_columns);
}

}  // namespace tallcache::gpu::lu
