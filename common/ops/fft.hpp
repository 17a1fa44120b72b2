// The discrete Fourier transform of n complex numbers, out of place: out[k] = sum over j of in[j] exp(-2 pi i
// j k / n).
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <mutex>
#include <numbers>
#include <string>
#include <vector>

#include "common/compare.hpp"
#include "common/in_parts.hpp"
#include "common/operation.hpp"
#include "common/random.hpp"

namespace tallcache {

/// Of numbers whose parts are T, double or float. The operation takes any n.
template <class T>
struct Fft {
  using Complex = std::complex<T>;
  static constexpr std::string_view name = "fft", element = Element<Complex>::name;
  static constexpr std::string_view what = "out[k] = sum of in[j] exp(-2 pi i j k / n) for n complex numbers";
  static constexpr Rate rate = Rate::gflop_per_s;
  static constexpr DimSpec dims[] = {{"n", "complex numbers"}};
  /// impulse: one 1 among zeros; constant: ones; tone: exp(2 pi i f j / n), whose transform is an impulse.
  static constexpr std::string_view inputs[] = {"uniform", "impulse", "constant", "tone"};

  template <class Access = Plain>
  struct Args {
    VectorView<Complex, Access> out;
    VectorView<const Complex, Access> in;
    Scratch<Access> scratch{};

    template <class Other>
    Args<Other> with(Other other) const {
      return {out.with(other), in.with(other), scratch.with(other)};
    }
  };

  static Shape shape_of(const Args<>& args) { return {{"n", args.in.size}}; }

  static std::vector<BufferSpec> buffers(const Shape& s) {
    const std::size_t bytes = checked_product(s["n"], sizeof(Complex), "numbers");
    return {{"output", Role::output, bytes, Element<Complex>::poison}, {"input", Role::input, bytes}};
  }

  static Args<> bind(const Shape& s, std::span<std::byte* const> buffers, Scratch<> scratch) {
    return {{reinterpret_cast<Complex*>(buffers[0]), s["n"]},
            {reinterpret_cast<Complex*>(buffers[1]), s["n"]},
            scratch};
  }

  static void fill(const Shape& s, std::string_view input, std::uint64_t seed,
                   std::span<std::byte* const> buffers) {
    const Index n = s["n"];
    if (n == 0) return;
    auto* in = reinterpret_cast<Complex*>(buffers[1]);
    const Index at = static_cast<Index>(random_up_to(seed, 0, static_cast<std::uint64_t>(n - 1)));
    for (Index j = 0, turn = 0; j < n; ++j, turn = (turn + at) % n)
      in[j] = input == "impulse"    ? Complex(j == at)
              : input == "constant" ? Complex(1)
              : input == "tone"     ? Complex(std::conj(root(turn, n)))
                                    : Element<Complex>::uniform(seed, static_cast<std::uint64_t>(j));
  }

  static void validate(const Args<>& args) {
    const Index sizes[] = {args.in.size, args.out.size};
    for (Index size : sizes) {
      if (size < 0) throw Error("fft: negative size " + std::to_string(size));
      checked_product(size, sizeof(Complex), "fft");
    }
    if (args.out.size != args.in.size)
      throw Error("fft: the transform of " + std::to_string(args.in.size) + " numbers does not fit into " +
                  std::to_string(args.out.size));
    if (args.in.size && (!args.in.data || !args.out.data)) throw Error("fft: no data");
    validate_disjoint(args.out, "output", args.in, "input");
  }

  /// Up to 1024 numbers, each output is compared with its sum. Beyond, the check is two sums over all outputs
  /// with known weights, and Parseval's equation.
  static Check check(const Shape&, std::string_view, std::uint64_t seed, const Args<>& args) {
    return args.in.size <= 1024 ? check_each(args, 1) : check_sums(seed, args, 1);
  }

  static Cost cost(const Shape& s) {
    const double n = s["n"];
    return {.flops = n > 1 ? 5 * n * std::log2(n) : 0, .bytes = 2 * sizeof(Complex) * n};
  }

  static std::vector<Shape> test_shapes() {
    std::vector<Shape> shapes;
    for (Index n : {0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 1 << 15})
      shapes.push_back({{"n", n}});
    for (Index n : {3, 5, 6, 12, 100, 127, 1000, 1021, 2187}) shapes.push_back({{"n", n}});
    return shapes;
  }

  static std::vector<Shape> bench_shapes() {
    std::vector<Shape> shapes;
    for (int lg : {10, 14, 18, 20}) shapes.push_back({{"n", Index{1} << lg}});
    return shapes;
  }

 protected:
  /// exp(-2 pi i k / n) for -n < k < n.
  static std::complex<double> root(Index k, Index n) {
    if (2 * k > n) k -= n;
    if (2 * k <= -n) k += n;
    const double angle = 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n);
    return {std::cos(angle), -std::sin(angle)};
  }

  /// The sum of one(i), 0 <= i < n, on all threads.
  template <class Sum>
  static Sum sum_of(Index n, const auto& one) {
    Sum sum{};
    std::mutex mutex;
    in_parts(n, Index{1} << 16, [&](Index begin, Index end) {
      Sum own{};
      for (Index i = begin; i < end; ++i) own += one(i);
      const std::lock_guard lock(mutex);
      sum += own;
    });
    return sum;
  }

