// The product of integers by number-theoretic transforms: digits as numbers modulo two primes at once, whose
// cyclic convolution is the product before its carries.
#pragma once

#include "common/digit_transforms.hpp"
#include "gpu/integer_product/carries.hpp"
#include "gpu/on_gpu.hpp"

namespace tallcache::gpu::integer_product {

/// The digits of the limbs, and zeros behind them.
struct Digits {
  static constexpr int max_threads = 256;

  template <class Thread, class To, class Limbs>
  TALLCACHE_DEVICE void operator()(const Thread& t, To to, Limbs limbs) const {
    const Index j = Index{t.block().x} * max_threads + t.thread().x;
    if (j < to.size) to[j] = Residues::of(j < 2 * limbs.size ? digit_of(limbs, j) : 0);
  }
};

/// x[k] *= y[k] scale
struct ScaledProducts {
  static constexpr int max_threads = 256;

  template <class Thread, class X, class Y>
  TALLCACHE_DEVICE void operator()(const Thread& t, X x, Y y, Residues scale) const {
    const Index k = Index{t.block().x} * max_threads + t.thread().x;
    if (k >= x.size) return;
    const Residues a = x[k], b = y[k];
    x[k] = a * b * scale;
  }
};

/// By the transforms of a Variant, which has transform_scratch(n), their bytes, and transform_of(device, n,
/// scratch), a function of the output and the input.
template <class Variant, class Base = OnGpu>
struct ByTransforms : Base {
  using operations = OperationList<IntegerProduct>;

  template <class Device = Launch>
  static std::size_t scratch(IntegerProduct, const Shape& shape, const Params&) {
    const Index limbs = shape["m"] + shape["n"];
    const std::size_t bytes = checked_product(digit_transform_size(limbs), sizeof(Residues), "digits");
    return scratch_bytes({bytes, bytes, bytes, carries_scratch(limbs),
                          Variant::transform_scratch(digit_transform_size(limbs))});
  }

  template <class Device, class Args>
  static void call(Device& device, const Args& args, const Params&) {
    if (args.out.size == 0) return;
    const Index n = digit_transform_size(args.out.size);
    auto scratch = args.scratch;
    const auto vector = [&scratch, n] { return scratch.template vector<Residues>(n); };
    const auto x = vector(), y = vector(), z = vector();
    const auto transform = Variant::transform_of(device, n, scratch);
    using Numbers = std::remove_const_t<decltype(x)>;
    using Input = VectorView<const Residues, typename Numbers::access_type>;
    const LaunchShape a_number_a_thread({grid_of(ceil_div(n, Index{Digits::max_threads}))},
                                        {Digits::max_threads});
    const auto transform_digits = [&](const Numbers& to, const auto& limbs) {
      launch_kernel(device, Digits{}, a_number_a_thread, x, limbs);
      transform(to, Input(x));
    };
    transform_digits(y, args.a);
    transform_digits(z, args.b);
    // Transformed once more in place of back, numbers are n times the convolution's, in the opposite order.
    launch_kernel(device, ScaledProducts{}, a_number_a_thread, y, Input(z),
                  Residues::of(static_cast<std::uint32_t>(n)).inverse());
    transform(x, Input(y));
    carry_limbs(device, args.out, Input(x), scratch);
  }
};

}  // namespace tallcache::gpu::integer_product
