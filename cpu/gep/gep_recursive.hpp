// I-GEP for shortest paths: the recursion in place. A sum may have a state of a later step than the loops
// would give it, which is the weight of a path as well: whole weights are those of the loops, rounded ones
// may differ from them by rounding.
#pragma once

#include "cpu/gep/paths_recursion.hpp"

namespace tallcache::cpu::gep {

struct gep_recursive : PathsRecursion<States::in_place> {
  static constexpr std::string_view idea =
      "I-GEP: by quadrants along the diagonal, rows, columns and the interior; leaves in registers";
  using operations = OperationList<ShortestPaths<float>, ShortestPaths<std::int32_t>>;
};

}  // namespace tallcache::cpu::gep
