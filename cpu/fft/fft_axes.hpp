// Transforms along the axes of an array: of many rows, or of the rows and then of the columns.
#pragma once

#include <array>
#include <new>

#include "common/fork/fork.hpp"
#include "common/ops/fft_2d.hpp"
#include "common/ops/fft_batched.hpp"
#include "common/variant.hpp"
#include "cpu/fft/batch_transform.hpp"

namespace tallcache::cpu::fft {

struct fft_axes {
  static constexpr std::string_view idea =
      "rows one by one, neighbouring columns in the lanes of vectors; codelets to 16; any size";
  static constexpr std::string_view source =
      "Frigo, Leiserson, Prokop, Ramachandran 1999; Bailey 1990; Bluestein 1970";
  using operations = OperationList<FftBatched<double>, FftBatched<float>, Fft2d<double>, Fft2d<float>>;
  static constexpr ParamSpec params[] = {
      {"base", Transform<double>::base, "up to so many bytes, the columns are one codelet in registers"}};
  static constexpr PhaseSpec phases[] = {{"plan", false, true}, {"transform"}};
  static constexpr bool parallel = true;
  static constexpr double ns_per_unit = 0.05;
  static constexpr Pages scratch_pages = Pages::huge;

  template <class Op>
  static std::size_t scratch(Op, const Shape& shape, const Params& params, Index width) {
    using T = typename Op::Complex::value_type;
    std::size_t bytes = 0;
    const auto all = axes(Op::bind(shape, std::array<std::byte*, 2>{}, {}));
    for (const auto& [n, places] : all) {
      if (n == 0 || places.count == 0) return 0;
      bytes = checked_sum(bytes, BatchTransform<T>::scratch(n, places, width, params["base"]), "fft");
    }
    return checked_sum(scratch_bytes({all.size() * sizeof(BatchTransform<T>)}), bytes, "fft");
  }

  template <int phase, class Fork, class Args>
  static void run(Fork& fork, const Args& args, const Params& params) {
    using T = typename decltype(args.out)::value_type::value_type;
    if (args.in.size == 0) return;
    const auto all = axes(args);
    auto scratch = args.scratch.with(Plain{});
    // The first phase leaves its plans in front of the scratch for the next.
    auto* const plans = scratch.template vector<BatchTransform<T>>(all.size()).data;
    auto* const out = reinterpret_cast<T*>(args.out.data);
    const auto* from = reinterpret_cast<const T*>(args.in.data);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if constexpr (phase == 0) {
        new (&plans[i]) BatchTransform<T>(all[i].n, all[i].places, fork.width(), params["base"], scratch);
        plans[i].prepare();
      } else {
        plans[i](fork, out, from, args.in.access());
        from = out;
      }
    }
  }

 private:
  struct Axis {
    Index n;
    BatchPlaces places;
  };
  static auto axes(const auto& args) {
    if constexpr (requires { args.batch; })
      return std::array{Axis{args.n(), {args.batch, 1, args.n()}}};
    else
      return std::array{Axis{args.n, {args.m, 1, args.n}}, Axis{args.m, {args.n, args.n, 1}}};
  }
};

}  // namespace tallcache::cpu::fft
