// C = A B. C is m x n, A m x k, B k x n, all row-major with padded leading dimensions.
#pragma once

#include <algorithm>
#include <tuple>
#include <vector>

#include "common/compare.hpp"
#include "common/in_parts.hpp"
#include "common/operation.hpp"
#include "common/random.hpp"

namespace tallcache {

template <class T>
struct Matmul {
  static constexpr std::string_view name = "matmul", element = Element<T>::name;
  static constexpr std::string_view what = "C = A B; C is m x n, A m x k, B k x n, row-major";
  static constexpr Rate rate = Rate::gflop_per_s;
  static constexpr DimSpec dims[] = {{"m", "rows of A and C"},
                                     {"n", "columns of B and C"},
                                     {"k", "columns of A, rows of B"},
                                     {"pad", "leading dimension minus columns", 0}};
  static constexpr std::span<const std::string_view> inputs = matrix_inputs;
  using Sum = typename Element<T>::Sum;  ///< the elements of C

  template <class Access = Plain>
  struct Args {
    MatrixView<Sum, Access> c;
    MatrixView<const T, Access> a, b;
    Scratch<Access> scratch{};

    template <class Other>
    Args<Other> with(Other other) const {
      return {c.with(other), a.with(other), b.with(other), scratch.with(other)};
    }
  };

  /// The views onto buffers(), in their order.
  static auto views(auto& args) { return std::tie(args.c, args.a, args.b); }

  static Shape shape_of(const Args<>& args) {
    return {{"m", args.c.rows}, {"n", args.c.cols}, {"k", args.a.cols}, {"pad", args.c.ld - args.c.cols}};
  }

  static std::vector<BufferSpec> buffers(const Shape& s) {
    const Index m = s["m"], n = s["n"], k = s["k"], pad = s["pad"];
    return {{"C", Role::output, matrix_bytes<Sum>(m, n, pad), Element<Sum>::poison},
            {"A", Role::input, matrix_bytes<T>(m, k, pad)},
            {"B", Role::input, matrix_bytes<T>(k, n, pad)}};
  }

  static Args<> bind(const Shape& s, std::span<std::byte* const> buffers, Scratch<> scratch) {
    const Index m = s["m"], n = s["n"], k = s["k"], pad = s["pad"];
    return {bind_matrix<Sum>(buffers[0], m, n, pad), bind_matrix<T>(buffers[1], m, k, pad),
            bind_matrix<T>(buffers[2], k, n, pad), scratch};
  }

  static void fill(const Shape& s, std::string_view input, std::uint64_t seed,
                   std::span<std::byte* const> buffers) {
    const Index m = s["m"], n = s["n"], k = s["k"], pad = s["pad"];
    fill_matrix(bind_matrix<T>(buffers[1], m, k, pad), input, seed);
    fill_matrix(bind_matrix<T>(buffers[2], k, n, pad), input, seed + 1);
  }

  static void validate(const Args<>& args) {
    const auto& [c, a, b, scratch] = args;
    validate_view(c, "C");
    validate_view(a, "A");
    validate_view(b, "B");
    if (a.rows != c.rows || b.cols != c.cols || a.cols != b.rows)
      throw Error("matmul: " + size(c) + " = " + size(a) + " times " + size(b) + " does not fit");
    validate_disjoint(c, "C", a, "A");
    validate_disjoint(c, "C", b, "B");
  }

  /// Up to 2^24 products, every element of C is compared with a sum of wider type. The bound is
  /// product_bound() of the variant's error class: by default the forward error of a sum of k products in any
  /// order, (k + 2) eps |A| |B|. It is zero for whole-number inputs. Where it is by norms, the operation's
  /// own random inputs are held to the default: their elements are of one magnitude, and errors of either
  /// sign stay far below the norms' bound. Beyond, every row of C is checked by Freivalds' test (1977): C t
  /// against A (B t) for a random t. On whole numbers the test is exact up to its chance of 2^-31 a row.
  /// Otherwise its bound is 8 sqrt(k + 2) eps times the Euclidean norms, as rounding errors of either sign
  /// add up (Higham and Mary 2019; the factor 8 leaves a chance of 10^-13). At m = n = k = 1024 the test
  /// detects a single wrong element whose relative error is 10^-10 in double, or 1/20 in float.
  static Check check(const Shape& s, std::string_view input, std::uint64_t seed, const Args<>& args,
                     ErrorClass error_class = ErrorClass::standard) {
    return check_product<T>(s, input, seed, args, error_class);
  }

