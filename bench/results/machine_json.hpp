// JSON of the machine and its limits, both ways. A figure without a value is {"absent": reason}.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "common/measure/device_state.hpp"
#include "common/measure/machine.hpp"
#include "common/measure/machine_limits.hpp"

namespace tallcache {

template <class T>
void to_json(nlohmann::json& json, const Figure<T>& figure) {
  if (figure)
    json = *figure;
  else
    json = nlohmann::json{{"absent", figure.absent}};
}
template <class T>
void from_json(const nlohmann::json& json, Figure<T>& figure) {
  if (json.is_object())
    figure = Figure<T>::none(json.at("absent").get<std::string>());
  else
    figure = Figure<T>(json.get<T>());
}

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CpuCache, level, type, bytes, line_bytes, ways, cores, count)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Device, name, compute_capability, multiprocessors, memory_bytes, unusable)
// Older documents have no digest and nothing of CUDA's compiler.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Build, version, commit, source_digest, compiler, type, flags,
                                                textbook_flags, cuda_compiler, cuda_flags)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CounterEvent, name, what, absent)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CounterComponent, name, what, disabled)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Counters, papi, hardware, perf_event_paranoid, components, events)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Machine, cpu, architecture, system, sockets, cores, numa_nodes, threads,
                                   usable_cores, caches, caches_absent, memory_bytes, available_bytes,
                                   huge_pages, hypervisor, simd, simd_bytes, build, gpus, gpus_absent, cuda,
                                   peers, counters)

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DeviceState, sm_clock_mhz, memory_clock_mhz, power_w, temperature_c,
                                   throttle_reasons, power_throttled_s, thermal_throttled_s)

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Rated, median, mad, best, rounds)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FlopPeak, element, threads, lanes, gflop_per_s)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Bandwidth, kernel, threads, bytes, gb_per_s)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Balance, element, threads, gflop_per_s, gb_per_s, flops_per_byte,
                                   flops_per_word)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(OperationPeak, operation, element, gop_per_s)
// Older documents have multiply-adds alone.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Limits, clock_ghz, fused, peaks, bandwidths,
                                                bandwidths_absent, operations)

}  // namespace tallcache
