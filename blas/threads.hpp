// The number of threads of a call.
#pragma once

namespace tallcache::blas {

/// The number of threads that a large product of the calling thread may use: 1 inside of an OpenMP region and
/// in a child of fork(), which has none of its parent's threads.
int threads() noexcept;
int threads_outside() noexcept;  ///< of OpenMP regions
void set_threads(int threads) noexcept;

/// Whether the calling thread is inside of a parallel region of an OpenMP runtime that is loaded now, however
/// it was loaded.
bool in_openmp_region() noexcept;

}  // namespace tallcache::blas
