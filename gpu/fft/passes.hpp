// A transform of n = n1 n2 numbers as one pass over memory or two: what the variants that differ in their
// tiles share.
#pragma once

#include <algorithm>
#include <type_traits>

#include "gpu/fft/mixed_passes.hpp"

namespace tallcache::gpu::fft {

/// Calls run(std::integral_constant<int, lg>) for the lg of [least, most].
template <int least, int most, class Run>
void with_lg(int lg, const Run& run) {
  if (lg == least) return run(std::integral_constant<int, least>());
  if constexpr (least < most) with_lg<least + 1, most>(lg, run);
}

/// Up to here a block transforms the whole: starting a second kernel takes longer than more blocks would
/// save.
inline constexpr int max_lg_whole = 12;

/// lg of the numbers of a thread, which are its radix. Short columns take more threads of fewer numbers: what
/// they wait for is latency.
constexpr int lg_each(int lg_l) { return lg_l < 10 ? std::min(lg_l, 3) : 4; }

/// What all tiles of a pass work on.
template <class Out, class In>
struct PassData {
  Out to;
  In from, powers, low;
  RootTables tables;
  Layout layout;
};

/// Tiles says which tiles columns of length 2^lg_l lie in, and starts the kernels:
///   static constexpr int max_lg_n;                         of two passes
///   static constexpr int lg_cols<T>(int lg_l);
///   static void run<T, pass, lg_l>(Device&, Index columns, const PassData&);
/// and run_mixed as for MixedPasses, which transform what is no power of two.
///
/// This is the working memory of a transform of n numbers of T, a power of two or a product of small factors:
/// roots, and what lies between the passes.
template <class Tiles, class T, class Access>
class Passes {
 public:
  using Number = Complex<T>;
  using Numbers = VectorView<Number, Access>;
  using ConstantNumbers = VectorView<const Number, Access>;

  using Mixed = MixedPasses<Tiles, T, Access>;

  static bool supports(Index n) {
    return is_power_of_two(n) ? n <= Index{1} << Tiles::max_lg_n : Mixed::supports(n);
  }

  static std::size_t scratch(Index n) {
    if (!is_power_of_two(n)) return Mixed::scratch(n);
    const RootTables tables{lg(n)};
    return checked_sum(tables.scratch(sizeof(Number)),
                       lg(n) > max_lg_whole ? scratch_bytes({n * sizeof(Number)}) : 0, "fft");
  }

  Passes(Scratch<Access>& scratch, Index n) : is_mixed_(!is_power_of_two(n)), tables_{lg(n)} {
    if (is_mixed_) {
      mixed_ = Mixed(scratch, n);
      return;
    }
    powers_ = scratch.template vector<Number>(tables_.powers_size());
    low_ = scratch.template vector<Number>(tables_.low_size());
    if (lg(n) > max_lg_whole) between_ = scratch.template vector<Number>(n);
  }

  template <class Device>
  void prepare(Device& device) const {
    if (is_mixed_) return mixed_.prepare(device);
    make_roots(device, powers_, low_, tables_);
  }

  /// After prepare(); `out` is not `in`.
  template <class Device>
  void run(Device& device, const Numbers& out, const ConstantNumbers& in) const {
    if (is_mixed_) return mixed_.run(device, out, in);
    const int lg_n = tables_.lg_n;
    if (lg_n <= max_lg_whole)
      return with_lg<0, max_lg_whole>(
          lg_n, [&](auto lg_l) { Tiles::template run<T, Pass::whole, lg_l>(device, 1, data(out, in, {})); });
    const int lg_n1 = (lg_n + 1) / 2, lg_n2 = lg_n / 2;
    const Layout layout{lg_n1, lg_n2, Tiles::template lg_cols<T>(lg_n2), Tiles::template lg_cols<T>(lg_n1)};
    with_lg<(max_lg_whole + 2) / 2, (Tiles::max_lg_n + 1) / 2>(lg_n1, [&](auto lg_l) {
      Tiles::template run<T, Pass::columns, lg_l>(device, Index{1} << lg_n2, data(between_, in, layout));
    });
    with_lg<(max_lg_whole + 1) / 2, Tiles::max_lg_n / 2>(lg_n2, [&](auto lg_l) {
      Tiles::template run<T, Pass::rows, lg_l>(device, Index{1} << lg_n1, data(out, between_, layout));
    });
  }

 private:
  PassData<Numbers, ConstantNumbers> data(const Numbers& to, const ConstantNumbers& from,
                                          const Layout& layout) const {
    return {to, from, powers_, low_, tables_, layout};
  }

  bool is_mixed_;
  Mixed mixed_;
  RootTables tables_;
  Numbers powers_, low_, between_{};
};

/// The view with which a variant's phase accesses its arguments.
template <class Args>
using AccessOf = typename decltype(Args::out)::access_type;

}  // namespace tallcache::gpu::fft
