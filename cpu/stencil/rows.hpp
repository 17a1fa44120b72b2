// What rows_double.cpp, rows_double_traced.cpp and those of float compile: the updates of the operation in
// vectors, timed and traced.
#pragma once

#include "cpu/stencil/updates.hpp"

namespace tallcache::cpu::stencil {

template <class T, int d, class Update, class Access>
void VectorGrids::compiled(const Grids<T, d, Access>& grids, const void* body,
                           void (*call)(const void*, const AnySteppedGrids<d, 1>&)) {
  const SteppedGrids<T, d, 1, VectorRows, Update, Access> stepped(grids, Update{});
  call(body, AnySteppedGrids<d, 1>(stepped));
}

#define TALLCACHE_STENCIL_ROWS_OF(T, d, UPDATE, ACCESS)         \
  template void VectorGrids::compiled<T, d, UPDATE<d>, ACCESS>( \
      const Grids<T, d, ACCESS>&, const void*, void (*)(const void*, const AnySteppedGrids<d, 1>&));
#define TALLCACHE_STENCIL_ROWS_IN(T, d, ACCESS)    \
  TALLCACHE_STENCIL_ROWS_OF(T, d, Heat, ACCESS)    \
  TALLCACHE_STENCIL_ROWS_OF(T, d, HeatBox, ACCESS) \
  TALLCACHE_STENCIL_ROWS_OF(T, d, Wave, ACCESS)
#define TALLCACHE_STENCIL_ROWS(T, ACCESS) \
  TALLCACHE_STENCIL_ROWS_IN(T, 1, ACCESS) \
  TALLCACHE_STENCIL_ROWS_IN(T, 2, ACCESS) \
  TALLCACHE_STENCIL_ROWS_IN(T, 3, ACCESS)

}  // namespace tallcache::cpu::stencil
