// The discrete Fourier transform of an m x n array of complex numbers in two dimensions, out of place.
#pragma once

#include <vector>

#include "common/ops/fft.hpp"

namespace tallcache {

/// Of numbers whose parts are T, double or float. The operation takes any m and n.
template <class T>
struct Fft2d : Fft<T> {
  using One = Fft<T>;
  using Complex = std::complex<T>;
  static constexpr std::string_view name = "fft_2d";
  static constexpr std::string_view what =
      "out[k, l] = sum of in[i, j] exp(-2 pi i (i k / m + j l / n)) for m x n complex numbers, row-major";
  static constexpr DimSpec dims[] = {{"m", "rows"}, {"n", "columns"}};

  template <class Access = Plain>
  struct Args {
    VectorView<Complex, Access> out;
    VectorView<const Complex, Access> in;
    Index m, n;
    Scratch<Access> scratch{};

    template <class Other>
    Args<Other> with(Other other) const {
      return {out.with(other), in.with(other), m, n, scratch.with(other)};
    }
  };

  static Shape shape_of(const Args<>& args) { return {{"m", args.m}, {"n", args.n}}; }

  static std::vector<BufferSpec> buffers(const Shape& s) { return One::buffers(flat(s)); }

  static Args<> bind(const Shape& s, std::span<std::byte* const> buffers, Scratch<> scratch) {
    const typename One::template Args<> all = One::bind(flat(s), buffers, scratch);
    return {all.out, all.in, s["m"], s["n"], scratch};
  }

  /// As Fft's of m n numbers.
  static void fill(const Shape& s, std::string_view input, std::uint64_t seed,
                   std::span<std::byte* const> buffers) {
    One::fill(flat(s), input, seed, buffers);
  }

  static void validate(const Args<>& args) {
    if (args.m < 0 || args.n < 0 || args.in.size != flat(shape_of(args))["n"])
      throw Error("fft_2d: " + std::to_string(args.in.size) + " numbers are no array of " +
                  std::to_string(args.m) + " x " + std::to_string(args.n));
    One::validate({args.out, args.in});
  }

  /// As Fft's, in both dimensions.
  static Check check(const Shape& s, std::string_view, std::uint64_t seed, const Args<>& args) {
    if (args.in.size == 0) return {};
    return args.in.size <= 1024 ? One::check_each(args, s["m"]) : One::check_sums(seed, args, s["m"]);
  }

  static Cost cost(const Shape& s) { return One::cost({{"n", s["m"] * s["n"]}}); }

  static std::vector<Shape> test_shapes() {
    std::vector<Shape> shapes{{{"m", 0}, {"n", 8}}, {{"m", 8}, {"n", 0}}};
    for (const auto& [m, n] : std::initializer_list<std::pair<Index, Index>>{{1, 1},
                                                                             {1, 64},
                                                                             {64, 1},
                                                                             {2, 3},
                                                                             {8, 8},
                                                                             {5, 127},
                                                                             {127, 5},
                                                                             {16, 60},
                                                                             {31, 33},
                                                                             {32, 32},
                                                                             {60, 64},
                                                                             {128, 128},
                                                                             {100, 1009},
                                                                             {1009, 3},
                                                                             {4096, 8},
                                                                             {8, 4096},
                                                                             {256, 200}})
      shapes.push_back({{"m", m}, {"n", n}});
    return shapes;
  }

  static std::vector<Shape> bench_shapes() {
    return {{{"m", 128}, {"n", 128}}, {{"m", 1024}, {"n", 1024}}, {{"m", 1000}, {"n", 1000}}};
  }

 private:
  static Shape flat(const Shape& s) {
    return {{"n", static_cast<Index>(checked_product(s["m"], static_cast<std::size_t>(s["n"]), "numbers"))}};
  }
};

}  // namespace tallcache
