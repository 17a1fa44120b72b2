// A device whose memory is the host's, reached by copies alone.
#include "common/backend.hpp"

#include <chrono>
#include <cstring>

#include "common/measure/host_memory.hpp"

namespace tallcache::toy {
namespace {

class ToyExecutor final : public Executor {
 public:
  bool shares_host_memory() const override { return false; }
  std::unique_ptr<Memory> allocate(std::size_t bytes, Pages pages) override {
    return allocate_host_memory(bytes, pages);
  }
  void upload(Memory& to, std::span<const std::byte> from) override {
    std::memcpy(to.bytes().data(), from.data(), from.size());
  }
  void download(std::span<std::byte> to, const Memory& from) override {
    std::memcpy(to.data(), from.bytes().data(), to.size());
  }
  void fill(Memory& memory, unsigned char byte) override {
    std::memset(memory.bytes().data(), byte, memory.bytes().size());
  }
  double seconds(Entry entry, const void* args, const Params& params, const Launch& launch,
                 int times) override {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < times; ++i) entry(args, params, launch);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  void flush_caches() override {}
};

std::string fault(int device) { return device == 0 ? "" : "there is one toy, number 0"; }

std::unique_ptr<Executor> make_toy_executor(int device) {
  if (const std::string reason = fault(device); !reason.empty()) throw Error(reason, Status::unavailable);
  return std::make_unique<ToyExecutor>();
}

Limits limits(int, const LimitsProtocol&, const LimitsProgress&) {
  Limits made_up;
  made_up.clock_ghz = Figure<double>::none("a toy has no clock");
  made_up.peaks = {{.element = "float", .threads = 1, .lanes = 1, .gflop_per_s = {7, 0, 7, 1}}};
  made_up.bandwidths = {{.kernel = "copy", .threads = 1, .bytes = 8, .gb_per_s = {9, 0, 9, 1}}};
  return made_up;
}

// Its power limit holds it down for a quarter of a second between one look and the next.
Figure<DeviceState> state(int) {
  static int looks = 0;
  return DeviceState{.sm_clock_mhz = 100,
                     .memory_clock_mhz = 50,
                     .power_w = 2.5,
                     .temperature_c = Figure<int>::none("a toy has no thermometer"),
                     .throttle_reasons = std::vector<std::string>{"gpu_idle"},
                     .power_throttled_s = 0.25 * ++looks,
                     .thermal_throttled_s = 0.0};
}

}  // namespace

std::vector<const Variant*> variants();  // made by the build from tests/toy/variants.def

extern const Backend backend;
constinit const Backend backend{
    .name = "toy",
    .title = "toy",
    .host = false,
    .variants = &variants,
    .make_executor = &make_toy_executor,
    .devices = [] { return std::vector<Device>{{.name = "Toy 1", .compute_capability = "0.1"}}; },
    .device_fault = &fault,
    .versions = [] { return std::string("toy driver 1"); },
    .state = &state,
    .limits = &limits,
    .transfer_seconds = [](std::size_t, std::size_t, HostPages,
                           int) { return TransferSeconds{.upload = 0.25, .download = 0.25}; },
};

}  // namespace tallcache::toy
