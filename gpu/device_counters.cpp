#include "gpu/device_counters.hpp"

#include <algorithm>
#include <exception>
#include <string>
#include <utility>

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

std::vector<DeviceCount> count_group(int device, int group, const CountedRun& counted) {
  std::exception_ptr thrown;
  const auto guarded = [&thrown](const std::function<void()>& call) {
    return [&] {
      try {
        if (call) call();
      } catch (...) {
        thrown = std::current_exception();
        throw;
      }
    };
  };
  std::vector<double> values;
  std::string reason = device_unavailable(device);
  try {
    if (reason.empty())
      values =
          collect_metrics(device, metrics_of_group(group), {guarded(counted.run), guarded(counted.prepare)});
  } catch (const Error& error) {
    if (thrown) throw;
    reason = error.what();
  }
  std::vector<DeviceCount> counts;
  for (const DeviceMetric& metric : device_metrics)
    if (metric.group == group)
      counts.push_back(
          {metric.quantity, metric.unit, metric.metric,
           values.empty() ? Figure<double>::none(reason) : Figure<double>(values.at(counts.size()))});
  return counts;
}

std::vector<DeviceCount> count_on_device(int device, const CountedRun& counted,
                                         std::span<const std::string_view> quantities) {
  const auto is_asked = [&](int group) {
    return quantities.empty() || std::ranges::any_of(device_metrics, [&](const DeviceMetric& metric) {
             return metric.group == group &&
                    std::ranges::find(quantities, metric.quantity) != quantities.end();
           });
  };
  std::vector<DeviceCount> counts;
  for (int group = 0; group < device_metric_groups; ++group)
    if (is_asked(group))
      for (DeviceCount& count : count_group(device, group, counted)) counts.push_back(std::move(count));
  return counts;
}

}  // namespace tallcache::gpu
