// The product of integers by number-theoretic transforms: digits as numbers modulo two primes at once, whose
// cyclic convolution is the product before its carries.
#pragma once

#include <algorithm>

#include "common/digit_transforms.hpp"
#include "cpu/fft/fft_six_step.hpp"

namespace tallcache::cpu::integer_product {

/// out[i], out[i + 1] ... += carry.
template <class Out>
void add_carry(Out out, Index i, std::uint64_t carry) {
  for (; carry; ++i) {
    carry += out[i];
    out[i] = static_cast<std::uint32_t>(carry);
    carry >>= 32;
  }
}

/// The limbs of the convolution x, whose number j is at -j modulo its size, with all carries. Each block of
/// limbs begins without one. `carries` has what comes out of each, which is added at last.
template <class Fork, class Out, class Numbers, class Carries>
void carry_limbs(Fork& fork, Out out, Numbers x, Carries carries, Index block) {
  using Number = typename Numbers::value_type;
  loop_blocks(fork, out.size, block, [=](Index begin, Index end) {
    const auto digit_sum = [x](Index j) { return static_cast<Number>(x[-j & (x.size - 1)]).value(); };
    std::uint64_t carry = 0;
    for (Index i = begin; i < end; ++i) {
      carry += digit_sum(2 * i);
      const std::uint64_t low = carry & 0xffff;
      carry = (carry >> 16) + digit_sum(2 * i + 1);
      out[i] = static_cast<std::uint32_t>(carry << 16 | low);
      carry >>= 16;
    }
    carries[begin / block] = carry;
  });
  for (Index b = 0; b + 1 < carries.size; ++b) add_carry(out, (b + 1) * block, carries[b]);
}

struct six_step {
  static constexpr std::string_view idea =
      "number-theoretic transforms modulo two primes at once, of the recursion of fft_six_step; the Chinese "
      "remainder theorem; up to 2^25 limbs";
  static constexpr std::string_view source = "Pollard 1971; Frigo, Leiserson, Prokop, Ramachandran 1999";
  using operations = OperationList<IntegerProduct>;
  static constexpr ParamSpec params[] = {{"base", 1024, "a transform of no more numbers is a leaf", 2}};
  static constexpr bool parallel = true;

  static bool supports(const Shape& shape) { return fits_digit_transform(shape); }

  static std::size_t scratch(IntegerProduct, const Shape& shape, const Params& params) {
    const Index limbs = shape["m"] + shape["n"], n = digit_transform_size(limbs);
    const std::size_t bytes = checked_product(n, sizeof(Residues), "digits");
    return fft::SixStep<Residues>::scratch(n, params["base"]) +
           scratch_bytes(
               {bytes, bytes, bytes, static_cast<std::size_t>(blocks(limbs)) * sizeof(std::uint64_t)});
  }

  template <class Fork, class Args>
  static void run(Fork& fork, const Args& args, const Params& params) {
    if (args.out.size == 0) return;
    const Index n = digit_transform_size(args.out.size);
    auto scratch = args.scratch;
    const fft::SixStep<Residues, typename decltype(args.out)::access_type> steps(n, params["base"], scratch);
    steps.fill(fork);
    const auto vector = [&scratch](Index size) { return scratch.template vector<Residues>(size); };
    const auto x = vector(n), y = vector(n), z = vector(n);
    const auto transform = [&](auto to, auto limbs) {
      loop_blocks(fork, n, numbers_in_block, [x, limbs](Index begin, Index end) {
        for (Index j = begin; j < end; ++j) x[j] = Residues::of(j < 2 * limbs.size ? digit_of(limbs, j) : 0);
      });
      steps.transform(fork, to, x, x);
    };
    transform(y, args.a);
    transform(z, args.b);
    // Transformed once more in place of back, numbers are n times the convolution's, in the opposite order.
    const Residues scale = Residues::of(static_cast<std::uint32_t>(n)).inverse();
    loop_blocks(fork, n, numbers_in_block, [x, y, z, scale](Index begin, Index end) {
      for (Index k = begin; k < end; ++k) x[k] = static_cast<Residues>(y[k]) * z[k] * scale;
    });
    steps.transform(fork, y, x, x);
    carry_limbs(fork, args.out, y, scratch.template vector<std::uint64_t>(blocks(args.out.size)),
                limbs_in_block);
  }

 private:
  static constexpr Index limbs_in_block = 2048, numbers_in_block = 4096;

  static Index blocks(Index limbs) { return (limbs + limbs_in_block - 1) / limbs_in_block; }
};

}  // namespace tallcache::cpu::integer_product
