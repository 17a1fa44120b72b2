// oneDNN's product of bfloat16 matrices, loaded at run time.
#pragma once

#include <string>

#include "common/ops/matmul.hpp"
#include "common/variant.hpp"

namespace tallcache::cpu::peers {

/// Why it cannot be used; empty when it can.
const std::string& onednn_reason();

/// C = A B on `threads` threads. Throws Error with oneDNN's status when it fails.
void onednn_product(const Matmul<Bfloat16>::Args<>& args, int threads);

struct onednn {
  static constexpr std::string_view idea =
      "dnnl_gemm_bf16bf16f32: oneDNN's choice of AMX tiles, AVX-512 BF16 or wider vectors";
  static constexpr std::string_view source = "oneDNN";
  using operations = OperationList<Matmul<Bfloat16>>;
  static constexpr bool parallel = true;

  static std::string unavailable() { return onednn_reason(); }

  static void call(const Launch& launch, const Matmul<Bfloat16>::Args<>& args, const Params&) {
    onednn_product(args, launch.threads);
  }
};

}  // namespace tallcache::cpu::peers
