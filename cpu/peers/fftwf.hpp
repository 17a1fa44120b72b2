// FFTW 3 of floats.
#pragma once

#include "cpu/peers/fftw.hpp"

namespace tallcache::cpu::peers {

struct fftwf : ComplexFftw<float> {
  static constexpr std::string_view idea =
      "fftwf_plan_many_dft, measured (FFTW_MEASURE up to 10 s, or with patience); planning is not timed";
};

}  // namespace tallcache::cpu::peers
