// Hardware counters of a GPU in this process, through CUPTI's profiler host and range profiler interfaces. No
// CUDA header is included here. The library is loaded at the first call.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "common/measure/device_counts.hpp"

namespace tallcache::gpu {

/// The number of passes in which the chip, "GH100", collects the metrics. It needs no GPU and no
/// driver. Throws Error with the reason: without the library, on an unknown chip, and on a metric that
/// the chip lacks.
int metric_passes(const std::string& chip, std::span<const char* const> metrics);

/// The name of a result of CUPTI's and what it means here, in one line. Throws Error without the library.
std::string cupti_reason(int result);

/// The metrics' values over everything that the run does on device number `device`, which is called once for
/// each pass. Throws Error with the reason: the library, the privilege or a metric is missing, or another
/// profiler is attached.
std::vector<double> collect_metrics(int device, std::span<const char* const> metrics,
                                    const CountedRun& counted);

/// The metrics' values over run(0), over run(1), ... run(ranges - 1): one list for each of these ranges. All
/// of them are called in a row for each pass, after `prepare`, which is not counted. Throws as
/// collect_metrics() does. A range costs about a millisecond.
std::vector<std::vector<double>> collect_ranges(int device, std::span<const char* const> metrics,
                                                std::size_t ranges,
                                                const std::function<void(std::size_t)>& run,
                                                const std::function<void()>& prepare = {});

}  // namespace tallcache::gpu
