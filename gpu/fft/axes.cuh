// The transforms of clusters.cuh along the axes of an array: of many rows, of the rows and then of the
// columns, and of real numbers as half as many complex ones.
#pragma once

#include <array>

#include "common/ops/fft_2d.hpp"
#include "common/ops/fft_batched.hpp"
#include "common/ops/fft_real.hpp"
#include "gpu/fft/axis.hpp"
#include "gpu/fft/clusters.cuh"
#include "gpu/fft/real_transform.hpp"

namespace tallcache::gpu::fft {

struct axes : OnCapability<9, 0> {
  static constexpr std::string_view idea =
      "tiles of rows, or of neighbouring columns, shared by the blocks of a cluster where they are long; "
      "real numbers as half as many complex ones; applies coalescing, tiling, coarsening, occupancy";
  static constexpr std::string_view source =
      "Bailey 1990; Govindaraju, Lloyd, Dotsenko, Smith, Manferdelli 2008; Bluestein 1970";
  using operations = OperationList<FftBatched<double>, FftBatched<float>, Fft2d<double>, Fft2d<float>,
                                   FftReal<double>, FftReal<float>>;
  static constexpr PhaseSpec phases[] = {{"roots", false, true}, {"transform"}};

  static bool supports(const Shape& shape) {
    const auto size = [&shape](std::string_view name) {
      const auto* const found = shape.find(name);
      return found ? found->value : 1;
    };
    const Index n = size("n"), m = size("m"), total = n * m * size("batch");
    return total == 0 || (Complexes<double>::supports(n, total / n) && Complexes<double>::supports(m, n));
  }

  template <class Op>
  static std::size_t scratch(Op, const Shape& shape, const Params&) {
    const auto args = Op::bind(shape, std::array<std::byte*, 2>{}, {});
    if (args.in.size == 0) return 0;
    std::size_t bytes = 0;
    for (const auto& transform : transforms_of(args)) bytes = checked_sum(bytes, transform.scratch(), "fft");
    return bytes;
  }

  template <int phase, class Args>
  static void call(const Launch& launch, const Args& args, const Params&) {
    if (args.in.size == 0) return;
    auto transforms = transforms_of(args);
    auto scratch = args.scratch;
    for (auto& transform : transforms) transform.take(scratch);
    if constexpr (phase == 0) {
      for (const auto& transform : transforms) transform.prepare(launch);
    } else if constexpr (is_real<Args>) {
      transforms[0].forward(launch, args.out, args.in);
    } else {
      auto from = args.in;
      for (const auto& transform : transforms) {
        transform.run(launch, args.out, from, false);
        from = args.out;
      }
    }
  }

 private:
  template <class T>
  using Complexes = Axis<ClusterTiles, T, Plain>;
  template <class Args>
  static constexpr bool is_real =
      std::is_arithmetic_v<std::remove_const_t<typename decltype(Args::in)::value_type>>;

  template <class Args>
  static auto transforms_of(const Args& args) {
    using T = typename decltype(args.out)::value_type::value_type;
    if constexpr (is_real<Args>) {
      return std::array{RealTransform<ClusterTiles, T, Plain>(args.in.size, 1)};
    } else if constexpr (requires { args.batch; }) {
      const BatchLayout rows{1, args.n()};
      return std::array{Complexes<T>(args.n(), args.batch, rows, rows)};
    } else {
      const BatchLayout rows{1, args.n}, columns{args.n, 1};
      return std::array{Complexes<T>(args.n, args.m, rows, rows),
                        Complexes<T>(args.m, args.n, columns, columns)};
    }
  }
};

}  // namespace tallcache::gpu::fft
