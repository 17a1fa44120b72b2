#include "bench/measure/device_watch.hpp"

#include <algorithm>

#include "bench/results/device_state.hpp"

namespace tallcache {
namespace {

bool takes_part(const Backend& backend, const Document& document) {
  const std::vector<Record>& records =
      document.measurements.empty() ? document.limits : document.measurements;
  return std::ranges::any_of(records, [&](const Record& record) {
    return record.backend == backend.name && record.outcome.measured();
  });
}

}  // namespace

DeviceWatch::DeviceWatch(int device) : device_(device) {
  for (const Backend* backend : backends())
    if (backend->state && backend->device_fault(device).empty())
      watched_.push_back({backend, backend->state(device)});
}

void DeviceWatch::note(Document& document) const {
  document.context.erase("device_state");
  for (const auto& [backend, before] : watched_)
    if (takes_part(*backend, document))
      put_device_state(document, backend->name, device_, before, backend->state(device_));
}

}  // namespace tallcache
