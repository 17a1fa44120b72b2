// Errors as one line for the user: the request, why it cannot be met, and what to do instead.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

#include "common/status.hpp"

namespace tallcache {

/// Bad input, or a machine that cannot do what was asked. what() is one line that names both.
class Error : public std::runtime_error {
 public:
  /// `status`: that of a measurement which it ends.
  explicit Error(const std::string& what, Status status = Status::failed)
      : std::runtime_error(what), status_(status) {}

  Status status() const { return status_; }

 private:
  Status status_;
};

/// a * b bytes (or elements); throws Error naming `what` when the product does not fit in size_t.
inline std::size_t checked_product(std::size_t a, std::size_t b, const char* what) {
  std::size_t product = 0;
  if (__builtin_mul_overflow(a, b, &product))
    throw Error(std::string(what) + ": " + std::to_string(a) + " x " + std::to_string(b) + " overflows");
  return product;
}

/// a + b, checked like checked_product.
inline std::size_t checked_sum(std::size_t a, std::size_t b, const char* what) {
  std::size_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum))
    throw Error(std::string(what) + ": " + std::to_string(a) + " + " + std::to_string(b) + " overflows");
  return sum;
}

}  // namespace tallcache
