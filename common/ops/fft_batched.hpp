// The discrete Fourier transforms of `batch` arrays of n complex numbers each, one behind the other, out of
// place.
#pragma once

#include <vector>

#include "common/in_parts.hpp"
#include "common/ops/fft.hpp"

namespace tallcache {

/// Of numbers whose parts are T, double or float. The operation takes any n.
template <class T>
struct FftBatched : Fft<T> {
  using One = Fft<T>;
  using Complex = std::complex<T>;
  static constexpr std::string_view name = "fft_batched";
  static constexpr std::string_view what =
      "out[k] = sum of in[j] exp(-2 pi i j k / n) for each of a batch of n complex numbers, one behind the "
      "other";
  static constexpr DimSpec dims[] = {{"n", "complex numbers of each"}, {"batch", "transforms", 1}};

  template <class Access = Plain>
  struct Args {
    VectorView<Complex, Access> out;       ///< batch n numbers
    VectorView<const Complex, Access> in;  ///< likewise
    Index batch;
    Scratch<Access> scratch{};

    template <class Other>
    Args<Other> with(Other other) const {
      return {out.with(other), in.with(other), batch, scratch.with(other)};
    }

    /// Of one of the arrays.
    Index n() const { return batch ? in.size / batch : 0; }
    /// The arguments of transform b.
    typename One::template Args<Access> at(Index b) const {
      return {out.block(b * n(), n()), in.block(b * n(), n()), scratch};
    }
  };

  static Shape shape_of(const Args<>& args) { return {{"n", args.n()}, {"batch", args.batch}}; }

  static std::vector<BufferSpec> buffers(const Shape& s) { return One::buffers({{"n", total(s)}}); }

  static Args<> bind(const Shape& s, std::span<std::byte* const> buffers, Scratch<> scratch) {
    const typename One::template Args<> all = One::bind({{"n", total(s)}}, buffers, scratch);
    return {all.out, all.in, s["batch"], scratch};
  }

  /// Every array has other numbers.
  static void fill(const Shape& s, std::string_view input, std::uint64_t seed,
                   std::span<std::byte* const> buffers) {
    const Args<> args = bind(s, buffers, {});
    for (Index b = 0; b < args.batch; ++b) {
      std::byte* const of_one[] = {nullptr, buffers[1] + b * args.n() * Index{sizeof(Complex)}};
      One::fill({{"n", args.n()}}, input, seed + static_cast<std::uint64_t>(b), of_one);
    }
  }

  static void validate(const Args<>& args) {
    if (args.batch < 0 || args.in.size != args.batch * args.n())
      throw Error("fft_batched: " + std::to_string(args.in.size) + " numbers are no batch of " +
                  std::to_string(args.batch));
    One::validate({args.out, args.in});
  }

  /// Each transform as Fft's; where that would be many sums, by sums of all outputs.
  static Check check(const Shape& s, std::string_view, std::uint64_t seed, const Args<>& args) {
    const Index n = args.n();
    const bool each = n <= 1024 && static_cast<double>(args.batch) * static_cast<double>(n * n) <= 1 << 24;
    return first_wrong(n ? args.batch : 0, rows_of_part(s["n"]), [&](Index first, Index last) -> Check {
      for (Index b = first; b < last; ++b)
        if (Check one = each ? One::check_each(args.at(b), 1)
                             : One::check_sums(seed + static_cast<std::uint64_t>(b), args.at(b), 1);
            !one)
          return one;
      return {};
    });
  }

  static Cost cost(const Shape& s) {
    const Cost one = One::cost(s);
    const auto batch = static_cast<double>(s["batch"]);
    return {.flops = batch * one.flops, .bytes = batch * one.bytes};
  }

  static std::vector<Shape> test_shapes() {
    std::vector<Shape> shapes{{{"n", 8}, {"batch", 0}}, {{"n", 0}, {"batch", 3}}};
    for (const Index n : {1, 2, 3, 8, 16, 60, 64, 127, 256, 1009, 1024, 4096})
      for (const Index batch : {1, 3, 17}) shapes.push_back({{"n", n}, {"batch", batch}});
    for (const auto& [n, batch] : {std::pair<Index, Index>{4, 5000}, {64, 1000}, {1 << 14, 3}, {1 << 15, 2}})
      shapes.push_back({{"n", n}, {"batch", batch}});
    return shapes;
  }

  static std::vector<Shape> bench_shapes() {
    std::vector<Shape> shapes;
    for (const auto& [n, batch] : {std::pair<Index, Index>{64, 16384}, {1024, 1024}, {16384, 64}})
      shapes.push_back({{"n", n}, {"batch", batch}});
    return shapes;
  }

 private:
  static Index total(const Shape& s) {
    return static_cast<Index>(checked_product(s["batch"], static_cast<std::size_t>(s["n"]), "numbers"));
  }
};

}  // namespace tallcache
