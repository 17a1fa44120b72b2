// The host's memory: guarded arrays, and how much there is.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "common/measure/executor.hpp"

namespace tallcache {

/// Zeroed pages of the host, with a guard band of a page on each side. Throws Error with what was asked and
/// what is available when there is too little.
std::unique_ptr<Memory> allocate_host_memory(std::size_t bytes, Pages pages = Pages::ordinary);

/// Bytes that can be allocated now without swapping; a cgroup's limit counts.
std::size_t available_memory();

/// Throws Error unless `bytes` fit into the memory that is available: "<what> needs 12.8 GB, 8.1 GB
/// are available".
void require_memory(std::size_t bytes, const std::string& what);

/// "12.8 GB"
std::string human_bytes(double bytes);

}  // namespace tallcache
