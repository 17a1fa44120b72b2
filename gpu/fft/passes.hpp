// A transform of n = n1 n2 numbers as one pass over memory or two: what the variants that differ in their tiles share.
#pragma once

#include <type_traits>

#include "gpu/fft/tile_transform.hpp"

namespace tallcache::gpu::fft {

/// Calls run(std::integral_constant<int, lg>) for the lg of [least, most].
template <int least, int most, class Run>
void with_lg(int lg, const Run& run) {
  if (lg == least) return run(std::integral_constant<int, least>());
  if constexpr (least < most) with_lg<least + 1, most>(lg, run);
}

/// Up to here a block transforms the whole: starting a second kernel takes longer than more blocks would save.
inline constexpr int max_lg_whole = 12;

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
///   static constexpr int lg_cols(int lg_l);
///   static void run<pass, lg_l>(Device&, Index columns, const PassData&);
template <class Tiles>
struct Passes {
  static bool supports(const Shape& shape) {
    return is_power_of_two(shape["n"]) && shape["n"] <= Index{1} << Tiles::max_lg_n;
  }

  static std::size_t scratch(const Shape& shape) {
    const Index n = shape["n"];
    if (n == 0) return 0;
    const RootTables tables{lg(n)};
    return checked_sum(tables.scratch(), lg(n) > max_lg_whole ? scratch_bytes({n * sizeof(Complex)}) : 0,
                       "fft");
  }

  /// Phase 0 makes the roots, phase 1 is the transform.
  template <int phase, class Device, class Args>
  static void call(Device& device, const Args& args) {
    const Index n = args.in.size;
    if (n == 0) return;
    const RootTables tables{lg(n)};
    auto scratch = args.scratch;
    const auto powers = scratch.template vector<Complex>(tables.powers_size());
    const auto low = scratch.template vector<Complex>(tables.low_size());
    using In = decltype(complex_view(args.in));
    if constexpr (phase == 0)
      make_roots(device, powers, low, tables);
    else
      start(device, complex_view(args.out), complex_view(args.in), In(powers), In(low), tables, scratch);
  }

 private:
  template <class Device, class Out, class In, class Scratch>
  static void start(Device& device, const Out& out, const In& in, const In& powers, const In& low,
                    RootTables tables, Scratch& scratch) {
    const int lg_n = tables.lg_n;
    if (lg_n <= max_lg_whole)
      return with_lg<0, max_lg_whole>(lg_n, [&](auto lg_l) {
        Tiles::template run<Pass::whole, lg_l>(device, 1,
                                               PassData<Out, In>{out, in, powers, low, tables, {}});
      });
    const int lg_n1 = (lg_n + 1) / 2, lg_n2 = lg_n / 2;
    const Layout layout{lg_n1, lg_n2, Tiles::lg_cols(lg_n2), Tiles::lg_cols(lg_n1)};
    const Out between = scratch.template vector<Complex>(in.size);
    const PassData<Out, In> columns{between, in, powers, low, tables, layout},
        rows{out, In(between), powers, low, tables, layout};
    with_lg<(max_lg_whole + 2) / 2, (Tiles::max_lg_n + 1) / 2>(lg_n1, [&](auto lg_l) {
      Tiles::template run<Pass::columns, lg_l>(device, Index{1} << lg_n2, columns);
    });
    with_lg<(max_lg_whole + 1) / 2, Tiles::max_lg_n / 2>(
        lg_n2, [&](auto lg_l) { Tiles::template run<Pass::rows, lg_l>(device, Index{1} << lg_n1, rows); });
  }
};

}  // namespace tallcache::gpu::fft
