// The discrete Fourier transform of n real numbers, out of place: the first n / 2 + 1 complex numbers, of
// which the others are the conjugates.
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include "common/ops/fft.hpp"

namespace tallcache {

/// Of numbers of T, double or float. The operation takes any n.
template <class T>
struct FftReal {
  using Complex = std::complex<T>;
  static constexpr std::string_view name = "fft_real", element = Element<T>::name;
  static constexpr std::string_view what =
      "out[k] = sum of in[j] exp(-2 pi i j k / n) for n real numbers, k = 0 to n / 2";
  static constexpr Rate rate = Rate::gflop_per_s;
  static constexpr DimSpec dims[] = {{"n", "real numbers"}};
  /// As Fft's; tone: cos(2 pi f j / n).
  static constexpr auto& inputs = Fft<T>::inputs;

  template <class Access = Plain>
  struct Args {
    VectorView<Complex, Access> out;
    VectorView<const T, Access> in;
    Scratch<Access> scratch{};

    template <class Other>
    Args<Other> with(Other other) const {
      return {out.with(other), in.with(other), scratch.with(other)};
    }
  };

  /// How many complex numbers the transform of n >= 0 real ones has.
  static Index outputs(Index n) { return n > 0 ? n / 2 + 1 : 0; }

  static Shape shape_of(const Args<>& args) { return {{"n", args.in.size}}; }

  static std::vector<BufferSpec> buffers(const Shape& s) {
    const Index n = s["n"];
    return {{"output", Role::output, checked_product(outputs(n), sizeof(Complex), "numbers"),
             Element<Complex>::poison},
            {"input", Role::input, checked_product(n, sizeof(T), "numbers")}};
  }

  static Args<> bind(const Shape& s, std::span<std::byte* const> buffers, Scratch<> scratch) {
    return {{reinterpret_cast<Complex*>(buffers[0]), outputs(s["n"])},
            {reinterpret_cast<T*>(buffers[1]), s["n"]},
            scratch};
  }

  /// The real parts of what Fft fills.
  static void fill(const Shape& s, std::string_view input, std::uint64_t seed,
                   std::span<std::byte* const> buffers) {
    std::vector<Complex> numbers(static_cast<std::size_t>(s["n"]));
    std::byte* const of_fft[] = {nullptr, reinterpret_cast<std::byte*>(numbers.data())};
    Fft<T>::fill(s, input, seed, of_fft);
    for (std::size_t j = 0; j < numbers.size(); ++j) reinterpret_cast<T*>(buffers[1])[j] = numbers[j].real();
  }

  static void validate(const Args<>& args) {
    if (args.in.size < 0) throw Error("fft_real: negative size " + std::to_string(args.in.size));
    checked_product(args.in.size, sizeof(T), "fft_real");
    if (args.out.size != outputs(args.in.size))
      throw Error("fft_real: the transform of " + std::to_string(args.in.size) +
                  " real numbers does not fit into " + std::to_string(args.out.size) + " complex ones");
    if (args.in.size && (!args.in.data || !args.out.data)) throw Error("fft_real: no data");
    validate_disjoint(args.out, "output", args.in, "input");
  }

  /// As the whole transform of complex numbers.
  static Check check(const Shape& s, std::string_view input, std::uint64_t seed, const Args<>& args) {
    const Index n = args.in.size;
    std::vector<Complex> in(args.in.data, args.in.data + n), out(in.size());
    for (Index k = 0; k < args.out.size; ++k) {
      out[static_cast<std::size_t>(k)] = args.out[k];
      if (k > 0 && k < n - k) out[static_cast<std::size_t>(n - k)] = std::conj(args.out[k]);
    }
    return Fft<T>::check(s, input, seed, {{out.data(), n}, {in.data(), n}});
  }

  /// Half of a complex transform's work.
  static Cost cost(const Shape& s) {
    const double n = s["n"];
    return {.flops = n > 1 ? 2.5 * n * std::log2(n) : 0,
            .bytes = sizeof(T) * n + sizeof(Complex) * static_cast<double>(outputs(s["n"]))};
  }

  static std::vector<Shape> test_shapes() { return Fft<T>::test_shapes(); }
  static std::vector<Shape> bench_shapes() { return Fft<T>::bench_shapes(); }
};

}  // namespace tallcache
