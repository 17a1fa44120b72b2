#include "cpu/peers/onednn.hpp"

#include <dlfcn.h>

#include <chrono>
#include <memory>
#include <vector>

#include "common/amx.hpp"
#include "cpu/peers/fastest.hpp"
#include "cpu/peers/shared_library.hpp"

namespace tallcache::cpu::peers {
namespace {

// A copy of oneDNN, which takes its instruction set from the environment at its first use.
class Library {
 public:
  /// `instructions`: a value of ONEDNN_MAX_CPU_ISA; empty: its own choice.
  explicit Library(const std::string& instructions) {
    void* installed = nullptr;
    for (const char* soname : {"libdnnl.so.3", "libdnnl.so.2"})
      if (!installed) installed = dlopen(soname, RTLD_NOW | RTLD_LOCAL);
    if (!installed) throw Error("no libdnnl.so.3 or libdnnl.so.2 (package libdnnl2)");
    std::optional<ScopedVariable> variable;
    if (!instructions.empty()) variable.emplace("ONEDNN_MAX_CPU_ISA", instructions);
    void* const library = instructions.empty() ? installed : load_copy(file_of(installed));
    // The threads are those of the OpenMP that the library is linked with.
    if (!find(library, "dnnl_gemm_bf16bf16f32", gemm_) || !find(library, "omp_set_num_threads", set_threads_))
      throw Error("libdnnl.so lacks dnnl_gemm_bf16bf16f32 or OpenMP");
    const Bfloat16 one(1);
    float sum = 0;
    if (product({{&sum, 1, 1, 1}, {&one, 1, 1, 1}, {&one, 1, 1, 1}}, 1) != 0)
      throw Error("oneDNN has no product of bfloat16 for this processor: it needs AVX-512");
  }

  /// oneDNN's status.
  int product(const Matmul<Bfloat16>::Args<>& args, int threads) const {
    const auto& [c, a, b, scratch] = args;
    set_threads_(threads);
    return gemm_('N', 'N', c.rows, c.cols, a.cols, 1, &a.data->bits, a.ld, &b.data->bits, b.ld, 0, c.data,
                 c.ld);
  }

 private:
  // Row-major, as dnnl_sgemm of dnnl.h; the header does not declare it.
  int (*gemm_)(char trans_a, char trans_b, std::int64_t m, std::int64_t n, std::int64_t k, float alpha,
               const std::uint16_t* a, std::int64_t lda, const std::uint16_t* b, std::int64_t ldb, float beta,
               float* c, std::int64_t ldc) = nullptr;
  void (*set_threads_)(int) = nullptr;
};

struct Installed {
  std::unique_ptr<Library> library;
  std::string reason;
  Installed() {
    try {
      library = std::make_unique<Library>("");
    } catch (const Error& error) {
      reason = error.what();
    }
  }
};

const Installed& installed() {
  static const Installed loaded;
  return loaded;
}

// The instruction sets with a product of bfloat16 that are narrower than its own choice.
std::vector<std::string> narrower() {
  std::vector<std::string> names;
#ifdef __x86_64__
  __builtin_cpu_init();
  if (has_amx()) names.emplace_back("AVX512_CORE_BF16");
  if (__builtin_cpu_supports("avx512bf16")) names.emplace_back("AVX512_CORE");
#endif
  return names;
}

struct Chosen {
  const Library* library = installed().library.get();
  std::vector<std::unique_ptr<Library>> others{};
  std::string text{};

  Chosen() {
    std::vector<std::string> names{"own choice"};
    std::vector<const Library*> all{library};
    for (std::string& name : narrower()) {
      try {
        all.push_back(others.emplace_back(std::make_unique<Library>(name)).get());
        names.push_back(std::move(name));
      } catch (const Error&) {  // one less to choose from
      }
    }
    constexpr Index n = 512;
    const std::vector<Bfloat16> factor(n * n, Bfloat16(0.5f));
    std::vector<float> c(n * n);
    std::vector<Way> ways;
    for (std::size_t i = 0; i < all.size(); ++i)
      ways.push_back(
          {names[i], [&, i] {
             const auto start = std::chrono::steady_clock::now();
             all[i]->product({{c.data(), n, n, n}, {factor.data(), n, n, n}, {factor.data(), n, n, n}}, 1);
             return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
           }});
    const Fastest found = fastest(ways);
    library = all[found.index];
    text = found.text;
  }
};

const Chosen& chosen() {
  static const Chosen made;
  return made;
}

}  // namespace

const std::string& onednn_reason() { return installed().reason; }
const std::string& onednn_instructions() { return chosen().text; }

void onednn_product(const Matmul<Bfloat16>::Args<>& args, int threads) {
  if (args.c.rows == 0 || args.c.cols == 0) return;
  if (args.a.cols == 0) return zero(args.c);
  if (const int status = chosen().library->product(args, threads); status != 0)
    throw Error("dnnl_gemm_bf16bf16f32: status " + std::to_string(status));
}

}  // namespace tallcache::cpu::peers
