#include "cpu/stencil/rows.hpp"

namespace tallcache::cpu::stencil {
TALLCACHE_STENCIL_ROWS(double, Plain)
}  // namespace tallcache::cpu::stencil
