// Facts and settings of the current device that a launch needs, asked of CUDA once and kept: a query or a
// setting costs the host about as much as a launch does.
#pragma once

#include <cstddef>

namespace tallcache::gpu {

/// The multiprocessors of the current device. Throws Error when CUDA does not tell.
int multiprocessors();

/// The most bytes of shared memory that a block of the current device may have. Throws Error when CUDA does
/// not tell.
int shared_bytes_of_block();

/// The multiprocessors of the current device that clusters of `blocks` blocks, one on each, fill at once: a
/// cluster lies in one of the groups that the hardware has them in. 0 where there are no such clusters.
/// `kernel` is any. Throws Error when CUDA does not tell.
int multiprocessors_of_clusters(const void* kernel, int blocks);

/// Lets `kernel` have `bytes` of dynamic shared memory a block on the current device. Throws Error, as of the
/// caller's file and line, when it cannot have so much.
void allow_dynamic_shared(const void* kernel, std::size_t bytes, const char* file = __builtin_FILE(),
                          int line = __builtin_LINE());

}  // namespace tallcache::gpu
