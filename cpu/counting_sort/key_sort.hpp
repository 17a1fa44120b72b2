// What the variants of the streaming sorts have in common.
#pragma once

#include <utility>

#include "common/ops/counting_sort.hpp"
#include "common/variant.hpp"
#include "cpu/counting_sort/streaming_kernels.hpp"

namespace tallcache::cpu::counting_sort {

/// A variant that sorts by Sort<Access, with_payload>, which has scratch(n, range, width) and sort(fork, in,
/// out, range, scratch). In place `out` is `in`.
template <template <class Access, bool with_payload> class Sort>
struct KeySort {
  static constexpr bool parallel = true;
  static constexpr Pages scratch_pages = Pages::huge;

  template <class Op>
  static std::size_t scratch(Op, const Shape& shape, const Params&, Index width) {
    return Sort<Plain, has_payload<typename Op::template Args<>>>::scratch(
        shape["n"], static_cast<std::uint64_t>(shape["range"]), width);
  }

  template <class Fork, class Args>
  static void run(Fork& fork, const Args& args, const Params&) {
    const auto policy = records_of(args).second.keys.access();
    CompiledApart<std::remove_const_t<decltype(policy)>> apart(policy);
    const auto to = args.with(apart.policy());
    const auto [in, out] = records_of(to);
    Sort<decltype(apart.policy()), has_payload<Args>>::sort(fork, in, out, to.range, to.scratch);
  }

 private:
  static auto records_of(const auto& args) {
    if constexpr (requires { args.keys; })
      return std::pair(Records{args.keys}, Records{args.keys});
    else
      return std::pair(Records{args.in, args.payload_in}, Records{args.out, args.payload_out});
  }
  template <class Args>
  static constexpr bool has_payload = requires {
    requires Args::has_payload;
  };
};

}  // namespace tallcache::cpu::counting_sort