  static Cost cost(const Shape& s) {
    const double m = s["m"], n = s["n"], k = s["k"];
    return {.flops = 2 * m * n * k, .bytes = m * n * sizeof(Sum) + (m * k + k * n) * sizeof(T)};
  }

  static std::vector<Shape> test_shapes() {
    std::vector<Shape> shapes;
    const auto add = [&](Index m, Index n, Index k, Index pad = 0) {
      shapes.push_back({{"m", m}, {"n", n}, {"k", k}, {"pad", pad}});
    };
    for (Index n : {0, 1, 2, 3, 7, 16, 31, 32, 33, 61, 63, 64, 65, 97, 127, 128, 129}) add(n, n, n);
    add(0, 5, 7), add(5, 0, 7), add(5, 7, 0), add(1, 67, 1), add(67, 1, 1), add(1, 1, 67), add(1, 71, 73);
    add(71, 1, 73), add(71, 73, 1), add(5, 130, 33), add(130, 5, 33), add(33, 5, 130), add(64, 128, 32);
    add(17, 19, 23, 1), add(64, 64, 64, 3), add(65, 63, 64, 8), add(1, 1, 1, 5), add(40, 3, 100, 24);
    add(32, 32, 64), add(31, 17, 129), add(7, 32, 100, 1);  // C fits into one block of a GPU, A and B do not
    return shapes;
  }

  static std::vector<Shape> bench_shapes() {
    std::vector<Shape> shapes;
    for (Index n : {64, 128, 256, 512, 1024}) shapes.push_back({{"m", n}, {"n", n}, {"k", n}, {"pad", 0}});
    shapes.push_back({{"m", 687}, {"n", 1107}, {"k", 837}, {"pad", 0}});
    return shapes;
  }

 protected:
  static std::string size(const auto& view) {
    return std::to_string(view.rows) + " x " + std::to_string(view.cols);
  }

  /// check() of a product whose factors are of `E`, which may be cut further than T before they are
  /// multiplied.
  template <class E>
  static Check check_product(const Shape& s, std::string_view input, std::uint64_t seed, const Args<>& args,
                             ErrorClass error_class) {
    if (Check padding = check_padding<Sum>(args.c); !padding) return padding;
    const bool whole = Element<T>::is_exact || input == "integers";
    if (std::ranges::find(inputs, input) != inputs.end() && error_class == ErrorClass::normwise)
      error_class = ErrorClass::standard;
    const Index k = s["k"];
    const ProductBound bound = whole ? ProductBound{} : product_bound<E>(error_class, k);
    if (static_cast<double>(s["m"]) * s["n"] * k <= 0x1p24 || bound.normwise > 0) {
      const double norms = bound.normwise > 0 ? bound.normwise * largest(args.a) * largest(args.b) : 0;
      return first_wrong(s["m"], rows_of_part(s["n"] * k), [&](Index first, Index last) {
        return check_elements(args, first, last, bound.componentwise, norms);
      });
    }
    return whole
               ? check_freivalds<std::int64_t>(args, seed, 0, 0)
               : check_freivalds<double>(args, seed, bound.componentwise, euclidean_bound<E>(error_class, k));
  }

 private:
  static double largest(const MatrixView<const T>& x) {
    double largest = 0;
    for (Index i = 0; i < x.rows; ++i)
      for (Index j = 0; j < x.cols; ++j) largest = std::max(largest, std::abs(static_cast<double>(x(i, j))));
    return largest;
  }

  // What an element of C may lose of the Euclidean norms of its row and column: rounding errors add up to a
  // root, the cut of each factor and sums that are truncated, which is downwards, by themselves.
  template <class E>
  static double euclidean_bound(ErrorClass error_class, Index k) {
    constexpr double eps = Element<Sum>::epsilon;
    constexpr double cut = std::is_same_v<E, T> ? 0 : Element<E>::epsilon;
    const auto sums = static_cast<double>(k);
    double lost = std::sqrt(sums + 2) * eps + cut;
    if (!std::is_same_v<E, Sum>) lost += sums / 64 * eps;
    if (error_class == ErrorClass::split_factors) lost += (4 + std::min(sums, 128.0) / 64) * eps;
    if (error_class == ErrorClass::truncated_sums) lost += (4 + 3 * sums / 64) * eps;
    return lost;
  }

