// The product of one block on the tensor cores of compute capability 8.0 and later: the parts of BlockProduct
// (block_product.hpp), with a warp's matrix instruction (mma.sync) in place of a thread's sums. What the
// factors are, and how a warp loads and multiplies them, is a policy (mma_factors.cuh).
#pragma once

#include <algorithm>

#include "gpu/matmul/block_product.hpp"
#include "gpu/matmul/mma_factors.cuh"

namespace tallcache::gpu::matmul {

/// As BlockShape, on tensor cores, of `FactorsOfTiles`.
template <class FactorsOfTiles, int block_rows, int block_cols, int block_depth, int rows_of_warp,
          int cols_of_warp, int number_of_stages, int min_blocks_of_sm = 1, int slices_of_depth = 1>
struct MmaTiles : BlockShape<block_rows, block_cols, block_depth, rows_of_warp, cols_of_warp,
                             number_of_stages, min_blocks_of_sm, slices_of_depth> {
  using Factors = FactorsOfTiles;
};
/// Of doubles.
template <int block_rows, int block_cols, int rows_of_warp, int cols_of_warp, int number_of_stages,
          int min_blocks_of_sm = 1>
using MmaShape = MmaTiles<Doubles, block_rows, block_cols, 16, rows_of_warp, cols_of_warp, number_of_stages,
                          min_blocks_of_sm>;

/// A warp's part of the product. Where `wide`, rows of A and B start at multiples of 16 bytes.
///
/// Rows of the tiles in shared memory are swizzled as the factors want it.
template <class T, class Factors, int rows, int cols, int depth, int warp_rows, int warp_cols, int stages,
          int min_blocks, int slices, bool wide, class Thread>
class BlockProduct<T, MmaTiles<Factors, rows, cols, depth, warp_rows, warp_cols, stages, min_blocks, slices>,
                   wide, Thread, Plain, T*> {
  using Tiles = MmaTiles<Factors, rows, cols, depth, warp_rows, warp_cols, stages, min_blocks, slices>;
  static constexpr int threads = Tiles::threads, slice_threads = Tiles::slice_threads;
  static constexpr int a_size = rows * depth, stage_size = a_size + depth * cols;
  using Sum = typename Factors::Sum;

 public:
  static constexpr int shared_bytes = stages * stage_size * int{sizeof(T)};

  __device__ BlockProduct(const Thread&, T* memory, const MatrixView<const T>& a,
                          const MatrixView<const T>& b, Index row, Index col)
      : shared(memory), address(shared_address(memory)), a_ld(a.ld), b_ld(b.ld) {
    const int warp = threadIdx.x % slice_threads / 32, lane = threadIdx.x % 32;
    const int slice_at = threadIdx.x / slice_threads * Tiles::slice_depth;
    constexpr int warps_across = cols / warp_cols;
    const int warp_row = warp / warps_across * warp_rows, warp_col = warp % warps_across * warp_cols;
    tile_row = warp_row + lane / 4;
    tile_col = warp_col + lane % 4 * 2;
    a_at = a_place(warp_row + Factors::a_row(lane), slice_at + Factors::a_col(lane));
    b_at = b_place(slice_at + Factors::b_row(lane), warp_col + Factors::b_col(lane));

    const int a_row = threadIdx.x / a_lanes, b_row = threadIdx.x / b_lanes;
    a_col = threadIdx.x % a_lanes * width;
    const int b_col = threadIdx.x % b_lanes * width;
    a_from = a.data + (row + a_row) * a.ld + a_col;
    b_from = b.data + static_cast<Index>(b_row) * b.ld + col + b_col;
    a_to = a_place(a_row, a_col);
    b_to = b_place(b_row, b_col);
    a_rows_left = static_cast<int>(a.rows - row < rows ? a.rows - row : rows) - a_row;
    b_count = count_of(b.cols - col - b_col);
  }

  /// As of the general one; `first` is a multiple of the depth.
  __device__ void multiply(Index first, Index last) {
    for (auto& of_row : sum)
      for (auto& tile : of_row)
        for (Sum& element : tile) element = 0;
    const int steps = static_cast<int>((last - first + depth - 1) / depth);
    a_from += first;
    b_from += first * b_ld;
    left = static_cast<int>(last - first);
    __syncthreads();  // the tile before this one is done
#pragma unroll(copies_asynchronously ? stages - 1 : 1)
    for (int s = 0; s < stages - 1; ++s) copy(s);
    wait_for_stage();
    load(0, 0, 0);
    int at = 0, free_at = stages - 1;
#pragma unroll 1
    for (int step = 0; step < steps; ++step) {
      const int next = at == stages - 1 ? 0 : at + 1;
#pragma unroll
      for (int part = 0; part < parts; ++part) {
        const bool is_last = part == parts - 1;
        if (is_last) wait_for_stage();
        load((part + 1) % 2, is_last ? next : at, is_last ? 0 : part + 1);
        if (part == 0) copy(free_at);
        Factors::multiply(sum, a_part[part % 2], b_part[part % 2]);
      }
      free_at = at;
      at = next;
    }
    if constexpr (slices > 1) add_slices();
  }

  /// As of the general one, but `pairs` says that two neighbouring elements from an even column on can be
  /// stored at once.
  __device__ void store(const MatrixView<Sum>& to, bool pairs) const {
    if (slices > 1 && threadIdx.x >= slice_threads) return;
    const int rows_left = static_cast<int>(to.rows < rows ? to.rows : rows) - tile_row;
    const int cols_left = static_cast<int>(to.cols < cols ? to.cols : cols) - tile_col;
    Sum* const first = to.data + tile_row * to.ld + tile_col;
#pragma unroll
    for (int i = 0; i < 2 * row_tiles; ++i) {
      if (i * 8 >= rows_left) break;
      Sum* const row_of_c = first + i * 8 * to.ld;
#pragma unroll
      for (int j = 0; j < col_tiles; ++j) {
        const Sum x = sum[i / 2][j][i % 2 * 2], y = sum[i / 2][j][i % 2 * 2 + 1];
        Sum* const at = row_of_c + j * 8;
        if (j * 8 + 1 < cols_left && pairs) {
          *reinterpret_cast<Vector<Sum, 2>*>(at) = {x, y};
        } else {
          if (j * 8 < cols_left) at[0] = x;
          if (j * 8 + 1 < cols_left) at[1] = y;
        }
      }
    }
  }

 private:
  // Factors of the next part are loaded beside the products of this one.
  static constexpr int part_depth = Factors::part_depth(wide);
  static constexpr int row_tiles = warp_rows / 16, col_tiles = warp_cols / 8;
  static constexpr int parts = Tiles::slice_depth / part_depth;
  static_assert(parts % 2 == 0);  // the first part of a stage goes to side 0

  // A thread copies `width` elements at once, of every a_step-th row of A and every b_step-th of B.
  static constexpr int width = wide ? 16 / int{sizeof(T)} : 1;
  static constexpr bool copies_asynchronously = width * sizeof(T) >= 4;
  static constexpr int a_lanes = depth / width, a_step = threads / a_lanes;
  static constexpr int b_lanes = cols / width, b_step = threads / b_lanes;
  static_assert(rows % a_step == 0 && depth % b_step == 0 && a_size % (8 * depth) == 0);

  /// Where an element of a tile of A, and of B, lies in its stage.
  static __device__ __forceinline__ int a_place(int r, int c) {
    return r * depth + (c ^ Factors::a_swizzle(r, depth));
  }
  static __device__ __forceinline__ int b_place(int r, int c) {
    return a_size + r * cols + (c ^ Factors::b_swizzle(r, cols));
  }
  // Where the element lies that is r rows below one in place `at`: where r is less than a period, rows differ
  // in their swizzle.
  static __device__ __forceinline__ int a_below(int at, int r) {
    return (at ^ Factors::a_swizzle(r % Factors::a_period, depth)) + r * depth;
  }
  static __device__ __forceinline__ int b_below(int at, int r) {
    return (at ^ Factors::b_swizzle(r % Factors::b_period, cols)) + r * cols;
  }
  /// Elements of a copy when `count` are left.
  static __device__ __forceinline__ int count_of(Index count) {
    return static_cast<int>(count <= 0 ? 0 : count < width ? count : width);
  }

  /// Copies the next columns of A and rows of B to stage `s`. What lies outside becomes zero: a copy of no
  /// bytes reads nothing.
  __device__ __forceinline__ void copy(int s) {
    const int a_count = count_of(left - a_col), rows_of_b = left - static_cast<int>(threadIdx.x / b_lanes);
    if constexpr (copies_asynchronously) {
      constexpr int size = int{sizeof(T)};
      const std::uint32_t stage = address + s * static_cast<std::uint32_t>(stage_size * size);
#pragma unroll
      for (int r = 0; r < rows; r += a_step)
        copy_asynchronously<width * size>(stage + a_below(a_to, r) * size, a_from + r * a_ld,
                                          r < a_rows_left ? a_count * size : 0);
#pragma unroll
      for (int r = 0; r < depth; r += b_step)
        copy_asynchronously<width * size>(stage + b_below(b_to, r) * size, b_from + r * b_ld,
                                          r < rows_of_b ? b_count * size : 0);
    } else {
      copy_by_elements(shared + s * stage_size, a_count > 0 ? a_rows_left : 0, b_count > 0 ? rows_of_b : 0);
    }
    a_from += depth;
    b_from += depth * b_ld;
    left -= depth;
    commit_copies();
  }
  /// The same of elements of 2 bytes, which are too few for an asynchronous copy: all loads are under way
  /// before the first store.
  __device__ __forceinline__ void copy_by_elements(T* stage, int rows_of_a, int rows_of_b) const {
    T of_a[rows / a_step], of_b[depth / b_step];
    const T *a_row = a_from,
            *b_row = b_from;  // increased: multiples of the leading dimensions take registers
#pragma unroll
    for (int r = 0; r < rows; r += a_step, a_row += a_step * a_ld)
      of_a[r / a_step] = r < rows_of_a ? *a_row : T{};
#pragma unroll
    for (int r = 0; r < depth; r += b_step, b_row += b_step * b_ld)
      of_b[r / b_step] = r < rows_of_b ? *b_row : T{};
#pragma unroll
    for (int r = 0; r < rows; r += a_step) stage[a_below(a_to, r)] = of_a[r / a_step];
#pragma unroll
    for (int r = 0; r < depth; r += b_step) stage[b_below(b_to, r)] = of_b[r / b_step];
  }
  static __device__ __forceinline__ void wait_for_stage() {
    wait_for_copies<stages - 2>();
    __syncthreads();
  }

  /// Part number `part` of the steps of stage `s`, to the registers of `side`.
  __device__ __forceinline__ void load(int side, int s, int part) {
    const T* const stage = shared + s * stage_size;
    Factors::template load_a<depth>(a_part[side], stage, a_at, part * part_depth);
    Factors::template load_b<cols>(b_part[side], stage, b_at, part * part_depth);
  }

  /// The first slice's sums become those of all slices, in the order of the slices.
  __device__ void add_slices() {
    constexpr int number = row_tiles * col_tiles * 4;
    static_assert((slices - 1) * rows * cols * int{sizeof(Sum)} <= shared_bytes);
    Sum* const to = reinterpret_cast<Sum*>(shared) + threadIdx.x % slice_threads;
    const int slice = threadIdx.x / slice_threads;
    const auto each = [&](int of, const auto& use) {
      int at = (of - 1) * number * slice_threads;
#pragma unroll
      for (auto& of_row : sum)
#pragma unroll
        for (auto& tile : of_row)
#pragma unroll
          for (Sum& element : tile) {
            use(element, to[at]);
            at += slice_threads;
          }
    };
    wait_for_copies<0>();
    __syncthreads();
    if (slice > 0) each(slice, [](const Sum& own, Sum& place) { place = own; });
    __syncthreads();
    if (slice > 0) return;
#pragma unroll
    for (int of = 1; of < slices; ++of) each(of, [](Sum& own, const Sum& place) { own += place; });
  }

  T* shared;
  std::uint32_t address;  ///< the same
  Index a_ld, b_ld;
  const T *a_from, *b_from;  ///< what this thread copies next
  int a_to, b_to;            ///< and where, in the first stage
  int a_col, a_rows_left, b_count;
  int left;                ///< steps along k that are not copied
  int tile_row, tile_col;  ///< a thread's first element of C in the tile
  int a_at, b_at;          ///< a thread's first factors in a stage
  typename Factors::Register a_part[2][row_tiles][Factors::a_registers(part_depth)],
      b_part[2][col_tiles][Factors::b_registers(part_depth)];
  Sum sum[row_tiles][col_tiles][4];
};

}  // namespace tallcache::gpu::matmul
