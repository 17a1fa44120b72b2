// The number of calls by routine. With TALLCACHE_BLAS_VERBOSE=1 it is printed when the program ends.
#pragma once

#include <cstdint>

namespace tallcache::blas {

enum class Routine { sgemm, dgemm, sgemmt, dgemmt, ssyrk, dsyrk };

void count_call(Routine) noexcept;

/// Of all routines.
std::uint64_t calls() noexcept;

}  // namespace tallcache::blas
