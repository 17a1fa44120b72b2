// What a compiler made of the accesses of kernels' texts: how many instructions of which width, by line. A
// compiler merges neighbouring accesses of a lane into a wider one, which a text does not show.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "common/cache/requests.hpp"

namespace tallcache::warp {

struct CompiledAccess {
  std::string_view kernel;  ///< and its arguments, as plain views: "gpu::gemv::MultiplyRows, VectorView<...>"
  std::string_view file;
  int line;
  cache::Space space;
  cache::AccessKind kind;
  std::array<int, 5> instructions;  ///< of 1, 2, 4, 8 and 16 bytes a lane

  /// The bytes of the widest one; 0 when there is none.
  int widest() const {
    for (int i = 4; i >= 0; --i)
      if (instructions[i]) return 1 << i;
    return 0;
  }
};

struct CompiledWidths {
  std::string_view compiler, architecture;   ///< "nvcc 13.0", "sm_90a"
  std::span<const CompiledAccess> accesses;  ///< sorted by kernel
};

/// CompiledAccess::kernel of std::tuple<Kernel, Args...> with the mangled name `type`.
std::string compiled_name(const char* type);

/// The accesses of that kernel; empty when the table has none.
std::span<const CompiledAccess> accesses_of(const CompiledWidths&, std::string_view kernel);

}  // namespace tallcache::warp
