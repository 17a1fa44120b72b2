#include "gpu/device_counters.hpp"

#include <exception>
#include <string>

#include "common/error.hpp"
#include "gpu/cuda_state.hpp"
#include "gpu/cupti.hpp"

namespace tallcache::gpu {

std::vector<const char*> metrics_of_group(int group) {
  std::vector<const char*> metrics;
  for (const DeviceMetric& metric : device_metrics)
    if (metric.group == group) metrics.push_back(metric.metric);
  return metrics;
}

std::vector<DeviceCount> count_on_device(int device, const std::function<void()>& run) {
  const std::string unavailable = device_unavailable(device);
  std::exception_ptr thrown;
  const auto guarded = [&] {
    try {
      run();
    } catch (...) {
      thrown = std::current_exception();
      throw;
    }
  };
  std::vector<DeviceCount> counts;
  for (int group = 0; group < device_metric_groups; ++group) {
    std::vector<double> values;
    std::string reason = unavailable;
    try {
      if (reason.empty()) values = collect_metrics(device, metrics_of_group(group), guarded);
    } catch (const Error& error) {
      if (thrown) throw;
      reason = error.what();
    }
    std::size_t next = 0;
    for (const DeviceMetric& metric : device_metrics)
      if (metric.group == group)
        counts.push_back({metric.quantity, metric.unit, metric.metric,
                          values.empty() ? Figure<double>::none(reason) : Figure<double>(values.at(next++))});
  }
  return counts;
}

}  // namespace tallcache::gpu
