// The decomposition of each matrix of a batch.
#pragma once

#include "common/ops/lu_batched.hpp"
#include "cpu/lu/lu_pivot_toledo.hpp"

namespace tallcache::cpu::lu {

struct lu_pivot_batched {
  static constexpr std::string_view idea =
      "lu_pivot_toledo's decomposition of each matrix: threads have small ones each, and share large ones";
  static constexpr std::string_view source = "Toledo 1997";
  using operations = OperationList<LuBatched<double>, LuBatched<float>>;
  static constexpr bool parallel = true;
  static constexpr Pages scratch_pages = Pages::huge;

  template <class T>
  static std::size_t scratch(LuBatched<T>, const Shape& shape, const Params&) {
    return static_cast<std::size_t>(parts(shape["m"], shape["n"], shape["batch"])) *
           One<T>::scratch(shape["m"], shape["n"]);
  }

  template <class Fork, class Args>
  static void run(Fork& fork, const Args& args, const Params&) {
    using M = decltype(args.a);
    using T = typename M::value_type;
    using Access = typename M::access_type;
    if (args.exchanges.size == 0) return;
    const Index m = args.m(), n = args.a.cols, shares = parts(m, n, args.batch);
    const auto factor = [=](auto& with, Index p, const Scratch<Access>& scratch) {
      const auto one = args.at(p);
      ToledoLu<T, Access, decltype(one.exchanges)>(m, n, scratch)(with, one.a, one.exchanges);
    };
    if (shares == 1) {
      for (Index p = 0; p < args.batch; ++p) factor(fork, p, args.scratch);
      return;
    }
    fork.loop(0, shares, 1, [=](Index share) {
      Serial serial;
      Scratch<Access> own = args.scratch;
      const Index bytes = static_cast<Index>(One<T>::scratch(m, n));
      if (share > 0) own.template vector<std::byte>(share * bytes);
      for (Index p = share; p < args.batch; p += shares) factor(serial, p, own);
    });
  }

 private:
  template <class T>
  using One = ToledoLu<T, Plain, VectorView<std::int32_t>>;

  /// In how many parts, each with its scratch, the batch is factored side by side.
  static Index parts(Index m, Index n, Index batch) {
    constexpr Index small = 256, most = 64;
    return std::max(m, n) <= small ? std::clamp<Index>(batch, 1, most) : 1;
  }
};

}  // namespace tallcache::cpu::lu
