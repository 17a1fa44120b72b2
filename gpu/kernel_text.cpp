#include "gpu/kernel_text.hpp"

#include <string>
#include <vector>

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

namespace {

const Shape& supported(const KernelText& text, const Shape& shape) {
  if (!text.supports(shape))
    throw Error(std::string(text.name) + " does not take " + to_string(*text.operation, shape));
  return shape;
}

Params all_params(const KernelText& text, const Params& given) {
  const Variant named{.name = text.name, .operation = text.operation, .params = text.params};
  return complete_params(named, given);
}

}  // namespace

TextProblem::TextProblem(const KernelText& text, const Shape& shape, const Params& params,
                         std::string_view input, std::uint64_t seed)
    : text_(text),
      shape_(supported(text, complete_shape(*text.operation, shape))),
      params_(all_params(text, params)),
      input_(input.empty() ? text.operation->inputs.front() : input),
      seed_(seed),
      problem_(*text.operation, shape_, text.scratch_bytes(shape_, params_), input_, seed) {}

Check TextProblem::check() const {
  return text_.operation->check(shape_, input_, seed_, problem_.args(), ErrorClass::standard);
}

Check run_kernel_text(warp::HostDevice& device, const KernelText& text, const Shape& shape,
                      const Params& params, std::string_view input, std::uint64_t seed) {
  const TextProblem problem(text, shape, params, input, seed);
  problem.run(device);
  return problem.check();
}

}  // namespace tallcache::gpu
