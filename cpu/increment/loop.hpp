// a[i] = a[i] + b, one element after the other.
#pragma once

#include "common/ops/increment.hpp"
#include "common/variant.hpp"

namespace tallcache::cpu::increment {

struct loop {
  static constexpr std::string_view idea = "one loop over the elements";
  static constexpr std::string_view source = "M14: increment_cpu";
  using operations = OperationList<Increment<float>, Increment<double>, Increment<std::int32_t>>;
  static constexpr bool parallel = true;

  template <class Fork, class Args>
  static void run(Fork& fork, const Args& args, const Params&) {
    fork.loop(0, args.a.size, 1, [a = args.a, b = args.b](Index i) { a[i] = a[i] + b; });
  }
};

}  // namespace tallcache::cpu::increment
