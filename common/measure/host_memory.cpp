#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "common/measure/host_memory.hpp"

namespace tallcache {
namespace {

constexpr std::size_t guard = 4096, huge_page = std::size_t{2} << 20;
constexpr std::byte guard_byte{0xc3};

class HostMemory final : public Memory {
 public:
  HostMemory(std::size_t size, Pages pages) {
    // The data starts on a page and ends right before the rear guard, whatever its size: one byte too far
    // is seen.
    const std::size_t page = pages == Pages::huge && size >= huge_page ? huge_page : guard;
    guarded_ = checked_sum(size, 2 * guard + guard, "memory") / guard * guard;
    mapped_ = checked_sum(guarded_, page - guard, "memory");
    void* base = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED)
      throw Error(fmt::format("out of memory: {} asked, {} available", human_bytes(static_cast<double>(size)),
                              human_bytes(static_cast<double>(available_memory()))));
    map_ = static_cast<std::byte*>(base);
    const auto first = reinterpret_cast<std::uintptr_t>(base) + guard;
    base_ = map_ + ((first + page - 1) / page * page - first);
    bytes_ = {base_ + guard, size};
    if (page == huge_page) madvise(bytes_.data(), size / huge_page * huge_page, MADV_HUGEPAGE);
    std::fill_n(base_, guard, guard_byte);
    std::fill(base_ + guard + size, base_ + guarded_, guard_byte);
  }
  ~HostMemory() override { munmap(map_, mapped_); }
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;

  bool guards_intact() const override {
    const auto intact = [](std::byte b) { return b == guard_byte; };
    return std::all_of(base_, base_ + guard, intact) &&
           std::all_of(base_ + guard + bytes_.size(), base_ + guarded_, intact);
  }

 private:
  std::byte *map_, *base_;  // what is mapped, and the front guard in it
  std::size_t mapped_, guarded_;
};

std::size_t read_number(const char* path) {
  std::ifstream file(path);
  std::size_t value = 0;
  return file >> value ? value : std::numeric_limits<std::size_t>::max();
}

}  // namespace

std::unique_ptr<Memory> allocate_host_memory(std::size_t bytes, Pages pages) {
  require_memory(bytes, "a buffer");
  return std::make_unique<HostMemory>(bytes, pages);
}

std::size_t available_memory() {
  std::size_t available = std::numeric_limits<std::size_t>::max();
  std::ifstream meminfo("/proc/meminfo");
  for (std::string name; meminfo >> name;) {
    std::size_t kilobytes = 0;
    std::string rest;
    meminfo >> kilobytes;
    std::getline(meminfo, rest);
    if (name == "MemAvailable:") available = kilobytes * 1024;
  }
  const std::size_t limit = read_number("/sys/fs/cgroup/memory.max");
  const std::size_t used = read_number("/sys/fs/cgroup/memory.current");
  if (limit != std::numeric_limits<std::size_t>::max())
    available = std::min(available, limit - std::min(limit, used));
  // A limit on the address space (ulimit -v) counts too: what is left of it is what mmap can still give.
  rlimit space{};
  if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY) {
    const std::size_t mapped =
        read_number("/proc/self/statm") * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    available =
        std::min<std::size_t>(available, space.rlim_cur - std::min<std::size_t>(space.rlim_cur, mapped));
  }
  return available;
}

void require_memory(std::size_t bytes, const std::string& what) {
  const std::size_t available = available_memory();
  if (bytes > available)
    throw Error(fmt::format("{} needs {}, {} are available", what, human_bytes(static_cast<double>(bytes)),
                            human_bytes(static_cast<double>(available))),
                Status::too_large);
}

std::string human_bytes(double bytes) {
  static constexpr const char* units[] = {"bytes", "KB", "MB", "GB", "TB", "PB", "EB"};
  int unit = 0;
  while (bytes >= 999.5 && unit < 6) bytes /= 1000, ++unit;
  return unit ? fmt::format("{:.3g} {}", bytes, units[unit]) : fmt::format("{:.0f} bytes", bytes);
}

}  // namespace tallcache
