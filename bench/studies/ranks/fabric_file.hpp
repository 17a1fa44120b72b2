// A fabric from a file: {"flops": of a rank each second, "levels": [{"children", "latency" in s, "bandwidth"
// in B/s}]}, from the ranks upward.
#pragma once

#include <string>

#include "bench/results/json.hpp"
#include "ranks/fabric.hpp"

namespace tallcache {

/// "host" (32 ranks of one memory) or "cluster" (32 ranks a host, 16 hosts a switch, a core at half its
/// bandwidth), or the fabric of a file. Throws Error, one line, on anything else.
ranks::Fabric read_fabric(const std::string& name);
Json to_json(const ranks::Fabric&);

}  // namespace tallcache
