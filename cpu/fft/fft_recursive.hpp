// The recursive radix-2 transform, decimation in time (Cooley and Tukey 1965): the even and the odd numbers
// in parallel, then the butterflies. Work Theta(n lg n), span Theta(lg^2 n) for a constant base.
#pragma once

#include <algorithm>
#include <bit>
#include <complex>
#include <numbers>

#include "common/fork/fork.hpp"
#include "common/ops/fft.hpp"
#include "common/variant.hpp"

namespace tallcache::cpu::fft {

using Complex = Fft<double>::Complex;

/// a b of any ring.
template <class Number>
constexpr Number times(Number a, Number b) {
  return a * b;
}
/// std::complex's operator also checks for NaN, which prevents its inlining to these six operations.
template <>
constexpr Complex times<Complex>(Complex a, Complex b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// The k-th power of a root of unity of order n, 0 <= k < n, of any ring.
template <class Number>
Number root_of_unity(Index k, Index n) {
  return Number::root(k, n);
}
/// exp(-2 pi i k / n), within an ulp: symmetry reduces the angle to at most pi / 4.
template <>
inline Complex root_of_unity<Complex>(Index k, Index n) {
  Index eighth = 8 * k;  // of n
  if (eighth > 4 * n) return std::conj(root_of_unity<Complex>(n - k, n));
  const bool left = eighth > 2 * n;
  if (left) eighth = 4 * n - eighth;
  const bool steep = eighth > n;
  if (steep) eighth = 2 * n - eighth;
  const double angle = std::numbers::pi / 4 * static_cast<double>(eighth) / static_cast<double>(n);
  double c = std::cos(angle), s = std::sin(angle);
  if (steep) std::swap(c, s);
  return {left ? -c : c, -s};
}

/// The twiddles of the radix-2 transforms of up to table.size numbers, a power of two: table[h + k] = exp(-pi
/// i k / h) for 0 <= k < h, h = 1, 2, 4, ..., so that each pass reads its own in order.
template <class Fork, class Table>
void fill_twiddles(Fork& fork, Table table) {
  using Number = typename Table::value_type;
  for (Index h = 1; h < table.size; h *= 2)
    loop_blocks(fork, h, 1024, [table, h](Index begin, Index end) {
      for (Index k = begin; k < end; ++k) table[h + k] = root_of_unity<Number>(k, 2 * h);
    });
}

/// The size of the table for transforms of up to n.
constexpr Index twiddles(Index n) { return static_cast<Index>(std::bit_floor(static_cast<std::size_t>(n))); }

/// lower, upper = lower + w upper, lower - w upper.
template <class Half, class Table>
void butterflies(Half lower, Half upper, Table w) {
  using Number = typename Half::value_type;
  for (Index k = 0; k < lower.size; ++k) {
    // A local variable in place of a parameter goes through memory: g++ 12 takes three times as long.
    const auto put = [&](Number even, Number odd) {
      lower[k] = even + odd;
      upper[k] = even - odd;
    };
    put(lower[k], times<Number>(w[k], upper[k]));
  }
}

/// The transform of in[0], in[stride], ..., of out.size numbers, a power of two: in bit-reversed order, then
/// pass by pass.
template <class Out, class In, class Table>
void fft_leaf(Out out, In in, Index stride, Table table) {
  const Index n = out.size;
  for (Index i = 0, reversed = 0; i < n; ++i) {
    out[reversed] = static_cast<typename Out::value_type>(in[i * stride]);
    Index bit = n / 2;
    for (; reversed & bit; bit /= 2) reversed ^= bit;
    reversed |= bit;
  }
  for (Index h = 1; h < n; h *= 2)
    for (Index i = 0; i < n; i += 2 * h) butterflies(out.block(i, h), out.block(i + h, h), table.block(h, h));
}

/// The same by recursion. Up to `base` >= 1 numbers are a leaf.
template <class Fork, class Out, class In, class Table>
void rec_fft(Fork& fork, Out out, In in, Index stride, Table table, Index base) {
  if (out.size <= base) return fft_leaf(out, in, stride, table);
  const Index half = out.size / 2;
  const Out even = out.block(0, half), odd = out.block(half, half);
  const auto transform = [&fork, stride, table, base](Out to, In from) {
    rec_fft(fork, to, from, 2 * stride, table, base);
  };
  fork(Part(transform, even, in), Part(transform, odd, in.block(stride, in.size - stride)));
  loop_blocks(fork, half, std::max<Index>(1, base / 2),
              [=, w = table.block(half, half)](Index begin, Index end) {
                const Index size = end - begin;
                butterflies(even.block(begin, size), odd.block(begin, size), w.block(begin, size));
              });
}

struct fft_recursive {
  static constexpr std::string_view idea =
      "radix 2, decimation in time: the halves side by side, then the butterflies";
  static constexpr std::string_view source = "M11: FFT; Cooley and Tukey 1965";
  using operations = OperationList<Fft<double>>;
  static constexpr ParamSpec params[] = {{"base", 1024, "a transform of no more numbers is a leaf"}};
  static constexpr PhaseSpec phases[] = {{"twiddles", false}, {"transform"}};
  static constexpr bool parallel = true;
  static constexpr double ns_per_unit = 0.13;

  static bool supports(const Shape& shape) {
    return shape["n"] == 0 || std::has_single_bit(std::size_t(shape["n"]));
  }

  static std::size_t scratch(Fft<double>, const Shape& shape, const Params&) {
    return scratch_bytes({checked_product(shape["n"], sizeof(Complex), "twiddles")});
  }

  template <int phase, class Fork, class Args>
  static void run(Fork& fork, const Args& args, const Params& params) {
    auto scratch = args.scratch;
    const auto table = scratch.template vector<Complex>(args.in.size);
    const Index n = args.in.size;
    if constexpr (phase == 0) {
      fill_twiddles(fork, table);
    } else if (n > 0) {
      rec_fft(fork, args.out, args.in, 1, table, params["base"]);
    }
  }
};

}  // namespace tallcache::cpu::fft
