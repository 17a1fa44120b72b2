// The context of a result: the machine with everything that the program knows of it.
#pragma once

#include "bench/json.hpp"
#include "common/machine.hpp"

namespace tallcache {

/// describe_machine() with the kernels that the peers run and the state of CUDA filled in.
const Machine& this_machine();

/// this_machine() and the date as JSON: the "context" of every document.
Json machine_context();

/// The measured limits of GPU number `device`: {"gb_per_s", "float_gflop_per_s", "double_gflop_per_s"}, read
/// and written bytes and multiply-adds on the CUDA cores; or {"absent": why there are none}.
Json measured_gpu_limits(int device = 0);

}  // namespace tallcache
