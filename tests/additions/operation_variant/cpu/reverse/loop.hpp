// b[i] = a[n - 1 - i], one element after the other.
#pragma once

#include "common/ops/reverse.hpp"
#include "common/variant.hpp"

namespace tallcache::cpu::reverse {

struct loop {
  static constexpr std::string_view idea = "one loop over the elements", source = "M14, varied";
  using operations = OperationList<Reverse<float>, Reverse<double>>;
  static constexpr bool parallel = true;
  static constexpr double ns_per_unit = 0.06;  // of one thread, for a byte, near 0.1 ms

  template <class Fork, class Args>
  static void run(Fork& fork, const Args& args, const Params&) {
    fork.loop(0, args.a.size, 1, [b = args.b, a = args.a](Index i) { b[i] = a[a.size - 1 - i]; });
  }
};

}  // namespace tallcache::cpu::reverse
