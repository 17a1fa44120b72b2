// The sizes of Fourier transforms that a plan is asked for, on the CPU and on a GPU.
#pragma once

#include <complex>
#include <cstddef>
#include <string>

#include "common/error.hpp"
#include "common/view.hpp"

namespace tallcache::detail {

/// Of a real number and of a complex one.
template <class T>
struct RealPart {
  using type = T;
};
template <class T>
struct RealPart<std::complex<T>> {
  using type = T;
};

/// n. Throws Error where it is negative, or its bytes overflow.
inline Index fft_size(Index n) {
  if (n < 0) throw Error("fft: negative size " + std::to_string(n));
  checked_product(n, sizeof(std::complex<double>), "fft");
  return n;
}

/// The numbers between the first and the last of `count` transforms of n, both included; 0 where there is
/// none. Throws Error as fft_size() does, on strides and distances below 1, and on overflow.
inline std::size_t fft_batch_extent(Index n, Index count, Index stride, Index distance) {
  if (fft_size(n) == 0 || fft_size(count) == 0) return 0;
  if (stride < 1 || distance < (count > 1 ? 1 : 0)) throw Error("fft: strides and distances are positive");
  return checked_sum(checked_product(n - 1, static_cast<std::size_t>(stride), "fft"),
                     checked_product(count - 1, static_cast<std::size_t>(distance), "fft"), "fft") +
         1;
}

}  // namespace tallcache::detail
