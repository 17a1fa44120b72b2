// The least that a backend is: the host's memory, and a clock around each run.
#include "common/backend.hpp"

#include <chrono>
#include <cstring>

#include "common/measure/host_memory.hpp"

namespace tallcache::abacus {
namespace {

class AbacusExecutor final : public Executor {
 public:
  bool shares_host_memory() const override { return true; }
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

std::string fault(int device) { return device == 0 ? "" : "there is one abacus, number 0"; }

std::unique_ptr<Executor> make_executor(int device) {
  if (const std::string reason = fault(device); !reason.empty()) throw Error(reason, Status::unavailable);
  return std::make_unique<AbacusExecutor>();
}

Limits limits(int, const LimitsProtocol&, const LimitsProgress&) {
  Limits none;
  none.clock_ghz = Figure<double>::none("an abacus has no clock");
  none.bandwidths_absent = "an abacus is not measured";
  return none;
}

}  // namespace

std::vector<const Variant*> variants();  // made by the build

extern const Backend backend;
constinit const Backend backend{
    .name = "abacus",
    .title = "abacus",
    .host = false,
    .variants = &variants,
    .make_executor = &make_executor,
    .devices = [] { return std::vector<Device>{{.name = "Abacus 1", .compute_capability = "0.1"}}; },
    .device_fault = &fault,
    .versions = [] { return std::string(); },
    .limits = &limits,
    .transfer_seconds = [](std::size_t, std::size_t, HostPages, int) { return TransferSeconds{}; },
};

}  // namespace tallcache::abacus
