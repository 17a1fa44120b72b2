// Hardware counters of a GPU in this process, through CUPTI's profiler host and range profiler interfaces. No
// CUDA header is included here. The library is loaded at the first call.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace tallcache::gpu {

/// The number of passes in which the chip, "GH100", collects the metrics. It needs no GPU and no
/// driver. Throws Error with the reason: without the library, on an unknown chip, and on a metric that
/// the chip lacks.
int metric_passes(const std::string& chip, std::span<const char* const> metrics);

/// The metrics' values over everything that `run` does on device number `device`, which is called once for
/// each pass. Throws Error with the reason: the library, the privilege or a metric is missing, or another
/// profiler is attached.
std::vector<double> collect_metrics(int device, std::span<const char* const> metrics,
                                    const std::function<void()>& run);

}  // namespace tallcache::gpu
