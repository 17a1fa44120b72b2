#include "common/cache/traced_problem.hpp"

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "common/key_inputs.hpp"

namespace tallcache::cache {

TracedProblem::TracedProblem(const Operation& operation, const Shape& shape, std::size_t scratch_bytes,
                             std::string_view input, std::uint64_t seed, const OwnInputs& own_inputs)
    : arena_(nullptr, std::free) {
  if (input.empty()) input = operation.inputs.front();
  if (!own_inputs) require_input(operation, input);
  constexpr std::size_t page = 4096, huge_page = std::size_t{1} << 21;
  const auto pages = [](std::size_t bytes) {
    return checked_sum(bytes, page - 1, "a traced run") / page * page;
  };
  const std::vector<BufferSpec> specs = operation.buffers(shape);
  std::size_t total = pages(scratch_bytes);
  for (const BufferSpec& spec : specs) total = checked_sum(total, pages(spec.bytes), "a traced run");

  const std::size_t arena_bytes = checked_sum(total, huge_page, "a traced run") / huge_page * huge_page;
  arena_.reset(static_cast<std::byte*>(std::aligned_alloc(huge_page, arena_bytes)));
  if (!arena_) throw Error("no memory for a traced run of " + std::to_string(total >> 20) + " MiB");
  std::vector<std::byte*> buffers;
  std::byte* next = arena_.get();
  for (const BufferSpec& spec : specs) {
    buffers.push_back(std::exchange(next, next + pages(spec.bytes)));
    if (spec.role == Role::output) std::memset(buffers.back(), spec.poison, spec.bytes);
  }

  if (own_inputs)
    own_inputs(buffers);
  else
    operation.fill(shape, input, seed, buffers);
  operation.bind(shape, buffers, {next, scratch_bytes}, args_);
  operation.validate(args());
}

}  // namespace tallcache::cache
