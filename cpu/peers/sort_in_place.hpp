// Shared by the peers that sort keys in place. Where the output is another array, the copy into it is a
// phase of theirs.
#pragma once

#include <algorithm>

#include "common/ops/counting_sort.hpp"
#include "common/ops/counting_sort_in_place.hpp"
#include "common/ops/sort.hpp"
#include "common/variant.hpp"

namespace tallcache::cpu::peers {

/// `Library::sort(launch, keys, n)` sorts the n keys in place, which are uint32 or `More`.
template <class Library, class... More>
struct sort_in_place {
  using operations = OperationList<CountingSort<false>, CountingSortInPlace, Sort, SortOf<More>...>;
  static constexpr PhaseSpec phases[] = {{"copy"}, {"sort"}};

  template <std::size_t phase, class Args>
  static void call(const Launch& launch, const Args& args, const Params&) {
    if constexpr (requires { args.keys; }) {
      if (phase == 1) Library::sort(launch, args.keys.data, args.keys.size);
    } else if constexpr (phase == 0) {
      std::copy_n(args.in.data, args.in.size, args.out.data);
    } else {
      Library::sort(launch, args.out.data, args.out.size);
    }
  }
};

}  // namespace tallcache::cpu::peers