  static double norm(const VectorView<const Complex>& v) {
    const auto square = [&v](Index j) { return std::norm(std::complex<double>(v[j])); };
    return static_cast<double>(std::sqrt(sum_of<long double>(v.size, square)));
  }

  /// The rounding error that a transform may make, relative to the norm: a few eps for each of the lg n
  /// multiplications of an input (Higham, "Accuracy and Stability of Numerical Algorithms", 24.1).
  static double relative_bound(Index n) {
    return 4 * Element<T>::epsilon * (2 + std::log2(static_cast<double>(n)));
  }

  static bool near(std::complex<double> got, std::complex<double> expected, double bound) {
    return within(got.real(), expected.real(), bound) && within(got.imag(), expected.imag(), bound);
  }

  /// Each output of a transform in two dimensions, of `rows` rows, with its sum; of one, where there is a
  /// row.
  static Check check_each(const auto& args, Index rows) {
    const Index n = args.in.size, cols = n / rows;
    const double in_norm = norm(args.in);
    std::vector<std::complex<double>> roots(static_cast<std::size_t>(n));
    for (Index k = 0; k < n; ++k) roots[static_cast<std::size_t>(k)] = root(k, n);
    for (Index k = 0; k < n; ++k) {
      const Index down = k / cols * cols, across = k % cols * rows;  // steps among the n roots
      long double re = 0, im = 0;
      for (Index i = 0, from = 0, j = 0; i < rows; ++i, from = (from + down) % n)
        for (Index c = 0, e = from; c < cols; ++c, ++j) {
          const std::complex<double> x(args.in[j]), w = roots[static_cast<std::size_t>(e)];
          re += static_cast<long double>(x.real()) * w.real() - static_cast<long double>(x.imag()) * w.imag();
          im += static_cast<long double>(x.real()) * w.imag() + static_cast<long double>(x.imag()) * w.real();
          if ((e += across) >= n) e -= n;
        }
      const std::complex<double> expected(static_cast<double>(re), static_cast<double>(im));
      if (!near(std::complex<double>(args.out[k]), expected,
                relative_bound(n) * (in_norm + std::abs(expected))))
        return Check::wrong("output " + std::to_string(k), digits(expected), digits(args.out[k]));
    }
    return {};
  }

  /// z = exp(pi i turn / n), turn odd. The sum of the outputs times its powers gives the inputs weights: 2 /
  /// (1 - z w^j), where w is the transform's n-th root of unity.
  struct Weights {
    Index n, turn;

    Weights(std::uint64_t seed, std::uint64_t trial, Index size)
        : n(size),
          turn(1 + 2 * static_cast<Index>(random_up_to(seed, trial, static_cast<std::uint64_t>(n - 1)))) {}

    /// z^k, 0 <= k < n < 2^31.
    std::complex<double> of_output(Index k) const { return std::conj(root(k * turn % (2 * n), 2 * n)); }
    /// 2 / (1 - exp(-2 i a)) = 1 - i cot a. The difference 1 - z w^j itself would cancel.
    std::complex<double> of_input(Index j) const {
      Index d = (2 * j - turn) % (2 * n);
      if (d > n) d -= 2 * n;
      if (d < -n) d += 2 * n;
      return {1, -1 / std::tan(std::numbers::pi / 2 * static_cast<double>(d) / static_cast<double>(n))};
    }
  };

  struct Sums {
    std::complex<long double> got, expected;
    Sums& operator+=(const Sums& other) {
      got += other.got, expected += other.expected;
      return *this;
    }
  };

  /// The sum of the outputs times z^k, for z^n = -1, is a geometric sum for each input, in each dimension: of
  /// `rows` rows. The check takes one pass and no transform. It depends on every output, as the weights have
  /// magnitude 1 and are distinct.
  static Check check_sums(std::uint64_t seed, const auto& args, Index rows) {
    const Index n = args.in.size, cols = n / rows;
    // Parseval: the outputs' norm is sqrt n times the inputs'.
    const double root_n = std::sqrt(static_cast<double>(n)), expected_norm = root_n * norm(args.in);
    const double got_norm = norm(args.out);
    if (!within(got_norm, expected_norm, relative_bound(n) * expected_norm))
      return Check::wrong("norm of the outputs", digits(expected_norm), digits(got_norm));
    for (std::uint64_t trial = 0; trial < 2; ++trial) {
      const Weights down(seed ^ 0x2d, trial, rows), across(seed ^ 0xff7, trial, cols);
      std::vector<std::complex<double>> of_outputs, of_inputs;  // of the rows
      for (Index row = 0; row < rows; ++row) {
        of_outputs.push_back(down.of_output(row));
        of_inputs.push_back(down.of_input(row));
      }
      const Sums sums = sum_of<Sums>(n, [&](Index j) -> Sums {
        const auto row = static_cast<std::size_t>(j / cols);
        const Index col = j % cols;
        return {product(args.out[j], product(of_outputs[row], across.of_output(col))),
                product(args.in[j], product(of_inputs[row], across.of_input(col)))};
      });
      const std::complex<double> g(sums.got), e(sums.expected);
      if (!near(g, e, relative_bound(n) * root_n * expected_norm))
        return Check::wrong("sum of the outputs times z^k, z = exp(pi i " + std::to_string(across.turn) +
                                " / " + std::to_string(cols) + ")",
                            digits(e), digits(g));
    }
    return {};
  }

 private:
  static std::complex<double> product(std::complex<double> a, std::complex<double> b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  }
};

}  // namespace tallcache
