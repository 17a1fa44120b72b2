// The context of a result: the machine with everything that the program knows about it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "bench/results/json.hpp"
#include "common/measure/machine.hpp"

namespace tallcache {

/// describe_machine() with the build, the counters and the state of CUDA filled in.
const Machine& this_machine();

/// Each peer that chooses its kernels by the processor, and what it runs as here, or why it cannot run.
/// Choosing is measuring: it takes a second or two, so that other documents than the machine's name what ran
/// in their records.
std::vector<std::pair<std::string, std::string>> peer_libraries();

/// this_machine(), the date, the fork policy of the runs whose records name none and, where GPU number
/// `device` can be used, its name as "gpu" ("none" where it cannot), as JSON: the "context" of every
/// document.
Json machine_context(int device = 0);

/// Throws Error when GPU number `device` should be there and cannot be used: there is no such device, its
/// driver is older than the runtime, or the build has no code for it. For the end of a command, when the
/// CPU's results are out: nothing where the machine has no GPU at all, whose variants say so.
void require_device(int device);

}  // namespace tallcache
