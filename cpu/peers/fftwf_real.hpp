// FFTW 3 of real floats.
#pragma once

#include "cpu/peers/fftw.hpp"

namespace tallcache::cpu::peers {

struct fftwf_real : RealFftw<float> {
  static constexpr std::string_view idea =
      "fftwf_plan_dft_r2c_1d, measured (FFTW_MEASURE up to 10 s, or with patience); planning is not timed";
};

}  // namespace tallcache::cpu::peers
