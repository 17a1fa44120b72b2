// What the suites of matrix products on the CPU share.
#pragma once

#include "bench/suites/suite.hpp"

namespace tallcache {

/// The fastest product beside the libraries at their best; the suite adds its cases.
inline PeerComparison products_of(std::string_view element) {
  return {.element = element,
          .variant = "recursive_packed",
          .share = {SpeedShare::Of::limit, "of the FMA peak"},
          // As they are installed; at their best they are no slower.
          .without = {"openblas", "blis"},
          .smoke = {{"m", 65}, {"n", 65}, {"k", 33}}};
}

}  // namespace tallcache
