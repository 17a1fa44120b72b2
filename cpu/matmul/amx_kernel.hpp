// The register kernel of the product in bfloat16 on the tile registers of Intel's AMX.
#pragma once

#include "cpu/matmul/register_kernel.hpp"

namespace tallcache::cpu::matmul {

/// Tiles of 32 x 32 floats in four tile registers (tile_product.hpp). It runs where amx_unavailable() is
/// empty. Throws Error where the program is not compiled for x86-64.
const RegisterKernel<Bfloat16>& amx_kernel();

}  // namespace tallcache::cpu::matmul
