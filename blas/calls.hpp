// The number of calls by routine. With TALLCACHE_BLAS_VERBOSE=1 it is printed when the program ends.
#pragma once

#include <cstdint>
#include <type_traits>

namespace tallcache::blas {

enum class Routine {
#define ROUTINE(name, interface) name,
#define ALSO(name, interface)
#include "blas/routines.def"
#undef ROUTINE
#undef ALSO
};

void count_call(Routine, bool in_double) noexcept;
template <class T>
void count_call(Routine routine) noexcept {
  count_call(routine, std::is_same_v<T, double>);
}

/// Of all routines.
std::uint64_t calls() noexcept;

}  // namespace tallcache::blas
