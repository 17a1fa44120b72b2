// FFTW 3, loaded at run time: in double, and in float, which is a library of its own.
//
// The build is the first of these that is there, in float with libfftw3f for libfftw3:
//   $TALLCACHE_PEERS/lib/libfftw3.so.3, where TALLCACHE_PEERS is set; empty: the system's alone
//   ${XDG_CACHE_HOME:-~/.cache}/tallcache/peers/lib/libfftw3.so.3, which `bench/setup --peers` makes
//   the system's libfftw3.so.3 with libfftw3_threads.so.3
// FFTW picks among the SIMD code of its build by measuring, plan by plan. Its plans are kept as wisdom from
// process to process (cpu/peers/fftw_wisdom.hpp).
#pragma once

#include <compare>
#include <complex>
#include <string>

#include "common/ops/fft.hpp"
#include "common/ops/fft_2d.hpp"
#include "common/ops/fft_batched.hpp"
#include "common/ops/fft_real.hpp"
#include "common/variant.hpp"

namespace tallcache::cpu::peers {

/// What FFTW plans: `count` transforms of n numbers each, one behind the other, or one of an array of `rows`
/// x n in two dimensions. `real`: of real numbers to complex ones.
struct FftwProblem {
  Index n, rows = 1, count = 1;
  bool real = false;

  static FftwProblem of(const Shape& shape, bool is_real);
  Index numbers() const { return rows * n * count; }
  auto operator<=>(const FftwProblem&) const = default;
};

/// Of numbers of T, which is float or double.
template <class T>
struct Fftw {
  /// Why it cannot be used; empty when it can.
  static const std::string& reason();

  /// Makes the plan for arrays as its own malloc aligns them. quick: FFTW_MEASURE, for 10 s at most.
  /// patient: FFTW_PATIENT to 2^16 numbers, FFTW_MEASURE for 60 s at most beyond. A plan of as much patience
  /// that is known from before is taken. Where the time does not suffice FFTW estimates. Throws Error when
  /// FFTW makes none.
  static void prepare(const FftwProblem& problem, int threads, Planning planning);

  /// The transform by the plan that prepare() made, else by a quick one.
  static void transform(const FftwProblem& problem, std::complex<T>* to, const std::complex<T>* from,
                        int threads);
  static void transform(const FftwProblem& problem, std::complex<T>* to, const T* from, int threads);

  /// Its version and file; then, where there is a plan for the problem on this many threads, that plan and
  /// the seconds which it took: "fftw-3.3.10-sse2-avx-avx2-avx512, libfftw3.so.3.6.10 of bench/setup --peers;
  /// FFTW_MEASURE, 0.52 s".
  static std::string runs_as(const FftwProblem& problem, int threads);
};
extern template struct Fftw<double>;
extern template struct Fftw<float>;

/// Whether the sizes fit FFTW's int.
bool fits_fftw(const Shape& shape);

/// Ops are of T, of complex numbers or of real ones.
template <class T, bool real, class... Ops>
struct FftwPeer {
  static constexpr std::string_view source = "FFTW (Frigo and Johnson 2005)";
  using operations = OperationList<Ops...>;
  static constexpr bool parallel = true;

  static std::string unavailable() { return Fftw<T>::reason(); }
  static bool supports(const Shape& shape) { return fits_fftw(shape); }
  static void prepare(const Shape& shape, int threads, Planning planning) {
    Fftw<T>::prepare(FftwProblem::of(shape, real), threads, planning);
  }
  static std::string runs_as(const Shape& shape, int threads) {
    return Fftw<T>::runs_as(FftwProblem::of(shape, real), threads);
  }
};

template <class T>
struct ComplexFftw : FftwPeer<T, false, Fft<T>, FftBatched<T>, Fft2d<T>> {
  template <class Args>
  static void call(const Launch& launch, const Args& args, const Params&) {
    // Not by a shape, whose names would take as long as a short transform.
    FftwProblem problem{.n = args.in.size};
    if constexpr (requires { args.m; })
      problem.n = args.n, problem.rows = args.m;
    else if constexpr (requires { args.batch; })
      problem.n = args.n(), problem.count = args.batch;
    Fftw<T>::transform(problem, args.out.data, args.in.data, launch.threads);
  }
};

template <class T>
struct RealFftw : FftwPeer<T, true, FftReal<T>> {
  template <class Args>
  static void call(const Launch& launch, const Args& args, const Params&) {
    Fftw<T>::transform({.n = args.in.size, .real = true}, args.out.data, args.in.data, launch.threads);
  }
};

struct fftw : ComplexFftw<double> {
  static constexpr std::string_view idea =
      "fftw_plan_many_dft, measured (FFTW_MEASURE up to 10 s, or with patience); planning is not timed";
};

}  // namespace tallcache::cpu::peers
