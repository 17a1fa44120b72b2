#include "gpu/profiler_range.hpp"

#ifdef TALLCACHE_HAS_NVTX
#include <nvtx3/nvToolsExt.h>
#endif

namespace tallcache::gpu {

#ifdef TALLCACHE_HAS_NVTX
void begin_range(const char* name) { nvtxRangePushA(name); }
void end_range() { nvtxRangePop(); }
#else
void begin_range(const char*) {}
void end_range() {}
#endif

}  // namespace tallcache::gpu
