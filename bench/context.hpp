// The context of a result: the machine with everything that the program knows of it.
#pragma once

#include "bench/json.hpp"
#include "common/machine.hpp"

namespace tallcache {

/// describe_machine() with the kernels that the peers run and the state of CUDA filled in.
const Machine& this_machine();

/// this_machine() and the date as JSON: the "context" of every document.
Json machine_context();

}  // namespace tallcache
