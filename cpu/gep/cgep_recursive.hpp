// C-GEP for shortest paths: the recursion with the states that its leaves read saved at the loops' steps. All
// sums are those of the loops, and so are all bytes; predecessors are valid where cycles weigh 0.
#pragma once

#include "cpu/gep/paths_recursion.hpp"

namespace tallcache::cpu::gep {

struct cgep_recursive : PathsRecursion<States::saved> {
  static constexpr std::string_view idea =
      "C-GEP: the recursion on saved rows and columns, every sum that of the loops";
  using operations = OperationList<ShortestPaths<float>, ShortestPaths<std::int32_t>,
                                   ShortestPathTrees<float>, ShortestPathTrees<std::int32_t>>;
};

}  // namespace tallcache::cpu::gep
