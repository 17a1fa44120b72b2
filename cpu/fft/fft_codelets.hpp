// The transform of any n as n1 n2 with codelets over vectors, in two passes over memory:
// smooth_transform.hpp, for other n transform.hpp.
#pragma once

#include <new>

#include "common/cache/ideal_misses.hpp"
#include "common/fork/fork.hpp"
#include "common/ops/fft.hpp"
#include "common/variant.hpp"
#include "cpu/fft/transform.hpp"

namespace tallcache::cpu::fft {

struct fft_codelets {
  static constexpr std::string_view idea =
      "n = n1 n2: columns, twiddles, transposition, rows; vectors of columns; codelets to 16; any n";
  static constexpr std::string_view source =
      "Frigo, Leiserson, Prokop, Ramachandran 1999; Bailey 1990; Bluestein 1970";
  using operations = OperationList<Fft<double>, Fft<float>>;
  static constexpr ParamSpec params[] = {
      {"base", Transform<double>::base, "up to so many bytes, the columns are one codelet in registers"}};
  static constexpr PhaseSpec phases[] = {{"plan", false, true}, {"transform"}};
  static constexpr bool parallel = true;
  static constexpr double ns_per_unit = 0.045;
  static constexpr Pages scratch_pages = Pages::huge;

  template <class T>
  static std::size_t scratch(Fft<T>, const Shape& shape, const Params& params, Index width) {
    if (shape["n"] == 0) return 0;
    return checked_sum(scratch_bytes({sizeof(Transform<T>)}),
                       Transform<T>::scratch(shape["n"], width, params["base"]), "fft");
  }

  template <int phase, class Fork, class Args>
  static void run(Fork& fork, const Args& args, const Params& params) {
    using T = typename decltype(args.out)::value_type::value_type;
    const Index n = args.in.size;
    if (n == 0) return;
    auto scratch = args.scratch.with(Plain{});
    // The first phase leaves its plan in front of the scratch for the next.
    auto* const plan = scratch.template vector<Transform<T>>(1).data;
    if constexpr (phase == 0) {
      new (plan) Transform<T>(n, fork.width(), params["base"], scratch);
      plan->prepare();
    } else {
      auto* const out = reinterpret_cast<T*>(args.out.data);
      const auto* const in = reinterpret_cast<const T*>(args.in.data);
      plan->with(args.in.access())(fork, out, in, args.in.access());
    }
  }
};

}  // namespace tallcache::cpu::fft
