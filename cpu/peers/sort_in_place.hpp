// What the peers that sort keys in place share: the copy into the output is theirs for free.
#pragma once

#include <algorithm>

#include "common/ops/counting_sort.hpp"
#include "common/variant.hpp"

namespace tallcache::cpu::peers {

/// `Sort::sort(launch, keys, n)` sorts the n keys in place.
template <class Sort>
struct sort_in_place {
  using operations = OperationList<CountingSort<false>>;
  static constexpr PhaseSpec phases[] = {{"copy", false}, {"sort"}};

  template <std::size_t phase, class Args>
  static void call(const Launch& launch, const Args& args, const Params&) {
    if constexpr (phase == 0)
      std::copy_n(args.in.data, args.in.size, args.out.data);
    else
      Sort::sort(launch, args.out.data, args.out.size);
  }
};

}  // namespace tallcache::cpu::peers
