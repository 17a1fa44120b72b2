// The register kernel of the product in bfloat16 on the tile registers of Intel's AMX.
#pragma once

#include <string>

#include "cpu/matmul/register_kernel.hpp"

namespace tallcache::cpu::matmul {

/// Tiles of 32 x 32 floats in four tile registers. A packed panel of A is [k / 32][32 rows][32 steps], one of B
/// [k / 2][32 columns][2 steps]. It runs where amx_unavailable() is empty.
const RegisterKernel<Bfloat16>& amx_kernel();

/// Whether the processor has them.
bool has_amx();

/// Why this process cannot use AMX's tiles for bfloat16; empty where it can. The first call asks Linux for the
/// permission, which all threads have then.
std::string amx_unavailable();

}  // namespace tallcache::cpu::matmul
