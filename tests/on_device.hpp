// The fixture of tests that need a GPU.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "gpu/cuda_state.hpp"
#include "tests/support.hpp"

namespace tallcache::test {

/// Skips where no device can be used; fails there when the environment requires one (gpu_required()).
class OnDevice : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = cuda_unavailable(); !reason.empty()) {
      if (gpu_required()) GTEST_FAIL() << reason;
      GTEST_SKIP() << reason;
    }
  }

  /// Whether SetUp() found a device.
  static bool has_device() { return cuda_unavailable().empty(); }
};

}  // namespace tallcache::test
