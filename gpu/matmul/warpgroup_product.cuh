// Hopper's matrix instructions of four warps (wgmma). PTX ISA, "Asynchronous warpgroup-level matrix
// instructions". The sums of a warpgroup's 64 x n tile: thread t has row 16 (t / 32) + t % 32 / 4 and 8 more,
// columns 8 j + 2 (t % 4) and the next; d[4 j + 0, 1] are of the first row, d[4 j + 2, 3] of the second.
#pragma once

#include <cstdint>

namespace tallcache::gpu {

/// A tile in shared memory in the layout of TMA's 128-byte swizzle. `leading` and `stride` are the bytes
/// between neighbouring groups of 8 rows and of 128 bytes, as the instruction's table of layouts has them.
__device__ __forceinline__ std::uint64_t swizzled_tile(std::uint32_t address, int leading, int stride) {
  constexpr std::uint64_t swizzle_128 = std::uint64_t{1} << 62;
  return swizzle_128 | static_cast<std::uint64_t>(stride >> 4) << 32 |
         static_cast<std::uint64_t>(leading >> 4) << 16 | (address & 0x3ffff) >> 4;
}

/// Orders the warpgroup's own accesses to its registers before its next matrix instruction.
__device__ __forceinline__ void begin_products() { asm volatile("wgmma.fence.sync.aligned;\n" ::: "memory"); }
__device__ __forceinline__ void commit_products() {
  asm volatile("wgmma.commit_group.sync.aligned;\n" ::: "memory");
}
/// Orders the thread's own stores to shared memory before what tensor cores and bulk copies do behind the
/// next barrier.
__device__ __forceinline__ void fence_stores_for_products() {
  asm volatile("fence.proxy.async.shared::cta;\n" ::: "memory");
}
/// Waits until all groups of products but the last `pending` are done.
template <int pending>
__device__ __forceinline__ void wait_for_products() {
  asm volatile("wgmma.wait_group.sync.aligned %0;\n" ::"n"(pending) : "memory");
}

// The registers of n sums, and their operands.
#define TALLCACHE_REGISTERS_32                                           \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15" \
  ", %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define TALLCACHE_REGISTERS_64                                                       \
  TALLCACHE_REGISTERS_32                                                             \
  ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47" \
  ", %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define TALLCACHE_REGISTERS_88                                                       \
  TALLCACHE_REGISTERS_64                                                             \
  ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79" \
  ", %80, %81, %82, %83, %84, %85, %86, %87"
#define TALLCACHE_REGISTERS_96 TALLCACHE_REGISTERS_88 ", %88, %89, %90, %91, %92, %93, %94, %95"
#define TALLCACHE_REGISTERS_128                                                            \
  TALLCACHE_REGISTERS_96                                                                   \
  ", %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110" \
  ", %111, %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
#define TALLCACHE_SUMS_8(i)                                                                   \
  "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), \
      "+f"(d[i + 6]), "+f"(d[i + 7])
#define TALLCACHE_SUMS_32(i) \
  TALLCACHE_SUMS_8(i), TALLCACHE_SUMS_8(i + 8), TALLCACHE_SUMS_8(i + 16), TALLCACHE_SUMS_8(i + 24)
#define TALLCACHE_SUMS_64(i) TALLCACHE_SUMS_32(i), TALLCACHE_SUMS_32(i + 32)
#define TALLCACHE_SUMS_88(i) \
  TALLCACHE_SUMS_64(i), TALLCACHE_SUMS_8(i + 64), TALLCACHE_SUMS_8(i + 72), TALLCACHE_SUMS_8(i + 80)
#define TALLCACHE_SUMS_96(i) TALLCACHE_SUMS_64(i), TALLCACHE_SUMS_32(i + 64)
#define TALLCACHE_SUMS_128(i) TALLCACHE_SUMS_64(i), TALLCACHE_SUMS_64(i + 64)

// The operands behind n sums have the numbers n, n + 1, ...: `add` is the last.
#define TALLCACHE_PRODUCT(n, shape_and_types, factors, add_number, flags, ...)              \
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, " add_number                               \
               ", 0;\n"                                                                     \
               "wgmma.mma_async.sync.aligned." shape_and_types " {" TALLCACHE_REGISTERS_##n \
               "}, " factors ", p, 1, 1" flags ";\n}\n"                                     \
               : TALLCACHE_SUMS_##n(0)                                                      \
               : __VA_ARGS__, "r"(add))

