// FFTW 3, loaded at run time.
//
// The build is the first of these that is there:
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

/// Why it cannot be used; empty when it can.
const std::string& fftw_reason();

/// Whether the size fits FFTW's int.
bool fits_fftw(const Shape& shape);

/// Makes the plan for n numbers on this many threads and keeps it. quick: FFTW_MEASURE for 10 s at most;
/// patient: FFTW_PATIENT to 2^16 numbers, FFTW_MEASURE for 60 s at most beyond. A plan of as much patience
/// that is known from before is taken. Where the time does not suffice FFTW estimates. Throws Error when FFTW
/// makes none.
void fftw_prepare(Index n, int threads, Planning planning);

/// The transform by the plan that fftw_prepare made, else by a quick one.
void fftw_transform(const Fft<double>::Args<>& args, int threads);

/// Its version and file; then, where there is a plan for n numbers on this many threads, that plan and the
/// seconds which it took: "fftw-3.3.10-sse2-avx-avx2-avx512, libfftw3.so.3.6.10 of bench/setup --peers;
/// FFTW_MEASURE, 0.52 s".
std::string fftw_runs_as(Index n, int threads);

struct fftw {
  static constexpr std::string_view idea =
      "fftw_plan_dft_1d, measured (FFTW_MEASURE up to 10 s, or with patience); planning is not timed";
  static constexpr std::string_view source = "FFTW (Frigo and Johnson 2005)";
  using operations = OperationList<Fft<double>>;
  static constexpr bool parallel = true;

  static std::string unavailable() { return fftw_reason(); }
  static bool supports(const Shape& shape) { return fits_fftw(shape); }
  static void prepare(const Shape& shape, int threads, Planning planning) {
    fftw_prepare(shape["n"], threads, planning);
  }
  static std::string runs_as(const Shape& shape, int threads) { return fftw_runs_as(shape["n"], threads); }

  template <class Args>
  static void call(const Launch& launch, const Args& args, const Params&) {
    fftw_transform(args, launch.threads);
  }
};

}  // namespace tallcache::cpu::peers
