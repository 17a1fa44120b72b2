#include "cpu/stencil/rows.hpp"

namespace tallcache::cpu::stencil {
TALLCACHE_STENCIL_ROWS(double, Traced<AnySink>)
}  // namespace tallcache::cpu::stencil