/// d = A B, plus d where `add` is not 0: A 64 x 16 with rows along k, B 16 x n with rows along n, bfloat16.
template <int sums>
__device__ __forceinline__ void multiply_tiles_of_four_warps(float (&d)[sums], std::uint64_t a,
                                                             std::uint64_t b, int add) {
  if constexpr (sums == 128)
    TALLCACHE_PRODUCT(128, "m64n256k16.f32.bf16.bf16", "%128, %129", "%130", ", 0, 1", "l"(a), "l"(b));
  else if constexpr (sums == 96)
    TALLCACHE_PRODUCT(96, "m64n192k16.f32.bf16.bf16", "%96, %97", "%98", ", 0, 1", "l"(a), "l"(b));
  else if constexpr (sums == 64)
    TALLCACHE_PRODUCT(64, "m64n128k16.f32.bf16.bf16", "%64, %65", "%66", ", 0, 1", "l"(a), "l"(b));
  else
    TALLCACHE_PRODUCT(32, "m64n64k16.f32.bf16.bf16", "%32, %33", "%34", ", 0, 1", "l"(a), "l"(b));
}

/// d = A B, plus d where `add` is not 0: A 64 x 8, of which thread t has row 16 (t / 32) + t % 32 / 4 and 8
/// more of column t % 4, then of column t % 4 + 4; B 8 x n with columns along k; TF32.
template <int sums>
__device__ __forceinline__ void multiply_tf32_by_four_warps(float (&d)[sums], const std::uint32_t (&a)[4],
                                                            std::uint64_t b, int add) {
#define TALLCACHE_FACTORS "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b)
  if constexpr (sums == 128)
    TALLCACHE_PRODUCT(128, "m64n256k8.f32.tf32.tf32", "{%128, %129, %130, %131}, %132", "%133", "",
                      TALLCACHE_FACTORS);
  else if constexpr (sums == 96)
    TALLCACHE_PRODUCT(96, "m64n192k8.f32.tf32.tf32", "{%96, %97, %98, %99}, %100", "%101", "",
                      TALLCACHE_FACTORS);
  else if constexpr (sums == 88)
    TALLCACHE_PRODUCT(88, "m64n176k8.f32.tf32.tf32", "{%88, %89, %90, %91}, %92", "%93", "",
                      TALLCACHE_FACTORS);
  else if constexpr (sums == 64)
    TALLCACHE_PRODUCT(64, "m64n128k8.f32.tf32.tf32", "{%64, %65, %66, %67}, %68", "%69", "",
                      TALLCACHE_FACTORS);
  else
    TALLCACHE_PRODUCT(32, "m64n64k8.f32.tf32.tf32", "{%32, %33, %34, %35}, %36", "%37", "",
                      TALLCACHE_FACTORS);
#undef TALLCACHE_FACTORS
}
#undef TALLCACHE_PRODUCT
#undef TALLCACHE_REGISTERS_32
#undef TALLCACHE_REGISTERS_64
#undef TALLCACHE_REGISTERS_88
#undef TALLCACHE_REGISTERS_96
#undef TALLCACHE_REGISTERS_128
#undef TALLCACHE_SUMS_8
#undef TALLCACHE_SUMS_32
#undef TALLCACHE_SUMS_64
#undef TALLCACHE_SUMS_88
#undef TALLCACHE_SUMS_96
#undef TALLCACHE_SUMS_128

}  // namespace tallcache::gpu
