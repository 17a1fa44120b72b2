// The executor of the host's processors.
#pragma once

#include <memory>

#include "common/measure/executor.hpp"

namespace tallcache {

/// Its memory is the host's (common/measure/host_memory.hpp), and nothing is transferred.
std::unique_ptr<Executor> make_host_executor();

}  // namespace tallcache
