// Highway's vectorised quicksort, made stable: the position breaks the ties.
#pragma once

#include "common/ops/counting_sort.hpp"
#include "common/variant.hpp"
#include "cpu/peers/vqsort_library.hpp"

namespace tallcache::cpu::peers {

struct vqsort_pairs {
  static constexpr std::string_view idea =
      "vqsort of 64-bit words (key, position), on one thread; the payload is fetched afterwards";
  static constexpr std::string_view source = "Highway; Blacher et al. 2022, arXiv:2205.05982";
  using operations = OperationList<CountingSort<true>>;

  static void prepare() { vqsort_target<std::uint64_t>(); }
  static std::string runs_as() { return vqsort_target<std::uint64_t>(); }

  template <class Op>
  static std::size_t scratch(Op, const Shape& shape, const Params&) {
    return scratch_bytes({checked_product(shape["n"], sizeof(std::uint64_t), "words")});
  }

  template <class Args>
  static void call(const Launch&, const Args& args, const Params&) {
    const Index n = args.in.size;
    auto scratch = args.scratch;
    std::uint64_t* const words = scratch.template vector<std::uint64_t>(n).data;
    for (Index i = 0; i < n; ++i) words[i] = std::uint64_t{args.in[i]} << 32 | static_cast<std::uint64_t>(i);
    vqsort_keys(words, n);
    for (Index i = 0; i < n; ++i) {
      args.out[i] = static_cast<std::uint32_t>(words[i] >> 32);
      args.payload_out[i] = args.payload_in[static_cast<std::uint32_t>(words[i])];
    }
  }
};

}  // namespace tallcache::cpu::peers
