// FFTW 3, loaded at run time.
#pragma once

#include <string>

#include "common/ops/fft.hpp"
#include "common/variant.hpp"

namespace tallcache::cpu::peers {

/// Why it cannot be used; empty when it can.
const std::string& fftw_reason();

/// Whether the size fits FFTW's int.
bool fits_fftw(const Shape& shape);

/// Makes the plan for this size and this number of threads and keeps it. It is measured, for 10 s at most.
/// Throws Error when FFTW makes none.
void fftw_prepare(const Fft::Args<>& args, int threads);

/// The transform by the plan that fftw_prepare made.
void fftw_transform(const Fft::Args<>& args, int threads);

struct fftw {
  static constexpr std::string_view idea =
      "fftw_plan_dft_1d, measured (FFTW_MEASURE, up to 10 s); planning is not timed";
  static constexpr std::string_view source = "FFTW (Frigo and Johnson 2005)";
  using operations = OperationList<Fft>;
  static constexpr PhaseSpec phases[] = {{"plan", false}, {"transform"}};
  static constexpr bool parallel = true;

  static std::string unavailable() { return fftw_reason(); }
  static bool supports(const Shape& shape) { return fits_fftw(shape); }

  template <std::size_t phase, class Args>
  static void call(const Launch& launch, const Args& args, const Params&) {
    if constexpr (phase == 0)
      fftw_prepare(args, launch.threads);
    else
      fftw_transform(args, launch.threads);
  }
};

}  // namespace tallcache::cpu::peers
