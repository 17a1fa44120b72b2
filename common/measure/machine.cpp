#include "common/measure/machine.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "common/measure/executor.hpp"
#include "common/measure/host_memory.hpp"
#include "common/measure/machine_kernels.hpp"
#include "common/measure/machine_topology.hpp"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

namespace tallcache {
namespace {

/// Objects of `type` in the topology; absent when hwloc sees none (a container may hide them).
Figure<int> count(hwloc_topology_t topology, hwloc_obj_type_t type, const char* what) {
  const int number = hwloc_get_nbobjs_by_type(topology, type);
  if (number > 0) return number;
  return Figure<int>::none(std::string("hwloc sees no ") + what + " here");
}

std::string cpu_model(hwloc_topology_t topology) {
  for (const hwloc_obj_t object :
       {hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0), hwloc_get_root_obj(topology)})
    if (const char* name = object ? hwloc_obj_get_info_by_name(object, "CPUModel") : nullptr; name && *name)
      return name;
  return "unknown";
}

CpuCache describe_cache(hwloc_topology_t topology, hwloc_obj_t object) {
  const hwloc_obj_attr_u::hwloc_cache_attr_s& cache = object->attr->cache;
  CpuCache result;
  result.level = static_cast<int>(cache.depth);
  result.type = cache.type == HWLOC_OBJ_CACHE_UNIFIED ? "unified"
                : cache.type == HWLOC_OBJ_CACHE_DATA  ? "data"
                                                      : "instruction";
  result.bytes = cache.size;
  result.line_bytes = cache.linesize > 0 ? Figure<int>(static_cast<int>(cache.linesize))
                                         : Figure<int>::none("hwloc does not know the line");
  result.ways = cache.associativity > 0     ? Figure<std::string>(std::to_string(cache.associativity))
                : cache.associativity == -1 ? Figure<std::string>("full")
                                            : Figure<std::string>::none("hwloc does not know the ways");
  const int cores = hwloc_get_nbobjs_inside_cpuset_by_type(topology, object->cpuset, HWLOC_OBJ_CORE);
  result.cores = cores > 0 ? cores : hwloc_bitmap_weight(object->cpuset);
  result.count = 1;
  return result;
}

std::vector<CpuCache> describe_caches(hwloc_topology_t topology) {
  std::vector<CpuCache> caches;
  for (int type = HWLOC_OBJ_L1CACHE; type <= HWLOC_OBJ_L3ICACHE; ++type)
    for (hwloc_obj_t object = nullptr;
         (object = hwloc_get_next_obj_by_type(topology, static_cast<hwloc_obj_type_t>(type), object));) {
      CpuCache cache = describe_cache(topology, object);
      if (cache.bytes == 0) continue;
      const auto alike = std::find_if(caches.begin(), caches.end(), [&](CpuCache known) {
        known.count = 1;
        return known == cache;
      });
      if (alike != caches.end())
        ++alike->count;
      else
        caches.push_back(std::move(cache));
    }
  std::stable_sort(caches.begin(), caches.end(), [](const CpuCache& a, const CpuCache& b) {
    return std::pair(a.level, a.type) < std::pair(b.level, b.type);
  });
  return caches;
}

Figure<std::string> huge_pages() {
  std::ifstream file("/sys/kernel/mm/transparent_hugepage/enabled");
  const std::string modes{std::istreambuf_iterator<char>(file), {}};
  const std::size_t open = modes.find('['), close = modes.find(']');
  if (open == std::string::npos || close == std::string::npos || close < open)
    return Figure<std::string>::none("/sys/kernel/mm/transparent_hugepage/enabled cannot be read");
  return modes.substr(open + 1, close - open - 1);
}

/// CPUID's hypervisor bit, and the vendor that the hypervisor names in leaf 0x40000000.
Figure<std::string> hypervisor() {
#if defined(__x86_64__) || defined(__i386__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (!__get_cpuid(1, &a, &b, &c, &d)) return Figure<std::string>::none("this CPU has no CPUID leaf 1");
  if (!(c & (1u << 31))) return std::string("none");
  __cpuid(0x40000000, a, b, c, d);
  std::string vendor;
  for (const unsigned word : {b, c, d})
    for (int byte = 0; byte < 4; ++byte)
      if (const char letter = static_cast<char>(word >> 8 * byte); letter > ' ' && letter < 127)
        vendor += letter;
  return vendor.empty() ? std::string("unnamed") : vendor;
#else
  return Figure<std::string>::none("only x86 tells a program whether a hypervisor runs it");
#endif
}

}  // namespace

std::size_t Machine::last_level_bytes() const {
  std::size_t bytes = 0;
  int level = 0;
  for (const CpuCache& cache : caches)
    if (cache.type != "instruction" && cache.level >= level) {
      bytes = cache.bytes * static_cast<std::size_t>(cache.count) + (cache.level == level ? bytes : 0);
      level = cache.level;
    }
  return bytes;
}

Machine describe_machine() {
  const Topology topology;
  Machine machine;
  machine.cpu = cpu_model(topology.get());
  utsname system{};
  if (uname(&system) == 0) {
    machine.architecture = system.machine;
    machine.system = std::string(system.sysname) + " " + system.release;
  }
  machine.sockets = count(topology.get(), HWLOC_OBJ_PACKAGE, "sockets");
  machine.cores = count(topology.get(), HWLOC_OBJ_CORE, "cores");
  machine.numa_nodes = count(topology.get(), HWLOC_OBJ_NUMANODE, "memory nodes");
  machine.threads = hwloc_get_nbobjs_by_type(topology.get(), HWLOC_OBJ_PU);
  machine.usable_cores = static_cast<int>(topology.cores().size());
  machine.caches = describe_caches(topology.get());
  if (machine.caches.empty()) machine.caches_absent = "hwloc sees no caches (a container may hide them)";
  // Not hwloc's sum over the memory nodes: where memory was plugged in later, a node tells only part of it.
  const long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
  machine.memory_bytes = pages > 0 && page_bytes > 0
                             ? Figure<std::size_t>(static_cast<std::size_t>(pages) * page_bytes)
                             : Figure<std::size_t>::none("the system does not tell its pages");
  machine.available_bytes = available_memory();
  machine.huge_pages = huge_pages();
  machine.hypervisor = hypervisor();
  const SimdTarget simd = simd_target();
  machine.simd = simd.name;
  machine.simd_bytes = static_cast<int>(simd.bytes);
  return machine;
}

}  // namespace tallcache
