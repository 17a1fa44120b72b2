// The topology that hwloc sees, and threads pinned to its cores.
#pragma once

#include <hwloc.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/fork/by_node.hpp"

namespace tallcache {

class Topology {
 public:
  /// Throws Error when hwloc cannot be initialised.
  Topology();

  hwloc_topology_t get() const { return topology_.get(); }

  /// The first hardware thread of every core that this process may run on, at most as many as a cgroup's
  /// quota gives, spread over the machine in hwloc's order.
  const std::vector<hwloc_obj_t>& cores() const { return cores_; }

  /// The memory nodes of the processors that this process may run on, in hwloc's order; one of number 0 where
  /// hwloc sees none. Of several nodes of the same processors (fast and large memory) the first counts.
  const std::vector<MemoryNode>& memory_nodes() const { return memory_nodes_; }

  /// Lets this thread run on the processors of memory_nodes()[node] alone; a hint.
  void stay_near(std::size_t node) const;

  /// Runs body(i) on `threads` threads at once (at most cores().size()), thread i pinned to cores()[i], and
  /// returns the seconds from the first start to the last end. Throws Error when a thread cannot be pinned,
  /// and passes on what a body throws.
  double run_pinned(int threads, const std::function<void(int)>& body) const;

 private:
  struct Destroy {
    void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
  };
  std::unique_ptr<hwloc_topology, Destroy> topology_;
  std::vector<hwloc_obj_t> cores_;
  std::vector<MemoryNode> memory_nodes_;
};

}  // namespace tallcache
