// The cache-oblivious transform (Frigo, Leiserson, Prokop, Ramachandran 1999, after Bailey's six steps,
// 1990): the numbers as a matrix of about sqrt n rows, transforms of its columns, twiddles, transforms of its
// rows, with transpositions in between so that every transform reads a row. Theta(1 + n/L (1 + log_Z n))
// misses in any cache.
#pragma once

#include "common/fork/fork.hpp"
#include "cpu/fft/fft_recursive.hpp"
#include "cpu/transpose/recursive.hpp"

namespace tallcache::cpu::fft {

/// root_of_unity(e, n) for 0 <= e < n, n a power of two, as a product of two out of 2 sqrt n stored numbers.
/// A table of all n would not stay in the cache.
template <class View>
struct RootTable {
  using Number = typename View::value_type;
  View high, low;  ///< the powers a low.size, and the powers b < low.size
  int low_bits = std::countr_zero(static_cast<std::size_t>(low.size));

  Index n() const { return high.size * low.size; }

  Number operator()(Index e) const { return times<Number>(high[e >> low_bits], low[e & (low.size - 1)]); }

  template <class Fork>
  void fill(Fork& fork) const {
    const Index n = this->n();
    fork.loop(0, high.size, 1,
              [n, table = *this](Index a) { table.high[a] = root_of_unity<Number>(a * table.low.size, n); });
    fork.loop(0, low.size, 1, [n, table = *this](Index b) { table.low[b] = root_of_unity<Number>(b, n); });
  }
};

/// A vector as a matrix of `rows` rows.
template <class T, class Access>
constexpr MatrixView<T, Access> as_matrix(VectorView<T, Access> v, Index rows) {
  return MatrixView<T>{v.data, rows, v.size / rows, v.size / rows}.with(v.access());
}

/// The transform of up to n numbers of any ring, n a power of two, with its tables.
template <class Number, class Access = Plain>
class SixStep {
 public:
  using View = VectorView<Number, Access>;

  /// The bytes of the tables.
  static std::size_t scratch(Index n, Index base) {
    const Sizes s(n, base);
    return scratch_bytes({s.high * sizeof(Number), s.low * sizeof(Number), s.twiddles * sizeof(Number)});
  }

  /// Up to `base` >= 2 numbers are a leaf.
  SixStep(Index n, Index base, Scratch<Access>& scratch)
      : base_(base),
        roots_{scratch.template vector<Number>(Sizes(n, base).high),
               scratch.template vector<Number>(Sizes(n, base).low)},
        twiddles_(scratch.template vector<Number>(Sizes(n, base).twiddles)) {}

  template <class Fork>
  void fill(Fork& fork) const {
    roots_.fill(fork);
    fill_twiddles(fork, twiddles_);
  }

  /// What a step takes on one thread, in nanoseconds a number; 0: not known.
  struct StepTimes {
    double transposition = 0, transforms = 0;
  };

  /// out = the transform of `in`. `work` is as large as both. It may be `in`, which is then overwritten. The
  /// outermost steps foretell their time, as each of them is too short to prove long while it runs.
  template <class Fork, class In>
  void transform(Fork& fork, View out, In in, View work, StepTimes ns = {}) const {
    const Index n = out.size;
    if (n <= base_) return fft_leaf(out, in, 1, twiddles_);
    const Index rows = Index{1} << (std::bit_width(static_cast<std::size_t>(n)) - 1) / 2, cols = n / rows;
    transpose(fork, ns.transposition, as_matrix(out, cols), as_matrix(in, rows));
    transform_rows(fork, ns.transforms, work, out, cols, [this, cols](View row, Index i) {
      const Index step = i * (roots_.n() / (row.size * cols));
      if (step)
        for (Index j = 0; j < row.size; ++j) row[j] = times<Number>(row[j], roots_(j * step));
    });
    transpose(fork, ns.transposition, as_matrix(out, rows), as_matrix(work, cols));
    transform_rows(fork, ns.transforms, work, out, rows, [](View, Index) {});
    transpose(fork, ns.transposition, as_matrix(out, cols), as_matrix(work, rows));
  }

 private:
  struct Sizes {
    Index low, high, twiddles;
    Sizes(Index n, Index base)
        : low(Index{1} << std::bit_width(static_cast<std::size_t>(n)) / 2),
          high((n + low - 1) / low),
          twiddles(fft::twiddles(std::min(n, base))) {}
  };

  template <class Fork>
  static void expect(const Fork& fork, double ns, Index numbers) {
    if (ns > 0) expect_work(fork, static_cast<Index>(ns * static_cast<double>(numbers)));
  }

  template <class Fork, class Out, class In>
  static void transpose(Fork& fork, double ns, Out out, In in) {
    expect(fork, ns, out.rows * out.cols);
    cpu::transpose::rec_transpose(fork, out, in, 16);
  }

  /// Each of the `rows` rows of `out` becomes the transform of that of `in`, which is overwritten, and then
  /// `twiddled(row, i)`.
  template <class Fork, class Twiddled>
  void transform_rows(Fork& fork, double ns, View out, View in, Index rows, Twiddled twiddled) const {
    expect(fork, ns, out.size);
    fork.loop(0, rows, 1, [=, this, &fork](Index i) {
      const Index size = out.size / rows;
      const View to = out.block(i * size, size), from = in.block(i * size, size);
      transform(fork, to, from, from);
      twiddled(to, i);
    });
  }

  Index base_;
  RootTable<View> roots_;
  View twiddles_;  ///< of the leaves: fill_twiddles
};

struct fft_six_step {
  static constexpr std::string_view idea =
      "cache-oblivious: a sqrt n x sqrt n matrix, transforms of its columns and rows";
  static constexpr std::string_view source = "Frigo, Leiserson, Prokop, Ramachandran 1999; Bailey 1990";
  using operations = OperationList<Fft<double>>;
  static constexpr ParamSpec params[] = {{"base", 64, "a transform of no more numbers is a leaf", 2}};
  static constexpr PhaseSpec phases[] = {{"twiddles", false}, {"transform"}};
  static constexpr bool parallel = true;

  static bool supports(const Shape& shape) { return fft_recursive::supports(shape); }

  static std::size_t scratch(Fft<double>, const Shape& shape, const Params& params) {
    return SixStep<Complex>::scratch(shape["n"], params["base"]) +
           scratch_bytes({checked_product(shape["n"], sizeof(Complex), "transposed numbers")});
  }

  template <int phase, class Fork, class Args>
  static void run(Fork& fork, const Args& args, const Params& params) {
    const Index n = args.in.size;
    if (n == 0) return;
    auto scratch = args.scratch;
    const SixStep<Complex, typename decltype(args.in)::access_type> steps(n, params["base"], scratch);
    if constexpr (phase == 0)
      steps.fill(fork);
    else
      steps.transform(fork, args.out, args.in, scratch.template vector<Complex>(n),
                      {.transposition = 0.8, .transforms = 12});
  }
};

}  // namespace tallcache::cpu::fft
