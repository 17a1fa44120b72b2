// GMP, loaded at run time.
#pragma once

#include <string>

#include "common/ops/integer_product.hpp"
#include "common/variant.hpp"

namespace tallcache::cpu::peers {

/// Why it cannot be used; empty when it can.
const std::string& gmp_reason();

/// The product by mpn_mul, on which mpz_mul calls. GMP's limbs have 64 bits: an odd number of limbs, and
/// limbs that begin at no multiple of 8 bytes, are copied.
void gmp_multiply(const IntegerProduct::Args<>& args);

struct gmp {
  static constexpr std::string_view idea = "mpn_mul, of limbs of 64 bits, on one thread";
  static constexpr std::string_view source = "GMP (Granlund and the GMP development team)";
  using operations = OperationList<IntegerProduct>;

  static std::string unavailable() { return gmp_reason(); }

  template <class Args>
  static void call(const Launch&, const Args& args, const Params&) {
    gmp_multiply(args);
  }
};

}  // namespace tallcache::cpu::peers
