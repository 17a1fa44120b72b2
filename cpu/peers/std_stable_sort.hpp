// std::stable_sort.
#pragma once

#include <algorithm>

#include "common/ops/counting_sort.hpp"
#include "common/ops/sort.hpp"
#include "common/variant.hpp"

namespace tallcache::cpu::peers {

struct std_stable_sort {
  static constexpr std::string_view idea =
      "merge sort, on one thread; packing (key, payload) records and unpacking are not timed";
  static constexpr std::string_view source = "the C++ standard library";
  using operations = OperationList<CountingSort<true>, Sort, SortOf<std::uint64_t>, SortOf<double>,
                                   SortOf<KeyAndPosition>, SortOf<MoveOnly>, SortOf<StringPointer>>;
  static constexpr PhaseSpec phases[] = {{"pack", false}, {"sort"}, {"unpack", false}};

  struct Record {
    std::uint32_t key, payload;
  };

  template <class Op>
  static std::size_t scratch(Op, const Shape& shape, const Params&) {
    if (!std::is_same_v<Op, CountingSort<true>>) return 0;
    return scratch_bytes({checked_product(shape["n"], sizeof(Record), "records")});
  }

  template <std::size_t phase, class Args>
  static void call(const Launch&, const Args& args, const Params&) {
    if constexpr (requires { args.keys; }) {
      if (phase == 1) std::stable_sort(args.keys.data, args.keys.data + args.keys.size);
    } else {
      call_with_payload<phase>(args);
    }
  }

 private:
  template <std::size_t phase, class Args>
  static void call_with_payload(const Args& args) {
    const Index n = args.in.size;
    auto scratch = args.scratch;
    Record* const records = scratch.template vector<Record>(n).data;
    if constexpr (phase == 0)
      for (Index i = 0; i < n; ++i) records[i] = {args.in[i], args.payload_in[i]};
    else if constexpr (phase == 1)
      std::stable_sort(records, records + n, [](Record a, Record b) { return a.key < b.key; });
    else
      for (Index i = 0; i < n; ++i) args.out[i] = records[i].key, args.payload_out[i] = records[i].payload;
  }
};

}  // namespace tallcache::cpu::peers
