// The QR factorisation of Elmroth and Gustavson (factor.hpp).
#pragma once

#include <type_traits>

#include "common/ops/qr.hpp"
#include "common/variant.hpp"
#include "cpu/qr/factor.hpp"

namespace tallcache::cpu::qr {

struct recursive_wy {
  static constexpr std::string_view idea =
      "halve the columns: left half, its reflectors applied by products (compact WY), right half; leaves of "
      "8 columns in vectors";
  static constexpr std::string_view source =
      "Elmroth and Gustavson 2000; Schreiber and Van Loan 1989 (compact WY)";
  using operations = OperationList<Qr<double>, Qr<float>>;
  static constexpr bool parallel = true;
  template <class Op>
  static constexpr double ns_per_unit = std::is_same_v<Op, Qr<float>> ? 0.02 : 0.04;
  static constexpr Pages scratch_pages = Pages::huge;

  template <class T>
  static std::size_t scratch(Qr<T>, const Shape& shape, const Params&) {
    return FactorSizes(shape["m"], shape["n"]).scratch_bytes<T>();
  }

  template <class Fork, class Args>
  static void run(Fork& fork, const Args& args, const Params&) {
    using T = typename decltype(args.a)::value_type;
    using Access = typename decltype(args.a)::access_type;
    Factorization<T, Access>(args.a, args.tau, args.scratch)(fork);
  }
};

}  // namespace tallcache::cpu::qr
