#include "common/backend.hpp"

#include "common/measure/rapl.hpp"
#include "cpu/host_executor.hpp"

namespace tallcache::cpu {

std::vector<const Variant*> variants();  // made by the build from cpu/variants.def

extern const Backend backend;
constinit const Backend backend{
    .name = "cpu",
    .title = "CPU",
    .host = true,
    .variants = &variants,
    .make_executor = [](int) { return make_host_executor(); },
    .devices = [] { return std::vector<Device>{}; },
    .device_fault = [](int) { return std::string(); },
    .versions = [] { return std::string(); },
    .state = nullptr,
    .count = nullptr,
    .limits =
        [](int, const LimitsProtocol& protocol, const LimitsProgress& progress) {
          return measure_limits(describe_machine(), protocol, progress);
        },
    .transfer_seconds = nullptr,
    .joules =
        [](int) {
          static Rapl rapl;
          return rapl.joules();
        },
    .energy_counter = "RAPL",
};

}  // namespace tallcache::cpu
