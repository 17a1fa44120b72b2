// n = n1 n2 in two passes over memory: columns with the roots of n, and rows. A block has a tile.
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

/// Up to here a block transforms the whole: starting a second kernel would take longer than the first one does.
inline constexpr int max_lg_whole = 12;

/// The tiles of columns of length 2^lg_l: 4 columns, so that what lies together in memory is 64 bytes at least; 2
/// where the tile would else not fit into a block's registers.
constexpr int lg_tile_cols(int lg_l) { return lg_l >= 12 ? 1 : 2; }

struct two_passes : OnGpu {
  static constexpr int max_lg_n = 24;
  static constexpr std::string_view idea =
      "n = n1 n2 in two passes: columns of tiles in registers, radix 16, exchanged through shared memory; the "
      "result of the first pass in the tiles of the second; powers of two to 2^24";
  static constexpr std::string_view source =
      "Bailey 1990; Govindaraju, Lloyd, Dotsenko, Smith, Manferdelli 2008";
  using operations = OperationList<Fft>;
  static constexpr PhaseSpec phases[] = {{"roots", false, true}, {"transform"}};

  static bool supports(const Shape& shape) {
    return is_power_of_two(shape["n"]) && shape["n"] <= Index{1} << max_lg_n;
  }

  template <class Device = Launch>
  static std::size_t scratch(Fft, const Shape& shape, const Params&) {
    const Index n = shape["n"];
    if (n == 0) return 0;
    const RootTables tables{lg(n)};
    return checked_sum(tables.scratch(), lg(n) > max_lg_whole ? scratch_bytes({n * sizeof(Complex)}) : 0,
                       "fft");
  }

  template <int phase, class Device, class Args>
  static void call(Device& device, const Args& args, const Params&) {
    const Index n = args.in.size;
    if (n == 0) return;
    const RootTables tables{lg(n)};
    auto scratch = args.scratch;
    const auto powers = scratch.template vector<Complex>(tables.powers_size());
    const auto low = scratch.template vector<Complex>(tables.low_size());
    if constexpr (phase == 0)
      make_roots(device, powers, low, tables);
    else
      start(device, complex_view(args.out), complex_view(args.in), constant(powers), constant(low), tables,
            scratch);
  }

 private:
  template <class Access>
  static VectorView<const Complex, Access> constant(const VectorView<Complex, Access>& v) {
    return v;
  }

  template <class Device, class Out, class In, class Scratch>
  static void start(Device& device, const Out& out, const In& in, const In& powers, const In& low,
                    RootTables tables, Scratch& scratch) {
    const int lg_n = tables.lg_n;
    if (lg_n <= max_lg_whole)
      return with_lg<0, max_lg_whole>(lg_n, [&](auto lg_l) {
        run<Pass::whole, lg_l, 0>(device, 1, out, in, powers, low, tables, Layout{});
      });
    const int lg_n1 = (lg_n + 1) / 2, lg_n2 = lg_n / 2;
    const Layout layout{lg_n1, lg_n2, lg_tile_cols(lg_n2), lg_tile_cols(lg_n1)};
    const Out between = scratch.template vector<Complex>(in.size);
    with_lg<(max_lg_whole + 2) / 2, max_lg_n / 2>(lg_n1, [&](auto lg_l) {
      run<Pass::columns, lg_l, lg_tile_cols(lg_l)>(device, Index{1} << lg_n2, between, in, powers, low,
                                                   tables, layout);
    });
    with_lg<(max_lg_whole + 1) / 2, max_lg_n / 2>(lg_n2, [&](auto lg_l) {
      run<Pass::rows, lg_l, lg_tile_cols(lg_l)>(device, Index{1} << lg_n1, out, constant(between), powers,
                                                low, tables, layout);
    });
  }

  template <Pass pass, int lg_l, int lg_c, class Device, class Out, class In>
  static void run(Device& device, Index columns, const Out& out, const In& in, const In& powers,
                  const In& low, RootTables tables, Layout layout) {
    using Kernel = TransformTile<pass, lg_l, lg_c, (lg_l < 4 ? lg_l : 4)>;
    launch_kernel(device, Kernel{},
                  {{grid_of(columns >> lg_c)}, {Kernel::max_threads}, Kernel::max_dynamic_shared_bytes}, out,
                  in, powers, low, tables, layout);
  }
};

}  // namespace tallcache::gpu::fft
