// The inputs of a traced run, where they lie alike in every run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "common/operation.hpp"

namespace tallcache::cache {

/// Puts inputs of the caller's own where Operation::fill() puts the seeded ones.
using OwnInputs = std::function<void(std::span<std::byte* const> buffers)>;

/// The inputs and the scratch of one traced run. They lie one behind the other from a multiple of 2 MiB on,
/// each from a page on, so that the sets that they fall into, and so the conflict misses, are the same in
/// every run in caches of up to 2 MiB a way.
class TracedProblem {
 public:
  /// Fills the inputs and binds them; the sizes of `shape` must be complete, an empty `input` is the
  /// operation's first. With inputs of one's own `input` is their name alone. Throws what the operation
  /// throws, and Error when memory is short.
  TracedProblem(const Operation& operation, const Shape& shape, std::size_t scratch_bytes,
                std::string_view input = {}, std::uint64_t seed = 1, const OwnInputs& own_inputs = {});

  /// Arguments of the operation, as Variant::trace takes them.
  const void* args() const { return args_.bytes; }
  /// Where the inputs begin: a multiple of 2 MiB.
  const void* begin() const { return arena_.get(); }

 private:
  std::unique_ptr<std::byte, void (*)(void*)> arena_;
  ArgsStorage args_;
};

}  // namespace tallcache::cache
