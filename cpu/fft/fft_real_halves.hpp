// The transform of n real numbers as one of n / 2 complex numbers by codelets over vectors:
// real_transform.hpp.
#pragma once

#include <new>

#include "common/cache/ideal_misses.hpp"
#include "common/fork/fork.hpp"
#include "common/ops/fft_real.hpp"
#include "common/variant.hpp"
#include "cpu/fft/real_transform.hpp"

namespace tallcache::cpu::fft {

struct fft_real_halves {
  static constexpr std::string_view idea =
      "pairs as n / 2 complex numbers, by codelets; even and odd ones separated in the outputs; any n";
  static constexpr std::string_view source =
      "Frigo, Leiserson, Prokop, Ramachandran 1999; Bailey 1990; Bluestein 1970";
  using operations = OperationList<FftReal<double>, FftReal<float>>;
  static constexpr ParamSpec params[] = {
      {"base", Transform<double>::base, "up to so many bytes, the columns are one codelet in registers"}};
  static constexpr PhaseSpec phases[] = {{"plan", false, true}, {"transform"}};
  static constexpr bool parallel = true;
  static constexpr double ns_per_unit = 0.055;
  static constexpr Pages scratch_pages = Pages::huge;

  template <class T>
  static std::size_t scratch(FftReal<T>, const Shape& shape, const Params& params, Index width) {
    if (shape["n"] == 0) return 0;
    return checked_sum(scratch_bytes({sizeof(RealTransform<T>)}),
                       RealTransform<T>::scratch(shape["n"], width, params["base"]), "fft");
  }

  template <int phase, class Fork, class Args>
  static void run(Fork& fork, const Args& args, const Params& params) {
    using T = std::remove_const_t<typename decltype(args.in)::value_type>;
    const Index n = args.in.size;
    if (n == 0) return;
    auto scratch = args.scratch.with(Plain{});
    // The first phase leaves its plan in front of the scratch for the next.
    auto* const plan = scratch.template vector<RealTransform<T>>(1).data;
    if constexpr (phase == 0) {
      new (plan) RealTransform<T>(n, fork.width(), params["base"], scratch);
      plan->prepare();
    } else {
      plan->with(args.in.access())(fork, args.out, args.in);
    }
  }
};

}  // namespace tallcache::cpu::fft
