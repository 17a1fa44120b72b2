// Ranges on the timeline of a profiler of the GPU (Nsight Systems, Nsight Compute). No CUDA header here.
#pragma once

namespace tallcache::gpu {

/// A range of this thread begins, and the one that began last ends. Without a profiler, and in a build
/// without NVTX, nothing happens.
void begin_range(const char* name);
void end_range();

}  // namespace tallcache::gpu
