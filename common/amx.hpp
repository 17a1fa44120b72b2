// The tile registers of Intel's AMX with bfloat16: whether this process may use them, and their instructions.
#pragma once

#include <string>

#if defined(__x86_64__) && defined(__linux__)
#include <immintrin.h>

#include <cstdint>
/// Of a function that uses AmxTiles.
#define TALLCACHE_AMX __attribute__((target("amx-tile,amx-bf16,avx512f,avx512bw")))
#endif

namespace tallcache {

/// Whether the processor has them.
bool has_amx();

/// Why this process cannot use AMX's tiles for bfloat16; empty where it can. The first call asks Linux for
/// the permission, which all threads have then.
std::string amx_unavailable();

#ifdef TALLCACHE_AMX

/// The eight tile registers, each 16 rows of 64 bytes. A thread uses them between begin() and end().
struct AmxTiles {
  TALLCACHE_AMX static void begin() {
    alignas(64) static constexpr Configuration all_whole;
    _tile_loadconfig(&all_whole);
  }
  TALLCACHE_AMX static void end() { _tile_release(); }

  // An instruction names its registers: the intrinsics take literals alone.
#define TALLCACHE_TILE(n, intrinsic, ...) \
  if constexpr (t == n) intrinsic(n __VA_OPT__(, ) __VA_ARGS__);
#define TALLCACHE_TILES(...)     \
  TALLCACHE_TILE(0, __VA_ARGS__) \
  TALLCACHE_TILE(1, __VA_ARGS__) \
  TALLCACHE_TILE(2, __VA_ARGS__) \
  TALLCACHE_TILE(3, __VA_ARGS__) \
  TALLCACHE_TILE(4, __VA_ARGS__) \
  TALLCACHE_TILE(5, __VA_ARGS__) \
  TALLCACHE_TILE(6, __VA_ARGS__) \
  TALLCACHE_TILE(7, __VA_ARGS__)

  template <int t>
  TALLCACHE_AMX static void zero() {
    TALLCACHE_TILES(_tile_zero)
  }
  /// Rows are `stride` bytes apart.
  template <int t>
  TALLCACHE_AMX static void load(const void* from, std::ptrdiff_t stride) {
    asm volatile("" ::: "memory");  // GCC does not know that the intrinsic reads memory
    TALLCACHE_TILES(_tile_loadd, from, stride)
  }
  template <int t>
  TALLCACHE_AMX static void store(void* to, std::ptrdiff_t stride) {
    TALLCACHE_TILES(_tile_stored, to, stride)
  }
#undef TALLCACHE_TILES
#undef TALLCACHE_TILE

  /// Adds the products of 16 rows of 32 bfloat16 and 16 columns to 16 x 16 floats. Row r of b has the
  /// elements 2 r and 2 r + 1 of its columns side by side. The sums are in c = 0 to 3; a = 4 + c / 2, b = 6 +
  /// c % 2.
  template <int c>
  TALLCACHE_AMX static void dot() {
    if constexpr (c == 0) _tile_dpbf16ps(0, 4, 6);
    if constexpr (c == 1) _tile_dpbf16ps(1, 4, 7);
    if constexpr (c == 2) _tile_dpbf16ps(2, 5, 6);
    if constexpr (c == 3) _tile_dpbf16ps(3, 5, 7);
  }

 private:
  /// What LDTILECFG loads.
  struct Configuration {
    std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
    std::uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
    std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
  };
  static_assert(sizeof(Configuration) == 64);
};

#endif

}  // namespace tallcache
