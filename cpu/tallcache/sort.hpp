// Counting sort of unsigned 32-bit keys in [0, range], stable where keys carry a payload, on the CPU.
#pragma once

#include "common/execute.hpp"
#include "common/ops/counting_sort.hpp"

namespace tallcache {

/// Sorts `in` to `out` on `threads` threads including the caller. No key may be above `range`. Throws Error
/// when the sizes differ, the vectors overlap or a key is too large.
inline void counting_sort(VectorView<std::uint32_t> out, VectorView<const std::uint32_t> in,
                          std::uint32_t range, int threads = 1) {
  execute<CountingSort<false>>("bucketed_streaming", {.out = out, .in = in, .range = range}, {}, threads);
}

/// The same with a payload that moves with its key; equal keys keep their order.
inline void counting_sort(VectorView<std::uint32_t> out, VectorView<std::uint32_t> payload_out,
                          VectorView<const std::uint32_t> in, VectorView<const std::uint32_t> payload_in,
                          std::uint32_t range, int threads = 1) {
  execute<CountingSort<true>>(
      "bucketed_streaming",
      {.out = out, .in = in, .payload_out = payload_out, .payload_in = payload_in, .range = range}, {},
      threads);
}

}  // namespace tallcache
