#include "cpu/matmul/amx_kernel.hpp"

#include "common/amx.hpp"
#include "common/error.hpp"

#ifdef TALLCACHE_AMX
#define TALLCACHE_TILE_TARGET TALLCACHE_AMX
#include "cpu/matmul/tile_product.hpp"
#endif

namespace tallcache::cpu::matmul {

#ifdef TALLCACHE_AMX
const RegisterKernel<Bfloat16>& amx_kernel() { return TileProduct<AmxTiles>::kernel; }
#else
const RegisterKernel<Bfloat16>& amx_kernel() { throw Error(amx_unavailable(), Status::unavailable); }
#endif

}  // namespace tallcache::cpu::matmul
