#include "cpu/stencil/rows.hpp"

namespace tallcache::cpu::stencil {
TALLCACHE_STENCIL_ROWS(float)
}  // namespace tallcache::cpu::stencil
