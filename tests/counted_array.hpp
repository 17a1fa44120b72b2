// Helpers for the tests of the model's kernels.
#pragma once

#include <numeric>
#include <string>
#include <vector>

#include "common/warp/host_device.hpp"

namespace tallcache::test {

/// A vector of the model's memory, filled with 0, 1, 2, ...
template <class T>
struct Array {
  std::vector<T> elements;
  VectorView<T, warp::Counted> view;

  Array(warp::HostDevice& device, Index size) : elements(static_cast<std::size_t>(size)) {
    std::iota(elements.begin(), elements.end(), T{});
    view = {elements.data(), size, device.access(elements.data())};
  }
};

/// The message of an error.
inline std::string message_of(auto&& f) {
  try {
    f();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace tallcache::test
