// The memory of a call.
#pragma once

#include <cstddef>

#include "common/view.hpp"

namespace tallcache::blas {

/// Scratch of the calling thread, kept for its later calls as far as `kept_bytes` go. A thread that waits may
/// run another product in between, so that several leases are held at once, last in, first out. Where the
/// memory cannot be had the scratch is empty.
class Lease {
 public:
  explicit Lease(std::size_t bytes) noexcept;
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  ~Lease();
  Scratch<> scratch() const { return Scratch<>({data_, size_}); }

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

inline constexpr std::size_t kept_bytes = std::size_t{512} << 20;

}  // namespace tallcache::blas
