// The product in bfloat16 on tile registers: a template over their instructions, which are AmxTiles of
// common/amx.hpp, or a model that a test runs anywhere.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "cpu/matmul/register_kernel.hpp"

/// Of the functions that use the instructions, for the compiler.
#ifndef TALLCACHE_TILE_TARGET
#define TALLCACHE_TILE_TARGET
#endif

namespace tallcache::cpu::matmul {

/// A tile of C is 32 x 32 floats in four registers. Packed panels lie as the registers load them, 1024 bytes
/// after 1024 bytes: of A [k / 32][2][16 rows][32 steps], of B [k / 32][2][16 pairs of steps][16 columns][2
/// steps]. Source: Intel 64 and IA-32 Architectures Optimization Reference Manual, 2023, 20.5 (two registers
/// of A by two of B).
template <class Tiles>
struct TileProduct {
  static constexpr Index side = 16, tile = 2 * side;  // of a register in floats, of the four with sums
  static constexpr Index depth = 32;                  // steps of the inner dimension in a register
  static constexpr Index step = depth * tile;         // of a panel, in elements

  /// RegisterKernel::pack_a.
  TALLCACHE_TILE_TARGET static void pack_a(Bfloat16* to, Index width, Index count, Index k,
                                           const Bfloat16* from, Index row_stride, Index col_stride) {
    for (Index first = 0; first < count; first += width)
      for (Index l = 0; l < k; l += depth) {
        const Index rows = std::min(width, count - first), steps = std::min(depth, k - l);
        const Bfloat16* row = from + first * row_stride + l * col_stride;
        if (rows < width || steps < depth) std::memset(static_cast<void*>(to), 0, step * sizeof(Bfloat16));
        for (Index i = 0; i < rows; ++i, row += row_stride)
          if (col_stride == 1 && steps == depth)
            std::memcpy(static_cast<void*>(to + i * depth), row, depth * sizeof(Bfloat16));
          else
            for (Index s = 0; s < steps; ++s) to[i * depth + s] = row[s * col_stride];
        to += step;
      }
  }

  /// RegisterKernel::pack_b. Whole rows are read, as a panel's share of a row is one line of a page.
  TALLCACHE_TILE_TARGET static void pack_b(Bfloat16* to, Index width, Index count, Index k,
                                           const Bfloat16* from, Index row_stride, Index col_stride) {
    const Index steps = ceil_div(k, depth) * depth;
    for (Index l = 0; l < steps; l += 2)
      for (Index first = 0; first < count; first += width) {
        Bfloat16* const pairs = to + first * steps + l / depth * step + l % depth * side;
        const Index cols = l < k ? std::min(width, count - first) : 0;
        const Bfloat16* const even = from + first * row_stride + l * col_stride;
        const Bfloat16* const odd = l + 1 < k ? even + col_stride : nullptr;
        if (row_stride == 1 && cols == tile && odd) {
          interleave(pairs, even, odd);
          interleave(pairs + step / 2, even + side, odd + side);
          continue;
        }
        for (Index j = 0; j < tile; ++j) {
          Bfloat16* const pair = pairs + j / side * (step / 2) + j % side * 2;
          pair[0] = j < cols ? even[j * row_stride] : Bfloat16();
          pair[1] = j < cols && odd ? odd[j * row_stride] : Bfloat16();
        }
      }
  }

  /// RegisterKernel::multiply.
  TALLCACHE_TILE_TARGET static void multiply(const Block<Bfloat16>& x) {
    Tiles::begin();
    for (Index j = 0; j < x.n; j += tile)
      for (Index i = 0; i < x.m; i += tile) {
        float* const c = x.c + i * x.ldc + j;
        const Index rows = std::min(tile, x.m - i), cols = std::min(tile, x.n - j);
        const bool whole = rows == tile && cols == tile && x.alpha == 1 && (x.beta == 0 || x.beta == 1);
        if (whole && x.beta == 1)
          load_sums(c, x.ldc);
        else
          clear_sums();
        accumulate(x.a.at(i / tile), x.b.at(j / tile), x.k);
        if (whole)
          store_sums(c, x.ldc);
        else
          store_part(x, c, rows, cols);
      }
    Tiles::end();
  }

  static constexpr RegisterKernel<Bfloat16> kernel{.mr = tile,
                                                   .nr = tile,
                                                   .lanes = side,
                                                   .kc = 1024,
                                                   .mc = 4 * tile,
                                                   .nc = 4 * tile,
                                                   .per_ns = side * depth / 2,
                                                   .min_packed = 0,
                                                   .masked = false,
                                                   .multiply = &multiply,
                                                   .pack_a = &pack_a,
                                                   .pack_b = &pack_b,
                                                   .k_group = depth};

 private:
  TALLCACHE_TILE_TARGET static void interleave(Bfloat16* to, const Bfloat16* even, const Bfloat16* odd) {
    std::uint32_t pairs[side];
    for (Index j = 0; j < side; ++j) pairs[j] = even[j].bits | std::uint32_t{odd[j].bits} << 16;
    std::memcpy(static_cast<void*>(to), pairs, sizeof pairs);
  }

  /// The registers: sums in 0 to 3, A in 4 and 5, B in 6 and 7.
  TALLCACHE_TILE_TARGET static void accumulate(const Bfloat16* a, const Bfloat16* b, Index k) {
    for (Index l = 0; l < k; l += depth, a += step, b += step) {
      Tiles::template load<6>(b, 64);
      Tiles::template load<4>(a, 64);
      Tiles::template dot<0>();
      Tiles::template load<7>(b + step / 2, 64);
      Tiles::template dot<1>();
      Tiles::template load<5>(a + step / 2, 64);
      Tiles::template dot<2>();
      Tiles::template dot<3>();
    }
  }

  TALLCACHE_TILE_TARGET static void clear_sums() {
    Tiles::template zero<0>();
    Tiles::template zero<1>();
    Tiles::template zero<2>();
    Tiles::template zero<3>();
  }
  TALLCACHE_TILE_TARGET static void load_sums(const float* c, Index ld) {
    Tiles::template load<0>(c, ld * 4);
    Tiles::template load<1>(c + side, ld * 4);
    Tiles::template load<2>(c + side * ld, ld * 4);
    Tiles::template load<3>(c + side * ld + side, ld * 4);
  }
  TALLCACHE_TILE_TARGET static void store_sums(float* c, Index ld) {
    Tiles::template store<0>(c, ld * 4);
    Tiles::template store<1>(c + side, ld * 4);
    Tiles::template store<2>(c + side * ld, ld * 4);
    Tiles::template store<3>(c + side * ld + side, ld * 4);
  }

  /// A tile of rows x cols elements that the registers cannot store as it is.
  TALLCACHE_TILE_TARGET static void store_part(const Block<Bfloat16>& x, float* c, Index rows, Index cols) {
    alignas(64) float sums[tile * tile];
    store_sums(sums, tile);
    for (Index i = 0; i < rows; ++i)
      for (Index j = 0; j < cols; ++j) {
        float& element = c[i * x.ldc + j];
        element = x.alpha * sums[i * tile + j] + (x.beta == 0 ? 0 : x.beta * element);
      }
  }
};

}  // namespace tallcache::cpu::matmul
