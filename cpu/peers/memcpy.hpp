// memcpy: the minimum cost of moving the data.
#pragma once

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <cstring>

#include "common/fork/one_tbb.hpp"
#include "common/ops/copy.hpp"
#include "common/variant.hpp"

namespace tallcache::cpu::peers {

struct memcpy {
  static constexpr std::string_view idea =
      "memcpy of the whole, or row by row when padded; rows shared out "
      "when on several threads";
  static constexpr std::string_view source = "the C library";
  using operations = OperationList<Copy<float>, Copy<double>, Copy<std::int32_t>>;
  static constexpr bool parallel = true;

  template <class Args>
  static void call(const Launch& launch, const Args& args, const Params&) {
    if (launch.threads == 1) return copy_rows(args, 0, args.a.rows);
    in_arena(launch.threads, [&] {
      tbb::parallel_for(
          tbb::blocked_range<Index>(0, args.a.rows),
          [&](const auto& rows) { copy_rows(args, rows.begin(), rows.end()); }, tbb::static_partitioner());
    });
  }

 private:
  template <class Args>
  static void copy_rows(const Args& args, Index first, Index last) {
    const auto& b = args.b;
    const auto& a = args.a;
    const auto copy = [&](Index row, Index elements) {
      if (elements) std::memcpy(b.data + row * b.ld, a.data + row * a.ld, elements * sizeof *b.data);
    };
    if (a.ld == a.cols && b.ld == b.cols)
      copy(first, (last - first) * a.cols);
    else
      for (Index i = first; i < last; ++i) copy(i, a.cols);
  }
};

}  // namespace tallcache::cpu::peers
