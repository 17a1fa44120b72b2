// The threads and the memory of a call.
#pragma once

#include <cstddef>
#include <span>

#include "common/view.hpp"

namespace tallcache::blas {

/// The number of threads that a large product of the calling thread may use: 1 inside of an OpenMP region and in
/// a child of fork(), whose oneTBB has lost its workers.
int threads();
void set_threads(int);
int threads_outside();  ///< of OpenMP regions

/// Scratch of the calling thread, kept for its later calls as far as `kept_bytes` go. A thread that waits may
/// run another product in between, so that several leases are held at once, last in, first out.
class Lease {
 public:
  explicit Lease(std::size_t bytes);
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  ~Lease();
  Scratch<> scratch() const { return Scratch<>(bytes_); }

 private:
  std::span<std::byte> bytes_;
};

inline constexpr std::size_t kept_bytes = std::size_t{512} << 20;

}  // namespace tallcache::blas
