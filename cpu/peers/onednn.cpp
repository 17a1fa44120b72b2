#include "cpu/peers/onednn.hpp"

#include <dlfcn.h>

namespace tallcache::cpu::peers {
namespace {

struct Library {
  std::string reason;
  // Row-major, as dnnl_sgemm of dnnl.h; the header does not declare it.
  int (*gemm)(char trans_a, char trans_b, std::int64_t m, std::int64_t n, std::int64_t k, float alpha,
              const std::uint16_t* a, std::int64_t lda, const std::uint16_t* b, std::int64_t ldb, float beta,
              float* c, std::int64_t ldc) = nullptr;
  void (*set_threads)(int) = nullptr;

  Library() {
    void* library = nullptr;
    for (const char* soname : {"libdnnl.so.3", "libdnnl.so.2"})
      if (!library) library = dlopen(soname, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      reason = "no libdnnl.so.3 or libdnnl.so.2 (package libdnnl2)";
      return;
    }
    gemm = reinterpret_cast<decltype(gemm)>(dlsym(library, "dnnl_gemm_bf16bf16f32"));
    // Of the OpenMP that the library is linked with.
    set_threads = reinterpret_cast<decltype(set_threads)>(dlsym(library, "omp_set_num_threads"));
    if (!gemm || !set_threads) reason = "libdnnl.so lacks dnnl_gemm_bf16bf16f32 or OpenMP";
  }
};

const Library& library() {
  static const Library loaded;
  return loaded;
}

}  // namespace

const std::string& onednn_reason() { return library().reason; }

void onednn_product(const Matmul<Bfloat16>::Args<>& args, int threads) {
  const auto& [c, a, b, scratch] = args;
  if (c.rows == 0 || c.cols == 0) return;
  if (a.cols == 0) return zero(c);
  library().set_threads(threads);
  const int status = library().gemm('N', 'N', c.rows, c.cols, a.cols, 1, &a.data->bits, a.ld, &b.data->bits,
                                    b.ld, 0, c.data, c.ld);
  if (status != 0) throw Error("dnnl_gemm_bf16bf16f32: status " + std::to_string(status));
}

}  // namespace tallcache::cpu::peers
