// What the comparisons of Fourier transforms with libraries have in common.
#pragma once

#include "bench/suites/suite.hpp"

namespace tallcache {

/// Of a variant, without cases yet. `real`: the type of the parts.
inline PeerComparison fft_peers(std::string_view element, std::string_view real, std::string_view variant,
                                const Shape& smoke, std::string_view backend = "cpu") {
  return {.element = element,
          .variant = variant,
          .share = {.of = SpeedShare::Of::limit, .title = "of the FMA peak", .element = real},
          .smoke = smoke,
          .backend = backend,
          .mean = true};
}

}  // namespace tallcache
