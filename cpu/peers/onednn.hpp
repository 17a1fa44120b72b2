// oneDNN's product of bfloat16 matrices, loaded at run time, with the instruction set that is the fastest
// here.
#pragma once

#include <string>

#include "common/ops/matmul.hpp"
#include "common/variant.hpp"

namespace tallcache::cpu::peers {

/// Why it cannot be used; empty when it can.
const std::string& onednn_reason();

/// Its instruction set and how the others did: "own choice (AVX512_CORE takes 2.3x)"; the first call measures
/// them.
const std::string& onednn_instructions();

/// C = A B on `threads` threads. Throws Error with oneDNN's status when it fails.
void onednn_product(const Matmul<Bfloat16>::Args<>& args, int threads);

struct onednn {
  static constexpr std::string_view idea =
      "dnnl_gemm_bf16bf16f32: AMX tiles, AVX-512 BF16 or wider vectors, whichever is the fastest here "
      "(ONEDNN_MAX_CPU_ISA)";
  static constexpr std::string_view source = "oneDNN";
  using operations = OperationList<Matmul<Bfloat16>>;
  static constexpr bool parallel = true;

  static std::string unavailable() { return onednn_reason(); }
  static void prepare() { onednn_instructions(); }
  static std::string runs_as() { return onednn_instructions(); }

  static void call(const Launch& launch, const Matmul<Bfloat16>::Args<>& args, const Params&) {
    onednn_product(args, launch.threads);
  }
};

}  // namespace tallcache::cpu::peers
