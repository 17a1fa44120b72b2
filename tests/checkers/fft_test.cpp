// Wrong Fourier transforms.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

#include "common/ops/fft.hpp"
#include "common/ops/fft_2d.hpp"
#include "common/ops/fft_batched.hpp"
#include "common/ops/fft_real.hpp"
#include "tests/checkers/checker.hpp"

namespace tallcache {

// By halves, with a twiddle of its own for each butterfly.
static std::vector<std::complex<double>> transform(const std::vector<std::complex<double>>& in) {
  const std::size_t n = in.size();
  if (n == 1) return in;
  std::vector<std::complex<double>> halves[2], out(n);
  for (std::size_t i = 0; i < n; ++i) halves[i % 2].push_back(in[i]);
  const auto even = transform(halves[0]), odd = transform(halves[1]);
  for (std::size_t k = 0; k < n; ++k)
    out[k] = even[k % (n / 2)] + std::polar(1.0, -2 * std::numbers::pi * k / n) * odd[k % (n / 2)];
  return out;
}
static void solve(Fft<double>, const auto& args) {
  const auto out = transform({args.in.data, args.in.data + args.in.size});
  std::ranges::copy(out, args.out.data);
}
static void solve(FftBatched<double>, const auto& args) {
  for (Index b = 0; b < args.batch; ++b) solve(Fft<double>(), args.at(b));
}
static void solve(Fft2d<double>, const auto& args) {
  const auto row = [&args](Index i) { return args.out.block(i * args.n, args.n); };
  for (Index i = 0; i < args.m; ++i)
    solve(Fft<double>(), Fft<double>::Args<>{row(i), args.in.block(i * args.n, args.n)});
  for (Index j = 0; j < args.n; ++j) {
    std::vector<std::complex<double>> column;
    for (Index i = 0; i < args.m; ++i) column.push_back(row(i)[j]);
    column = transform(column);
    for (Index i = 0; i < args.m; ++i) row(i)[j] = column[i];
  }
}
static void solve(FftReal<double>, const auto& args) {
  const auto out = transform({args.in.data, args.in.data + args.in.size});
  std::copy_n(out.begin(), args.out.size, args.out.data);
}

namespace test {
namespace {

struct inverse {
  static void run(auto op, const auto& args) {
    solve(op, args);
    std::reverse(args.out.data + 1, args.out.data + args.out.size);
  }
};
struct scaled {
  static void run(auto op, const auto& args) {
    solve(op, args);
    for (Index k = 0; k < args.out.size; ++k) args.out[k] /= std::sqrt(static_cast<double>(args.out.size));
  }
};
struct conjugated {
  static void run(auto op, const auto& args) {
    solve(op, args);
    for (Index k = 0; k < args.out.size; ++k) args.out[k] = std::conj(args.out[k]);
  }
};
struct bits_reversed {
  static void run(auto op, const auto& args) {
    solve(op, args);
    for (Index k = 0; k < args.out.size; ++k) {
      Index reversed = 0;
      for (Index bit = 1, other = args.out.size / 2; other; bit *= 2, other /= 2)
        reversed |= k & bit ? other : 0;
      if (k < reversed) std::swap(args.out[k], args.out[reversed]);
    }
  }
};
template <Index distance>
struct two_swapped {  // keeps the norm
  static void run(auto op, const auto& args) {
    solve(op, args);
    std::swap(args.out[args.out.size / 3], args.out[args.out.size / 3 + distance]);
  }
};
struct single_precision {
  static void run(auto op, const auto& args) {
    solve(op, args);
    for (Index k = 0; k < args.out.size; ++k)
      args.out[k] = std::complex<double>(std::complex<float>(args.out[k]));
  }
};
// As by a wrong twiddle in the last butterflies: in magnitude or in phase.
template <int part>
struct one_millionth_off {
  static void run(auto op, const auto& args) {
    solve(op, args);
    args.out[args.out.size / 2 + 1] *= part ? std::polar(1.0, 1e-5) : std::complex<double>(1 + 1e-6);
  }
};
template <int part>
struct one_complex_nan {
  static void run(auto op, const auto& args) {
    solve(op, args);
    auto& z = args.out[args.out.size - 1];
    const double nan = std::numeric_limits<double>::quiet_NaN();
    z = part ? std::complex<double>(z.real(), nan) : std::complex<double>(nan, z.imag());
  }
};

TEST_F(Checker, Fft) {
  // Each output has a reference; then sums over them.
  rejected<Fft<double>, no_op, all_zero, changes_input, writes_before, writes_behind, inverse, scaled,
           conjugated, bits_reversed, two_swapped<1>, two_swapped<8>, single_precision, one_millionth_off<0>,
           one_millionth_off<1>, one_complex_nan<0>, one_complex_nan<1>>(
      {{{"n", 16}}, {{"n", 256}}, {{"n", 1024}}, {{"n", 2048}}, {{"n", 1 << 15}}}, "uniform");
  rejected<Fft<double>, no_op, all_zero, inverse, scaled, conjugated, two_swapped<1>, one_complex_nan<0>>(
      {{{"n", 64}}, {{"n", 4096}}}, "impulse");
  rejected<Fft<double>, no_op, all_zero, inverse, scaled, one_complex_nan<1>>({{{"n", 64}}, {{"n", 4096}}},
                                                                              "tone");
}

// As where the halves of a transform of pairs were not separated.
struct of_pairs {
  static void run(auto, const auto& args) {
    const auto* pairs = reinterpret_cast<const std::complex<double>*>(args.in.data);
    const auto out = transform({pairs, pairs + args.in.size / 2});
    std::ranges::copy(out, args.out.data);
    args.out[args.out.size - 1] = args.out[0];
  }
};
struct last_has_an_imaginary_part {
  static void run(auto op, const auto& args) {
    solve(op, args);
    args.out[args.out.size - 1] += std::complex<double>(0, 1e-6);
  }
};

TEST_F(Checker, FftReal) {
  rejected<FftReal<double>, no_op, all_zero, changes_input, writes_before, writes_behind, scaled, conjugated,
           two_swapped<1>, single_precision, one_millionth_off<0>, one_complex_nan<0>, one_complex_nan<1>,
           of_pairs, last_has_an_imaginary_part>(
      {{{"n", 64}}, {{"n", 256}}, {{"n", 1024}}, {{"n", 2048}}, {{"n", 1 << 15}}}, "uniform");
  rejected<FftReal<double>, no_op, all_zero, scaled, of_pairs>({{{"n", 64}}, {{"n", 4096}}}, "tone");
}

// As where one transform's numbers came from the one before.
struct last_is_the_first {
  static void run(auto op, const auto& args) {
    solve(op, args);
    std::copy_n(args.out.data, args.n(), args.out.data + (args.batch - 1) * args.n());
  }
};
struct one_of_all {
  static void run(auto, const auto& args) { solve(Fft<double>(), Fft<double>::Args<>{args.out, args.in}); }
};

TEST_F(Checker, FftBatched) {
  // The second check is of many transforms.
  rejected<FftBatched<double>, no_op, all_zero, changes_input, writes_before, writes_behind, scaled,
           conjugated, two_swapped<1>, single_precision, one_millionth_off<0>, one_complex_nan<0>,
           one_complex_nan<1>, last_is_the_first, one_of_all>(
      {{{"n", 64}, {"batch", 4}}, {{"n", 1024}, {"batch", 32}}, {{"n", 2048}, {"batch", 2}}}, "uniform");
}

struct rows_alone {
  static void run(auto, const auto& args) { solve(FftBatched<double>(), batch(args)); }
  static FftBatched<double>::Args<> batch(const auto& args) { return {args.out, args.in, args.m}; }
};
struct as_transposed {
  static void run(auto op, const auto& args) {
    auto other = args;
    std::swap(other.m, other.n);
    solve(op, other);
  }
};

TEST_F(Checker, Fft2d) {
  rejected<Fft2d<double>, no_op, all_zero, changes_input, writes_before, writes_behind, scaled, conjugated,
           two_swapped<1>, single_precision, one_millionth_off<0>, one_complex_nan<0>, one_complex_nan<1>,
           rows_alone, as_transposed, one_of_all>(
      {{{"m", 16}, {"n", 64}}, {{"m", 64}, {"n", 32}}, {{"m", 2}, {"n", 1024}}, {{"m", 2048}, {"n", 4}}},
      "uniform");
}

}  // namespace
}  // namespace test
}  // namespace tallcache
