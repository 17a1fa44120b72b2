#include "cpu/matmul/amx_kernel.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#if defined(__x86_64__) && defined(__linux__)
#include <cpuid.h>
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace tallcache::cpu::matmul {

#if defined(__x86_64__) && defined(__linux__)
namespace {

#define TALLCACHE_AMX __attribute__((target("amx-tile,amx-bf16,avx512f")))

constexpr Index side = 16, tile = 2 * side;  // of a tile register in floats, of the four with sums
constexpr Index depth = 32;                  // steps of the inner dimension in a tile register

/// What LDTILECFG loads: eight registers of 16 rows of 64 bytes.
struct alignas(64) TileConfiguration {
  std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
  std::uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};
static_assert(sizeof(TileConfiguration) == 64);

void pack_a(Bfloat16* to, Index width, Index count, Index k, const Bfloat16* from, Index row_stride,
            Index col_stride) {
  const Index groups = ceil_div(k, depth);
  for (Index first = 0; first < count; first += width, to += groups * depth * width) {
    const Index rows = std::min(width, count - first);
    if (rows < width || k % depth)
      std::memset(static_cast<void*>(to), 0, groups * depth * width * sizeof(Bfloat16));
    for (Index i = 0; i < rows; ++i) {
      const Bfloat16* const row = from + (first + i) * row_stride;
      for (Index l = 0; l < k; l += depth) {
        Bfloat16* const place = to + l * width + i * depth;
        const Index steps = std::min(depth, k - l);
        if (col_stride == 1)
          std::memcpy(static_cast<void*>(place), row + l, steps * sizeof(Bfloat16));
        else
          for (Index s = 0; s < steps; ++s) place[s] = row[(l + s) * col_stride];
      }
    }
  }
}

/// Steps l and l + 1 of the columns [0, cols) of a panel; of the first alone where there is no second.
__attribute__((target("avx512f,avx512bw"))) void interleave(Bfloat16* to, const Bfloat16* even,
                                                            const Bfloat16* odd, Index cols) {
  const auto mask = static_cast<__mmask32>((std::uint64_t{1} << cols) - 1);
  const __m512i low = _mm512_maskz_loadu_epi16(mask, even);
  const __m512i high = odd ? _mm512_maskz_loadu_epi16(mask, odd) : _mm512_setzero_si512();
  // Column j goes to 2 j, and that of the second step behind it.
  const __m512i lanes = _mm512_set_epi32(
      0x002f000f, 0x002e000e, 0x002d000d, 0x002c000c, 0x002b000b, 0x002a000a, 0x00290009, 0x00280008,
      0x00270007, 0x00260006, 0x00250005, 0x00240004, 0x00230003, 0x00220002, 0x00210001, 0x00200000);
  const __m512i behind = _mm512_add_epi16(lanes, _mm512_set1_epi16(16));
  _mm512_storeu_si512(to, _mm512_permutex2var_epi16(low, lanes, high));
  _mm512_storeu_si512(to + 32, _mm512_permutex2var_epi16(low, behind, high));
}

/// Whole rows are read, as a panel's share of a row is one line of a page.
void pack_b(Bfloat16* to, Index width, Index count, Index k, const Bfloat16* from, Index row_stride,
            Index col_stride) {
  const Index steps = ceil_div(k, depth) * depth;
  for (Index l = 0; l < steps; l += 2)
    for (Index first = 0; first < count; first += width) {
      Bfloat16* const panel = to + first * steps + l * width;
      const Index cols = l < k ? std::min(width, count - first) : 0;
      const Bfloat16* const even = from + first * row_stride + l * col_stride;
      if (row_stride == 1 || cols == 0) {
        interleave(panel, even, l + 1 < k ? even + col_stride : nullptr, cols);
        continue;
      }
      std::memset(static_cast<void*>(panel), 0, 2 * width * sizeof(Bfloat16));
      for (Index j = 0; j < cols; ++j) {
        panel[2 * j] = even[j * row_stride];
        if (l + 1 < k) panel[2 * j + 1] = even[j * row_stride + col_stride];
      }
    }
}

/// The tile registers: sums 0 to 3, A in 4 and 5, B in 6 and 7.
TALLCACHE_AMX void accumulate(const Bfloat16* a, const Bfloat16* b, Index k) {
  for (Index l = 0; l < k; l += depth, a += depth * tile, b += depth * tile) {
    _tile_loadd(6, b, tile * 4);
    _tile_loadd(4, a, depth * 2);
    _tile_dpbf16ps(0, 4, 6);
    _tile_loadd(7, b + 2 * side, tile * 4);
    _tile_dpbf16ps(1, 4, 7);
    _tile_loadd(5, a + side * depth, depth * 2);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
  }
}

TALLCACHE_AMX void clear_sums() {
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
}
TALLCACHE_AMX void load_sums(const float* c, Index ld) {
  _tile_loadd(0, c, ld * 4);
  _tile_loadd(1, c + side, ld * 4);
  _tile_loadd(2, c + side * ld, ld * 4);
  _tile_loadd(3, c + side * ld + side, ld * 4);
}
TALLCACHE_AMX void store_sums(float* c, Index ld) {
  _tile_stored(0, c, ld * 4);
  _tile_stored(1, c + side, ld * 4);
  _tile_stored(2, c + side * ld, ld * 4);
  _tile_stored(3, c + side * ld + side, ld * 4);
}

/// A tile of rows x cols elements that the registers cannot store as it is.
TALLCACHE_AMX void store_part(const Block<Bfloat16>& x, float* c, Index rows, Index cols) {
  alignas(64) float sums[tile * tile];
  store_sums(sums, tile);
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < cols; ++j) {
      float& element = c[i * x.ldc + j];
      element = x.alpha * sums[i * tile + j] + (x.beta == 0 ? 0 : x.beta * element);
    }
}

TALLCACHE_AMX void multiply(const Block<Bfloat16>& x) {
  static constexpr TileConfiguration configuration;
  _tile_loadconfig(&configuration);
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
  _tile_release();
}

std::string find_reason() {
  if (!has_amx()) return "the processor has no AMX tiles for bfloat16";
  constexpr long ask_for_permission = 0x1023, tile_data = 18;  // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
  if (syscall(SYS_arch_prctl, ask_for_permission, tile_data) != 0)
    return std::string("Linux gives no permission for AMX tiles: ") + std::strerror(errno);
  return {};
}

constexpr RegisterKernel<Bfloat16> kernel{.mr = tile,
                                          .nr = tile,
                                          .lanes = side,
                                          .kc = 1024,
                                          .mc = 4 * tile,
                                          .nc = 4 * tile,
                                          .min_packed = 0,
                                          .masked = false,
                                          .multiply = &multiply,
                                          .pack_a = &pack_a,
                                          .pack_b = &pack_b,
                                          .k_group = depth};

}  // namespace

bool has_amx() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  constexpr unsigned amx_bf16 = 1u << 22, amx_tile = 1u << 24;
  return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) && (edx & amx_bf16) && (edx & amx_tile);
}

std::string amx_unavailable() {
  static const std::string reason = find_reason();
  return reason;
}
const RegisterKernel<Bfloat16>& amx_kernel() { return kernel; }

#else

bool has_amx() { return false; }
std::string amx_unavailable() { return "AMX tiles are Intel's"; }
const RegisterKernel<Bfloat16>& amx_kernel() { throw Error(amx_unavailable(), Status::unavailable); }

#endif

}  // namespace tallcache::cpu::matmul
