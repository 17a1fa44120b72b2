#include "common/measure/machine_topology.hpp"

#include <algorithm>
#include <barrier>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <exception>
#include <filesystem>
#include <system_error>
#include <thread>

#include "common/error.hpp"
#include "common/fork/processors.hpp"

namespace tallcache {
namespace {

/// Whether Linux tells its processors where hwloc 2 looks for them.
bool linux_tells_processors() {
  const std::filesystem::path folder = "/sys/devices/system/cpu/cpu0/topology";
  std::error_code ignored;
  for (const char* name : {"package_cpus", "core_cpus", "core_siblings", "thread_siblings"})
    if (std::filesystem::exists(folder / name, ignored)) return true;
  return false;
}

std::vector<MemoryNode> nodes_of(hwloc_topology_t topology, hwloc_const_bitmap_t processors) {
  std::vector<MemoryNode> nodes;
  const hwloc_bitmap_t left = hwloc_bitmap_dup(processors), of_node = hwloc_bitmap_alloc();
  for (hwloc_obj_t node = nullptr; (node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node));) {
    hwloc_bitmap_and(of_node, left, node->cpuset);
    hwloc_bitmap_andnot(left, left, node->cpuset);
    if (const int count = hwloc_bitmap_weight(of_node); count > 0) nodes.push_back({node->os_index, count});
  }
  hwloc_bitmap_free(left);
  hwloc_bitmap_free(of_node);
  if (nodes.empty()) nodes.push_back({0, 1});
  return nodes;
}

}  // namespace

Topology::Topology() {
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) != 0) throw Error("hwloc: the topology cannot be initialised");
  topology_.reset(topology);
  hwloc_topology_set_icache_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_ALL);
  // Without /sys hwloc's part for Linux gives up, with a line of its own on standard error; the parts that
  // ask the processors themselves do then what they do anyway.
  if (!linux_tells_processors())
    hwloc_topology_set_components(topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "linux");
  if (hwloc_topology_load(topology) != 0) throw Error("hwloc: the topology cannot be loaded");

  const hwloc_bitmap_t allowed = hwloc_bitmap_alloc();
  if (hwloc_get_cpubind(topology, allowed, HWLOC_CPUBIND_PROCESS) != 0)
    hwloc_bitmap_copy(allowed, hwloc_topology_get_allowed_cpuset(topology));
  const auto core_of = [](hwloc_obj_t pu) {
    for (hwloc_obj_t up = pu; up; up = up->parent)
      if (up->type == HWLOC_OBJ_CORE) return up;
    return pu;
  };
  for (hwloc_obj_t pu = nullptr; (pu = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, pu));) {
    if (!hwloc_bitmap_isset(allowed, pu->os_index)) continue;
    if (cores_.empty() || core_of(cores_.back()) != core_of(pu)) cores_.push_back(pu);
  }
  memory_nodes_ = nodes_of(topology, allowed);
  hwloc_bitmap_free(allowed);
  if (cores_.empty()) throw Error("hwloc: no processor that this process may run on");
  cores_.resize(within_quota(cpu_quota(), static_cast<int>(cores_.size())));
}

void Topology::stay_near(std::size_t node) const {
  const hwloc_obj_t object =
      hwloc_get_numanode_obj_by_os_index(topology_.get(), memory_nodes_.at(node).number);
  if (object) hwloc_set_cpubind(topology_.get(), object->cpuset, HWLOC_CPUBIND_THREAD);
}

double Topology::run_pinned(int threads, const std::function<void(int)>& body) const {
  using Clock = std::chrono::steady_clock;
  if (threads < 1 || static_cast<std::size_t>(threads) > cores_.size())
    throw Error(std::to_string(threads) + " threads asked, this process may use " +
                std::to_string(cores_.size()) + " cores");
  std::vector<Clock::time_point> starts(threads), ends(threads);
  std::vector<std::exception_ptr> errors(threads);
  std::barrier together(threads);
  {
    std::vector<std::jthread> team;
    for (int i = 0; i < threads; ++i)
      team.emplace_back([&, i] {
        const bool pinned = hwloc_set_cpubind(topology_.get(), cores_[i]->cpuset, HWLOC_CPUBIND_THREAD) == 0;
        const std::string why = pinned ? "" : std::strerror(errno);
        together.arrive_and_wait();
        starts[i] = Clock::now();
        try {
          if (!pinned) throw Error("a thread cannot be pinned to a core: " + why);
          body(i);
        } catch (...) {
          errors[i] = std::current_exception();
        }
        ends[i] = Clock::now();
      });
  }
  for (const std::exception_ptr& error : errors)
    if (error) std::rethrow_exception(error);
  return std::chrono::duration<double>(*std::max_element(ends.begin(), ends.end()) -
                                       *std::min_element(starts.begin(), starts.end()))
      .count();
}

}  // namespace tallcache
