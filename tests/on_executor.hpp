// The fixture of tests that run variants on arguments of their own on a GPU.
#pragma once

#include <cstddef>
#include <memory>

#include "common/catalogue.hpp"
#include "gpu/cuda_executor.hpp"
#include "tests/on_device.hpp"

namespace tallcache::test {

class OnExecutor : public OnDevice {
 protected:
  void SetUp() override {
    OnDevice::SetUp();
    if (has_device()) executor = make_cuda_executor();
  }

  void run(const Variant& variant, const void* args, const Params& params = {}) {
    for (Entry entry : variant.entries) executor->seconds(entry, args, params, {}, 1);
  }

  /// The place of element number `skip`.
  template <class T>
  static T* place(Memory& memory, Index skip) {
    return reinterpret_cast<T*>(memory.bytes().data()) + skip;
  }

  std::unique_ptr<Executor> executor;
};

}  // namespace tallcache::test