  // Of rows `first` to `last` of C, each to `factor` |A||B| + `norms`.
  static Check check_elements(const Args<>& args, Index first, Index last, double factor, double norms) {
    const auto& [c, a, b, scratch] = args;
    using Wide = typename Element<T>::Wide;
    std::vector<Wide> sum(c.cols), magnitude(c.cols);
    for (Index i = first; i < last; ++i) {
      std::ranges::fill(sum, Wide{});
      std::ranges::fill(magnitude, Wide{});
      for (Index l = 0; l < a.cols; ++l)
        for (Index j = 0; j < c.cols; ++j) {
          const Wide product = static_cast<Wide>(a(i, l)) * b(l, j);
          sum[j] += product;
          magnitude[j] += std::abs(product);
        }
      for (Index j = 0; j < c.cols; ++j) {
        const double bound = factor * static_cast<double>(magnitude[j]) + norms;
        if (!within(c(i, j), static_cast<double>(sum[j]), bound))
          return Check::wrong("C" + position(i, j), digits(static_cast<Sum>(sum[j])), digits(c(i, j)));
      }
    }
    return {};
  }

  // A random vector t, and B t. With integer sums every element must be a whole number, and the sums wrap
  // modulo 2^64.
  template <class Number>
  struct Freivalds {
    static constexpr bool whole = std::is_integral_v<Number>;
    using Wrapping = std::conditional_t<whole, std::uint64_t, double>;

    std::vector<Wrapping> t, bt;
    double b_norm2 = 0;  ///< of B with its columns scaled by t

    Freivalds(const MatrixView<const T>& b, std::uint64_t seed) : t(b.cols), bt(b.rows) {
      for (Index j = 0; j < b.cols; ++j) {
        if constexpr (whole)
          t[j] = random_bits(seed + 2, j) >> 33;
        else
          t[j] = (1 + random_unit(seed + 2, j)) * (random_bits(seed + 3, j) & 1 ? 1 : -1);
      }
      std::vector<double> norms2(b.rows);
      in_parts(b.rows, rows_of_part(b.cols), [&](Index first, Index last) {
        for (Index l = first; l < last; ++l) {
          Wrapping sum{};
          double norm2 = 0;
          for (Index j = 0; j < b.cols; ++j) {
            const Wrapping term = wrap(b(l, j)) * t[j];
            sum += term;
            if constexpr (!whole) norm2 += term * term;
          }
          bt[l] = sum;
          norms2[l] = norm2;
        }
      });
      for (const double norm2 : norms2) b_norm2 += norm2;
    }

    /// Whether row i of C times t is row i of A times B t, to `factor` of the Euclidean norms.
    bool is_right(const Args<>& args, Index i, double factor, Wrapping& got, Wrapping& expected) const {
      const auto& [c, a, b, scratch] = args;
      got = expected = {};
      double a_norm2 = 0;
      for (Index j = 0; j < c.cols; ++j) {
        if constexpr (whole && !Element<T>::is_exact)
          if (!(std::abs(c(i, j)) < 0x1p62 && std::trunc(c(i, j)) == c(i, j))) return false;
        got += wrap(c(i, j)) * t[j];
      }
      for (Index l = 0; l < a.cols; ++l) {
        expected += wrap(a(i, l)) * bt[l];
        if constexpr (!whole) a_norm2 += static_cast<double>(a(i, l)) * a(i, l);
      }
      if constexpr (whole)
        return got == expected;
      else
        return within(got, expected, factor * std::sqrt(a_norm2 * b_norm2));
    }

   private:
    static Wrapping wrap(auto value) { return static_cast<Wrapping>(static_cast<Number>(value)); }
  };

  template <class Number>
  static Check check_freivalds(const Args<>& args, std::uint64_t seed, double componentwise,
                               double euclidean) {
    const auto& [c, a, b, scratch] = args;
    const Freivalds<Number> test(b, seed);
    const double factor =
        8 * (euclidean + std::sqrt(static_cast<double>(a.cols + c.cols)) * Element<double>::epsilon);
    return first_wrong(c.rows, rows_of_part(a.cols + c.cols), [&](Index first, Index last) -> Check {
      typename Freivalds<Number>::Wrapping got{}, expected{};
      for (Index i = first; i < last; ++i) {
        if (test.is_right(args, i, factor, got, expected)) continue;
        Check element = check_elements(args, i, i + 1, componentwise, 0);
        return element ? Check::wrong("row " + std::to_string(i) + " of C times a random vector",
                                      digits(expected), digits(got))
                       : element;
      }
      return {};
    });
  }
};

}  // namespace tallcache
