#include "common/backend.hpp"

#include "gpu/cuda_executor.hpp"
#include "gpu/cuda_state.hpp"
#include "gpu/device_counters.hpp"
#include "gpu/limits.hpp"
#include "gpu/memory_probes.hpp"

namespace tallcache::gpu {

std::vector<const Variant*> variants();  // made by the build from gpu/variants.def

extern const Backend backend;
constinit const Backend backend{
    .name = "gpu",
    .title = "GPU",
    .host = false,
    .variants = &variants,
    .make_executor = &make_cuda_executor,
    .devices = [] { return cuda_devices(); },
    .device_fault = &device_fault,
    .versions = &cuda_versions,
    .state = &cuda_device_state,
    .count = &count_on_device,
    .memory_probes = &memory_probes,
    .limits = [](int device, const LimitsProtocol&,
                 const LimitsProgress&) { return measure_gpu_limits(device); },
    .transfer_seconds = [](std::size_t upload, std::size_t download, HostPages pages,
                           int device) { return transfer_seconds(upload, download, pages, device); },
    .stream_id = &cuda_stream_id,
    .joules = &cuda_device_joules,
    .energy_counter = "NVML",
};

}  // namespace tallcache::gpu
