#include "cpu/stencil/updates.hpp"

namespace tallcache::cpu::stencil {
template <class T, int d, int reach, class Update, class Access>
UpdateRow<T, d, reach, Update, Access> CompiledRows::update() {
  return VectorRows::update<T, d, reach, Update, Access>();
}
TALLCACHE_STENCIL_ROWS(, double)
}  // namespace tallcache::cpu::stencil
