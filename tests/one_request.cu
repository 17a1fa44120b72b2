#include "one_request.hpp"

#include <string>

#include "gpu/check.hpp"

namespace tallcache::test {
namespace {

using cache::AccessKind;
using cache::Space;

/// A kernel's argument: the lanes read it through the constant cache, which no counter here counts.
struct Lanes {
  std::uint32_t mask;
  std::uint32_t offset[32];
};

struct Wide {
  std::uint64_t low, high;
};

// The instructions are given, so that the compiler neither merges nor widens nor drops them.
template <Space space, class T>
__device__ Wide load(std::uint64_t address) {
  Wide v{};
  if constexpr (space == Space::global) {
    if constexpr (sizeof(T) == 4)
      asm volatile("{.reg .b32 t; ld.global.b32 t, [%1]; cvt.u64.u32 %0, t;}" : "=l"(v.low) : "l"(address));
    else if constexpr (sizeof(T) == 8)
      asm volatile("ld.global.b64 %0, [%1];" : "=l"(v.low) : "l"(address));
    else
      asm volatile("ld.global.v2.b64 {%0, %1}, [%2];" : "=l"(v.low), "=l"(v.high) : "l"(address));
  } else {
    const auto at = static_cast<std::uint32_t>(address);
    if constexpr (sizeof(T) == 4)
      asm volatile("{.reg .b32 t; ld.shared.b32 t, [%1]; cvt.u64.u32 %0, t;}" : "=l"(v.low) : "r"(at));
    else if constexpr (sizeof(T) == 8)
      asm volatile("ld.shared.b64 %0, [%1];" : "=l"(v.low) : "r"(at));
    else
      asm volatile("ld.shared.v2.b64 {%0, %1}, [%2];" : "=l"(v.low), "=l"(v.high) : "r"(at));
  }
  return v;
}

template <Space space, class T>
__device__ void store(std::uint64_t address, std::uint64_t v) {
  const auto v4 = static_cast<std::uint32_t>(v);
  if constexpr (space == Space::global) {
    if constexpr (sizeof(T) == 4)
      asm volatile("st.global.b32 [%0], %1;" ::"l"(address), "r"(v4) : "memory");
    else if constexpr (sizeof(T) == 8)
      asm volatile("st.global.b64 [%0], %1;" ::"l"(address), "l"(v) : "memory");
    else
      asm volatile("st.global.v2.b64 [%0], {%1, %1};" ::"l"(address), "l"(v) : "memory");
  } else {
    const auto at = static_cast<std::uint32_t>(address);
    if constexpr (sizeof(T) == 4)
      asm volatile("st.shared.b32 [%0], %1;" ::"r"(at), "r"(v4) : "memory");
    else if constexpr (sizeof(T) == 8)
      asm volatile("st.shared.b64 [%0], %1;" ::"r"(at), "l"(v) : "memory");
    else
      asm volatile("st.shared.v2.b64 [%0], {%1, %1};" ::"r"(at), "l"(v) : "memory");
  }
}

template <Space space, class T>
__device__ Wide atomic(std::uint64_t address) {
  Wide v{};
  const std::uint64_t one = 1;
  std::uint32_t v4 = 0;
  const auto at = static_cast<std::uint32_t>(address);
  if constexpr (space == Space::global) {
    if constexpr (sizeof(T) == 4)
      asm volatile("atom.global.add.u32 %0, [%1], 1;" : "=r"(v4) : "l"(address) : "memory");
    else if constexpr (sizeof(T) == 8)
      asm volatile("atom.global.add.u64 %0, [%1], %2;" : "=l"(v.low) : "l"(address), "l"(one) : "memory");
    else
      asm volatile("red.global.add.v4.f32 [%0], {%1, %1, %1, %1};" ::"l"(address), "f"(0.0f) : "memory");
  } else {
    if constexpr (sizeof(T) == 4)
      asm volatile("atom.shared.add.u32 %0, [%1], 1;" : "=r"(v4) : "r"(at) : "memory");
    else if constexpr (sizeof(T) == 8)
      asm volatile("atom.shared.exch.b64 %0, [%1], %2;" : "=l"(v.low) : "r"(at), "l"(one) : "memory");
    else
      asm volatile(
          "{.reg .b128 o, n; mov.b128 n, {%3, %3}; atom.shared.exch.b128 o, [%2], n; mov.b128 {%0, %1}, o;}"
          : "=l"(v.low), "=l"(v.high)
          : "r"(at), "l"(one)
          : "memory");
  }
  if constexpr (sizeof(T) == 4) v.low = v4;
  return v;
}

template <Space space, AccessKind kind, class T>
__global__ void request(const __grid_constant__ Lanes lanes, std::byte* memory) {
  __shared__ __align__(16) std::byte array[request_bytes];
  const std::uint32_t lane = threadIdx.x;
  if (!(lanes.mask >> lane & 1)) return;
  const std::uint64_t base =
      space == Space::global ? __cvta_generic_to_global(memory) : __cvta_generic_to_shared(array);
  const std::uint64_t address = base + lanes.offset[lane];
  if constexpr (kind == AccessKind::store) {
    store<space, T>(address, lane);
  } else {
    const Wide v = kind == AccessKind::load ? load<space, T>(address) : atomic<space, T>(address);
    // Never true, but the compiler does not know: the value is needed.
    if ((v.low ^ v.high) == 0x9abcdef0) store<Space::global, T>(__cvta_generic_to_global(memory), 1);
  }
}

template <Space space, AccessKind kind>
void start(const cache::WarpRequest& what, const Lanes& lanes, std::byte* memory) {
  switch (what.width) {
    case 4:
      return request<space, kind, std::uint32_t><<<1, 32>>>(lanes, memory);
    case 8:
      return request<space, kind, std::uint64_t><<<1, 32>>>(lanes, memory);
    case 16:
      return request<space, kind, Wide><<<1, 32>>>(lanes, memory);
    default:
      throw Error("a request of " + std::to_string(what.width) + " bytes a lane");
  }
}

template <Space space>
void start(const cache::WarpRequest& what, const Lanes& lanes, std::byte* memory) {
  if (what.kind == AccessKind::load) return start<space, AccessKind::load>(what, lanes, memory);
  if (what.kind == AccessKind::store) return start<space, AccessKind::store>(what, lanes, memory);
  start<space, AccessKind::atomic>(what, lanes, memory);
}

}  // namespace

void start_request(const cache::WarpRequest& what, std::byte* memory) {
  Lanes lanes{what.mask, {}};
  for (int lane = 0; lane < 32; ++lane) {
    if (what.address[lane] + what.width > request_bytes) throw Error("a request beyond its memory");
    lanes.offset[lane] = static_cast<std::uint32_t>(what.address[lane]);
  }
  if (what.space == Space::global)
    start<Space::global>(what, lanes, memory);
  else
    start<Space::shared>(what, lanes, memory);
  gpu::check_launch();
}

}  // namespace tallcache::test
