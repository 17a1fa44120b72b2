#include "cpu/host_executor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <vector>

#include "common/measure/host_memory.hpp"
#include "common/measure/machine_topology.hpp"
#include "cpu/first_touch.hpp"

namespace tallcache {
namespace {

// The largest cache of the first processor, as Linux tells it; of AMD's processors glibc's sysconf tells the
// sum over the package, ten times what one core can use.
std::size_t last_level_bytes() {
  std::size_t largest = 0;
  for (int index = 0; index < 8; ++index) {
    std::ifstream file(fmt::format("/sys/devices/system/cpu/cpu0/cache/index{}/size", index));
    std::size_t kilobytes = 0;
    if (file >> kilobytes) largest = std::max(largest, kilobytes * 1024);
  }
  return largest;
}

class HostExecutor final : public Executor {
 public:
  bool shares_host_memory() const override { return true; }

  std::unique_ptr<Memory> allocate(std::size_t bytes, Pages pages) override {
    return allocate_host_memory(bytes, pages);
  }
  void touch_first(const Operation& operation, const Shape& shape,
                   std::span<std::byte* const> buffers) override {
    static const Topology topology;
    const std::vector<MemoryNode>& nodes = topology.memory_nodes();
    if (nodes.size() > 1) cpu::touch_first(cpu::first_touches(operation, shape, nodes), buffers, topology);
  }
  void upload(Memory& to, std::span<const std::byte> from) override {
    if (to.bytes().data() != from.data()) std::memcpy(to.bytes().data(), from.data(), from.size());
  }
  void download(std::span<std::byte> to, const Memory& from) override {
    if (from.bytes().data() != to.data()) std::memcpy(to.data(), from.bytes().data(), to.size());
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
  void flush_caches() override {
    // Twice the last-level cache, written: an LRU cache of any size up to it holds nothing else afterwards.
    if (flush_.empty()) flush_.resize(2 * std::max<std::size_t>(last_level_bytes(), 32u << 20));
    for (std::size_t i = 0; i < flush_.size(); i += 64) flush_[i] = static_cast<char>(flush_[i] + 1);
    asm volatile("" : : "r"(flush_.data()) : "memory");
  }

 private:
  std::vector<char> flush_;
};

}  // namespace

std::unique_ptr<Executor> make_host_executor() { return std::make_unique<HostExecutor>(); }

}  // namespace tallcache
