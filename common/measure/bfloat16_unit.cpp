#include "common/measure/bfloat16_unit.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "common/amx.hpp"
#include "common/bfloat16.hpp"

namespace tallcache {
namespace {

#ifdef TALLCACHE_AMX

constexpr std::uint64_t exact = 1 << 16;  ///< iterations whose sums are whole numbers that a float holds

struct alignas(64) Ones {
  Bfloat16 row[32];
  Ones() { std::fill(std::begin(row), std::end(row), Bfloat16(1.f)); }
};

TALLCACHE_AMX double run_tiles(std::uint64_t iterations) {
  const Ones ones;
  alignas(64) float sums[4][16 * 16];
  double total = 0;
  AmxTiles::begin();
  AmxTiles::load<4>(ones.row, 0), AmxTiles::load<5>(ones.row, 0);
  AmxTiles::load<6>(ones.row, 0), AmxTiles::load<7>(ones.row, 0);
  for (std::uint64_t done = 0; done < iterations; done += exact) {
    AmxTiles::zero<0>(), AmxTiles::zero<1>(), AmxTiles::zero<2>(), AmxTiles::zero<3>();
    for (std::uint64_t i = std::min(exact, iterations - done); i > 0; --i)
      AmxTiles::dot<0>(), AmxTiles::dot<1>(), AmxTiles::dot<2>(), AmxTiles::dot<3>();
    AmxTiles::store<0>(sums[0], 64), AmxTiles::store<1>(sums[1], 64);
    AmxTiles::store<2>(sums[2], 64), AmxTiles::store<3>(sums[3], 64);
    total = std::accumulate(&sums[0][0], &sums[0][0] + sizeof sums / sizeof(float), total);
  }
  AmxTiles::end();
  return total;
}

constexpr int vectors = 24;

__attribute__((target("avx512f,avx512bw,avx512vl,avx512bf16"))) double run_vectors(std::uint64_t iterations) {
  const Ones ones;
  const __m512i factor = _mm512_load_si512(&ones);
  double total = 0;
  for (std::uint64_t done = 0; done < iterations; done += exact) {
    __m512 sum[vectors];
#pragma GCC unroll 24
    for (auto& x : sum) {
      x = _mm512_setzero_ps();
      asm("" : "+v"(x));  // else the chains are alike, and the compiler runs one
    }
    for (std::uint64_t i = std::min(exact, iterations - done); i > 0; --i)
#pragma GCC unroll 24
      for (auto& x : sum)
        x = _mm512_dpbf16_ps(x, reinterpret_cast<const __m512bh&>(factor),
                             reinterpret_cast<const __m512bh&>(factor));
#pragma GCC unroll 24
    for (const auto& x : sum) {
      alignas(64) float lanes[16];
      _mm512_store_ps(lanes, x);
      total = std::accumulate(lanes, lanes + 16, total);
    }
  }
  return total;
}

bool has_vectors() {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx512bf16") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512bw");
}

#endif

}  // namespace

const Bfloat16Unit* bfloat16_unit() {
#ifdef TALLCACHE_AMX
  static constexpr Bfloat16Unit tiles{.multiply_adds = 16 * 16 * 32, .chains = 4, .run = &run_tiles};
  static constexpr Bfloat16Unit dots{.multiply_adds = 16 * 2, .chains = vectors, .run = &run_vectors};
  if (amx_unavailable().empty()) return &tiles;
  if (has_vectors()) return &dots;
#endif
  return nullptr;
}

}  // namespace tallcache
