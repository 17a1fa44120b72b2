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
  static constexpr Index row_bytes = 64;              // of a register

  /// KernelText::pack_a.
  template <class Access>
  TALLCACHE_TILE_TARGET static void pack_a(Bfloat16* to, Index width, Index count, Index k,
                                           const Bfloat16* from, Index row_stride, Index col_stride,
                                           Access access) {
    for (Index first = 0; first < count; first += width)
      for (Index l = 0; l < k; l += depth) {
        const Index rows = std::min(width, count - first), steps = std::min(depth, k - l);
        const Bfloat16* row = from + first * row_stride + l * col_stride;
        if (rows < width || steps < depth)
          std::memset(static_cast<void*>(store_n(access, to, step)), 0, step * sizeof(Bfloat16));
        for (Index i = 0; i < rows; ++i, row += row_stride)
          if (col_stride == 1 && steps == depth)
            std::memcpy(static_cast<void*>(store_n(access, to + i * depth, depth)),
                        load_n(access, row, depth), depth * sizeof(Bfloat16));
          else
            for (Index s = 0; s < steps; ++s) access.at(to + i * depth + s) = access.at(row + s * col_stride);
        to += step;
      }
  }

  /// KernelText::pack_b. Whole rows are read, as a panel's share of a row is one line of a page.
  template <class Access>
  TALLCACHE_TILE_TARGET static void pack_b(Bfloat16* to, Index width, Index count, Index k,
                                           const Bfloat16* from, Index row_stride, Index col_stride,
                                           Access access) {
    const Index steps = ceil_div(k, depth) * depth;
    for (Index l = 0; l < steps; l += 2)
      for (Index first = 0; first < count; first += width) {
        Bfloat16* const pairs = to + first * steps + l / depth * step + l % depth * side;
        const Index cols = l < k ? std::min(width, count - first) : 0;
        const Bfloat16* const even = from + first * row_stride + l * col_stride;
        const Bfloat16* const odd = l + 1 < k ? even + col_stride : nullptr;
        if (row_stride == 1 && cols == tile && odd) {
          interleave(pairs, even, odd, access);
          interleave(pairs + step / 2, even + side, odd + side, access);
          continue;
        }
        for (Index j = 0; j < tile; ++j) {
          Bfloat16* const pair = pairs + j / side * (step / 2) + j % side * 2;
          access.at(pair) = j < cols ? Bfloat16(access.at(even + j * row_stride)) : Bfloat16();
          access.at(pair + 1) = j < cols && odd ? Bfloat16(access.at(odd + j * row_stride)) : Bfloat16();
        }
      }
  }

  /// KernelText::multiply.
  template <class Access>
  TALLCACHE_TILE_TARGET static void multiply(const Block<Bfloat16>& x, Access access) {
    Tiles::begin();
    for (Index j = 0; j < x.n; j += tile)
      for (Index i = 0; i < x.m; i += tile) {
        float* const c = x.c + i * x.ldc + j;
        const Index rows = std::min(tile, x.m - i), cols = std::min(tile, x.n - j);
        const bool whole = rows == tile && cols == tile && x.alpha == 1 && (x.beta == 0 || x.beta == 1);
        if (whole && x.beta == 1)
          load_sums(c, x.ldc, access);
        else
          clear_sums();
        accumulate(x.a.at(i / tile), x.b.at(j / tile), x.k, access);
        if (whole)
          store_sums(c, x.ldc, access);
        else
          store_part(x, c, rows, cols, access);
      }
    Tiles::end();
  }

  template <class Access>
  static constexpr KernelText<Bfloat16, Access> text{&multiply<Access>, &pack_a<Access>, &pack_b<Access>};

  static constexpr RegisterKernel<Bfloat16> kernel{.mr = tile,
                                                   .nr = tile,
                                                   .lanes = side,
                                                   .kc = 1024,
                                                   .mc = 4 * tile,
                                                   .nc = 4 * tile,
                                                   .per_ns = side * depth / 2,
                                                   .min_packed = 0,
                                                   .masked = false,
                                                   .text = {text<Plain>, text<Traced<AnySink>>},
                                                   .k_group = depth};

 private:
  template <class Access>
  TALLCACHE_TILE_TARGET static void interleave(Bfloat16* to, const Bfloat16* even, const Bfloat16* odd,
                                               Access access) {
    std::uint32_t pairs[side];
    even = load_n(access, even, side), odd = load_n(access, odd, side);
    for (Index j = 0; j < side; ++j) pairs[j] = even[j].bits | std::uint32_t{odd[j].bits} << 16;
    std::memcpy(static_cast<void*>(store_n(access, to, 2 * side)), pairs, sizeof pairs);
  }

  /// Register t, all of whose rows are loaded (stored), `ld` elements apart.
  template <int t, class T, class Access>
  TALLCACHE_TILE_TARGET static void load(const T* from, Index ld, Access access) {
    for (Index r = 0; r < side; ++r) static_cast<void>(load_n(access, from + r * ld, row_bytes / sizeof(T)));
    Tiles::template load<t>(from, ld * sizeof(T));
  }
  template <int t, class Access>
  TALLCACHE_TILE_TARGET static void store(float* to, Index ld, Access access) {
    for (Index r = 0; r < side; ++r) static_cast<void>(store_n(access, to + r * ld, side));
    Tiles::template store<t>(to, ld * sizeof(float));
  }

  /// The registers: sums in 0 to 3, A in 4 and 5, B in 6 and 7.
  template <class Access>
  TALLCACHE_TILE_TARGET static void accumulate(const Bfloat16* a, const Bfloat16* b, Index k, Access access) {
    for (Index l = 0; l < k; l += depth, a += step, b += step) {
      load<6>(b, depth, access);
      load<4>(a, depth, access);
      Tiles::template dot<0>();
      load<7>(b + step / 2, depth, access);
      Tiles::template dot<1>();
      load<5>(a + step / 2, depth, access);
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
  template <class Access>
  TALLCACHE_TILE_TARGET static void load_sums(const float* c, Index ld, Access access) {
    load<0>(c, ld, access);
    load<1>(c + side, ld, access);
    load<2>(c + side * ld, ld, access);
    load<3>(c + side * ld + side, ld, access);
  }
  template <class Access>
  TALLCACHE_TILE_TARGET static void store_sums(float* c, Index ld, Access access) {
    store<0>(c, ld, access);
    store<1>(c + side, ld, access);
    store<2>(c + side * ld, ld, access);
    store<3>(c + side * ld + side, ld, access);
  }

  /// A tile of rows x cols elements that the registers cannot store as it is.
  template <class Access>
  TALLCACHE_TILE_TARGET static void store_part(const Block<Bfloat16>& x, float* c, Index rows, Index cols,
                                               Access access) {
    alignas(64) float sums[tile * tile];
    store_sums(sums, tile, Plain{});
    for (Index i = 0; i < rows; ++i)
      for (Index j = 0; j < cols; ++j) {
        auto&& element = access.at(c + i * x.ldc + j);
        element = x.alpha * sums[i * tile + j] + (x.beta == 0 ? 0 : x.beta * element);
      }
  }
};

}  // namespace tallcache::cpu::matmul
