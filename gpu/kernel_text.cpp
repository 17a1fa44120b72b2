#include "gpu/kernel_text.hpp"

#include <string>
#include <vector>

#include "common/cache/run_traced.hpp"
#include "common/catalogue.hpp"

namespace tallcache::gpu {

#define TALLCACHE_KERNEL_TEXT(folder, name) extern const std::span<const KernelText> text_##folder##_##name;
#include "kernel_texts.def"
#undef TALLCACHE_KERNEL_TEXT

std::span<const KernelText* const> kernel_texts() {
  static const auto all = [] {
    std::vector<const KernelText*> list;
    const auto add = [&](std::span<const KernelText> records) {
      for (const KernelText& text : records) list.push_back(&text);
    };
#define TALLCACHE_KERNEL_TEXT(folder, name) add(text_##folder##_##name);
#include "kernel_texts.def"
    return list;
  }();
  return all;
}

const KernelText& find_kernel_text(const Operation& operation, std::string_view name) {
  std::vector<std::string_view> names;
  for (const KernelText* text : kernel_texts()) {
    if (text->operation != &operation) continue;
    if (text->name == name) return *text;
    names.push_back(text->name);
  }
  throw Error(unknown_name("modelled variant of " + std::string(operation.name), name, names));
}

Check run_kernel_text(warp::HostDevice& device, const KernelText& text, const Shape& given_shape,
                      const Params& given_params, std::string_view input, std::uint64_t seed) {
  const Operation& operation = *text.operation;
  const Shape shape = complete_shape(operation, given_shape);
  const Variant named{.name = text.name, .operation = &operation, .params = text.params};
  const Params params = complete_params(named, given_params);
  if (!text.supports(shape))
    throw Error(std::string(text.name) + " does not take " + to_string(operation, shape));
  if (input.empty()) input = operation.inputs.front();
  const cache::TracedProblem problem(operation, shape, text.scratch_bytes(shape, params), input, seed);
  text.run(device, problem.args(), params);
  return operation.check(shape, input, seed, problem.args());
}

}  // namespace tallcache::gpu
