#include "cpu/stencil/rows.hpp"

namespace tallcache::cpu::stencil {
TALLCACHE_STENCIL_ROWS(float, Traced<AnySink>)
}  // namespace tallcache::cpu::stencil
