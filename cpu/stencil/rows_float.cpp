#include "cpu/stencil/rows.hpp"

namespace tallcache::cpu::stencil {
TALLCACHE_STENCIL_ROWS(float, Plain)
}  // namespace tallcache::cpu::stencil
