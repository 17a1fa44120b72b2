// CUPTI's library, which is loaded when it is first used. Only where its headers are.
#pragma once

#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_result.h>
#include <cupti_target.h>

#include <string>

namespace tallcache::gpu {

#define TALLCACHE_CUPTI_FUNCTIONS(USE)              \
  USE(cuptiGetResultString)                         \
  USE(cuptiProfilerInitialize)                      \
  USE(cuptiProfilerDeInitialize)                    \
  USE(cuptiDeviceGetChipName)                       \
  USE(cuptiProfilerGetCounterAvailability)          \
  USE(cuptiProfilerHostInitialize)                  \
  USE(cuptiProfilerHostDeinitialize)                \
  USE(cuptiProfilerHostConfigAddMetrics)            \
  USE(cuptiProfilerHostGetConfigImageSize)          \
  USE(cuptiProfilerHostGetConfigImage)              \
  USE(cuptiProfilerHostGetNumOfPasses)              \
  USE(cuptiProfilerHostEvaluateToGpuValues)         \
  USE(cuptiRangeProfilerEnable)                     \
  USE(cuptiRangeProfilerDisable)                    \
  USE(cuptiRangeProfilerGetCounterDataSize)         \
  USE(cuptiRangeProfilerCounterDataImageInitialize) \
  USE(cuptiRangeProfilerSetConfig)                  \
  USE(cuptiRangeProfilerStart)                      \
  USE(cuptiRangeProfilerPushRange)                  \
  USE(cuptiRangeProfilerPopRange)                   \
  USE(cuptiRangeProfilerStop)                       \
  USE(cuptiRangeProfilerDecodeData)                 \
  USE(cuptiRangeProfilerGetCounterDataInfo)         \
  USE(cuptiRangeProfilerCounterDataGetRangeInfo)

struct Cupti {
#define TALLCACHE_DECLARE(function) decltype(&::function) function = nullptr;
  TALLCACHE_CUPTI_FUNCTIONS(TALLCACHE_DECLARE)
#undef TALLCACHE_DECLARE
};

/// Throws Error (unavailable) with the reason where it cannot be loaded.
const Cupti& cupti();

/// The name of the result and what it means here: "CUPTI_ERROR_HARDWARE_BUSY: another profiler is attached".
std::string words(CUptiResult result);

/// Throws Error (unavailable) "<call>: <words>" unless the result is a success.
void check_cupti(CUptiResult result, const char* call);
#define TALLCACHE_CUPTI(function, params) \
  ::tallcache::gpu::check_cupti(::tallcache::gpu::cupti().function(params), #function)

}  // namespace tallcache::gpu
