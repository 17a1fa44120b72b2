#include "bench/results/device_text.hpp"

#include <algorithm>

#include "gpu/kernel_text.hpp"

namespace tallcache {

bool is_device_text(const Variant& variant) {
  if (variant.peer || variant.backend != "gpu") return false;
  return std::ranges::none_of(gpu::kernel_texts(), [&](const gpu::KernelText* text) {
    return text->operation == variant.operation && text->name == variant.name;
  });
}

}  // namespace tallcache
