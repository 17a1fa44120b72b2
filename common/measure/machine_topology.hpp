// The topology that hwloc sees, and threads pinned to its cores.
#pragma once

#include <hwloc.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tallcache {

class Topology {
 public:
  /// Throws Error when hwloc cannot be initialised.
  Topology();

  hwloc_topology_t get() const { return topology_.get(); }

  /// The first hardware thread of every core that this process may run on, at most as many as a cgroup's
  /// quota gives, spread over the machine in hwloc's order.
  const std::vector<hwloc_obj_t>& cores() const { return cores_; }

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
};

}  // namespace tallcache
