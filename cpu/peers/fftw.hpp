// FFTW 3, loaded at run time: in double, and in float, which is a library of its own.
//
// The build is the first of these that is there, in float with libfftw3f for libfftw3:
//   $TALLCACHE_PEERS/lib/libfftw3.so.3, where TALLCACHE_PEERS is set; empty: the system's alone
//   ${XDG_CACHE_HOME:-~/.cache}/tallcache/peers/lib/libfftw3.so.3, which `bench/setup --peers` makes
//   the system's libfftw3.so.3 with libfftw3_threads.so.3
// FFTW picks among the SIMD code of its build by measuring, plan by plan. Its plans are kept as wisdom from
// process to process (cpu/peers/fftw_wisdom.hpp).
#pragma once

#include <string>

#include "common/ops/fft.hpp"
#include "common/variant.hpp"

namespace tallcache::cpu::peers {

/// Of numbers of T, which is float or double.
template <class T>
struct Fftw {
  /// Why it cannot be used; empty when it can.
  static const std::string& reason();

  /// Makes the plan for n numbers on this many threads and keeps it. quick: FFTW_MEASURE for 10 s at most;
  /// patient: FFTW_PATIENT to 2^16 numbers, FFTW_MEASURE for 60 s at most beyond. A plan of as much patience
  /// that is known from before is taken. Where the time does not suffice FFTW estimates. Throws Error when
  /// FFTW makes none.
  static void prepare(Index n, int threads, Planning planning);

  /// The transform by the plan that prepare() made, else by a quick one.
  static void transform(const typename Fft<T>::template Args<>& args, int threads);

  /// Its version and file; then, where there is a plan for n numbers on this many threads, that plan and the
  /// seconds which it took: "fftw-3.3.10-sse2-avx-avx2-avx512, libfftw3.so.3.6.10 of bench/setup --peers;
  /// FFTW_MEASURE, 0.52 s".
  static std::string runs_as(Index n, int threads);
};
extern template struct Fftw<double>;
extern template struct Fftw<float>;

/// Whether the size fits FFTW's int.
bool fits_fftw(const Shape& shape);

template <class T>
struct FftwPeer {
  static constexpr std::string_view source = "FFTW (Frigo and Johnson 2005)";
  using operations = OperationList<Fft<T>>;
  static constexpr bool parallel = true;

  static std::string unavailable() { return Fftw<T>::reason(); }
  static bool supports(const Shape& shape) { return fits_fftw(shape); }
  static void prepare(const Shape& shape, int threads, Planning planning) {
    Fftw<T>::prepare(shape["n"], threads, planning);
  }
  static std::string runs_as(const Shape& shape, int threads) {
    return Fftw<T>::runs_as(shape["n"], threads);
  }

  template <class Args>
  static void call(const Launch& launch, const Args& args, const Params&) {
    Fftw<T>::transform(args, launch.threads);
  }
};

struct fftw : FftwPeer<double> {
  static constexpr std::string_view idea =
      "fftw_plan_dft_1d, measured (FFTW_MEASURE up to 10 s, or with patience); planning is not timed";
};

}  // namespace tallcache::cpu::peers
