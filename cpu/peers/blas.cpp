#include "cpu/peers/blas.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <climits>
#include <filesystem>
#include <memory>
#include <optional>

#include "cpu/peers/fastest.hpp"
#include "cpu/peers/shared_library.hpp"

namespace tallcache::cpu::peers {
namespace {

constexpr int row_major = 101, no_trans = 111, trans = 112;  // the values of cblas.h

/// The installed file, or empty. The builds in subfolders come first: the name outside of them is a link that
/// the administrator may have changed to another build, and that does not exist in an unpacked package.
std::string installed_file(const BlasSource& source) {
  for (const std::string& folder : loader_folders())
    for (const std::string& soname : source.sonames) {
      std::error_code none;
      for (const std::string& build : source.folders)
        if (const auto path = std::filesystem::path(folder) / build / soname;
            std::filesystem::exists(path, none))
          return path;
      if (const auto path = std::filesystem::path(folder) / soname; std::filesystem::exists(path, none))
        return path;
    }
  // Folders that only the loader's cache knows, such as /usr/local/lib.
  for (const std::string& soname : source.sonames)
    if (void* library = dlopen(soname.c_str(), RTLD_LAZY | RTLD_LOCAL)) {
      const std::string path = file_of(library);
      dlclose(library);
      return path;
    }
  return {};
}

/// Whether `action` returns true. It runs in a child process, because it may abort.
template <class Action>
bool succeeds_in_child(Action action) {
  const pid_t child = fork();
  if (child < 0) return false;
  if (child == 0) {
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
    _exit(action() ? 0 : 1);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// The kernels for AVX-512 and for AVX2, as far as this processor can execute them.
std::vector<std::string> usable_cores([[maybe_unused]] std::array<const char*, 2> avx512_and_avx2) {
  std::vector<std::string> cores;
#ifdef __x86_64__
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512cd"))
    cores.emplace_back(avx512_and_avx2[0]);
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) cores.emplace_back(avx512_and_avx2[1]);
#endif
  return cores;
}

/// A product of doubles and one of floats, which the libraries are measured by.
class Products {
 public:
  double seconds(Blas& blas) const {
    const auto start = std::chrono::steady_clock::now();
    product(blas, doubles_);
    product(blas, floats_);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

 private:
  static constexpr Index n = 384;

  template <class T>
  static void product(Blas& blas, const std::vector<T>& values) {
    std::vector<T> c(n * n);
    blas.gemm(
        typename Matmul<T>::template Args<>{
            {c.data(), n, n, n}, {values.data(), n, n, n}, {values.data(), n, n, n}},
        1);
  }

  std::vector<double> doubles_ = std::vector<double>(n * n, 0.5);
  std::vector<float> floats_ = std::vector<float>(n * n, 0.5f);
};

int to_int(Index value, const char* what) {
  if (value > INT_MAX)
    throw Error(std::string("cblas: ") + what + " " + std::to_string(value) + " exceeds its 32-bit integers");
  return static_cast<int>(value);
}

template <class View>
int leading_dimension(const View& view) {
  return to_int(std::max<Index>(1, view.ld), "leading dimension");
}

template <class Args, class Function>
void transpose_by(const Args& args, Function function) {
  const auto& [b, a, scratch] = args;
  if (a.rows == 0 || a.cols == 0) return;
  function(row_major, trans, to_int(a.rows, "rows"), to_int(a.cols, "columns"), 1, a.data,
           leading_dimension(a), b.data, leading_dimension(b));
}

}  // namespace

Blas::Blas(const BlasSource& source) {
  try {
    load(source);
  } catch (const Error& error) {
    reason_ = error.what();
  }
}

void Blas::load(const BlasSource& source) {
  path_ = installed_file(source);
  if (path_.empty()) throw Error("no " + source.sonames.front() + " (package " + source.package + ")");
  // One thread until set_threads asks for more: OpenBLAS would otherwise start one thread a processor for
  // each copy.
  const ScopedVariable one_thread("OPENBLAS_NUM_THREADS", "1");
  std::optional<ScopedVariable> core;
  if (!source.core.empty()) core.emplace("OPENBLAS_CORETYPE", source.core);
  void* const library = load_copy(path_);
  find(library, "cblas_dgemm", dgemm_);
  find(library, "cblas_sgemm", sgemm_);
  find(library, "dgetrf_", dgetrf_);
  find(library, "sgetrf_", sgetrf_);
  find(library, "cblas_domatcopy", domatcopy_);
  find(library, "cblas_somatcopy", somatcopy_);
  find(library, "openblas_set_num_threads", openblas_threads_);
  find(library, "bli_thread_set_num_threads", blis_threads_);
  if (!dgemm_ || !sgemm_) throw Error(path_ + " has no cblas_dgemm or cblas_sgemm");
  char* (*corename)() = nullptr;
  find(library, "openblas_get_corename", corename);
  if (corename && openblas_threads_ && domatcopy_ && somatcopy_)
    core_ = corename();
  else if (blis_threads_)
    choose_blis_core(library, source.core);
  else
    throw Error(path_ + " is neither OpenBLAS nor BLIS");
}

/// BLIS takes the number of its kernels at its first use. The number differs from release to release, and
/// BLIS aborts when the kernels are not in this build.
void Blas::choose_blis_core(void* library, const std::string& core) {
  const char* (*name_of)(int) = nullptr;
  int (*current)() = nullptr;
  find(library, "bli_arch_string", name_of);
  find(library, "bli_arch_query_id", current);
  if (!name_of || !current) throw Error(path_ + " does not tell its kernels");
  const auto initialise = [&] {
    set_threads(1);  // a query before any other call aborts when the variable is set
    return std::string_view(name_of(current()));
  };
  std::optional<ScopedVariable> variable;
  if (!core.empty()) {
    int number = 0;
    while (name_of(number) != core) {
      if (name_of(number) == std::string_view("generic")) throw Error(path_ + " has no kernels " + core);
      ++number;
    }
    variable.emplace("BLIS_ARCH_TYPE", std::to_string(number));
    if (!succeeds_in_child([&] { return initialise() == core; }))
      throw Error(path_ + " was built without the kernels " + core);
  }
  core_ = initialise();
}

void Blas::set_threads(int threads) {
  if (threads == threads_) return;
  if (openblas_threads_)
    openblas_threads_(threads);
  else
    blis_threads_(threads);
  threads_ = threads;
}

template <class Args, class T>
void Blas::gemm(const Args& args, int threads, Gemm<T> function) {
  const auto& [c, a, b, scratch] = args;  // b: the transpose of B in MatmulBt
  constexpr int trans_b = requires { args.bt; }
  ? trans : no_trans;
  const int m = to_int(c.rows, "rows"), n = to_int(c.cols, "columns"), k = to_int(a.cols, "columns");
  const int lda = leading_dimension(a), ldb = leading_dimension(b), ldc = leading_dimension(c);
  set_threads(threads);
  function(row_major, no_trans, trans_b, m, n, k, 1, a.data, lda, b.data, ldb, 0, c.data, ldc);
}

std::string Blas::no_factor() const {
  return !reason_.empty() || (dgetrf_ && sgetrf_) ? reason_ : path_ + " has no dgetrf_ or sgetrf_";
}

template <class Args, class T>
void Blas::factor(const Args& args, int threads, Getrf<T> function) {
  const auto& [a, exchanges, scratch] = args;
  const int n = to_int(a.rows, "rows"), ld = leading_dimension(a);
  int info = 0;
  set_threads(threads);
  function(&n, &n, a.data, &ld, exchanges.data, &info);
  if (info > 0) throw_unusable_pivot("lu_pivot", info - 1, a(info - 1, info - 1));
  for (Index i = 0; i < n; ++i) --exchanges[i];  // LAPACK counts from 1
}

void Blas::factor(const LuPivot<double>::Args<>& args, int threads) { factor(args, threads, dgetrf_); }
void Blas::factor(const LuPivot<float>::Args<>& args, int threads) { factor(args, threads, sgetrf_); }
void Blas::gemm(const Matmul<double>::Args<>& args, int threads) { gemm(args, threads, dgemm_); }
void Blas::gemm(const Matmul<float>::Args<>& args, int threads) { gemm(args, threads, sgemm_); }
void Blas::gemm(const MatmulBt<double>::Args<>& args, int threads) { gemm(args, threads, dgemm_); }
void Blas::gemm(const MatmulBt<float>::Args<>& args, int threads) { gemm(args, threads, sgemm_); }
void Blas::transpose(const Transpose<double>::Args<>& args) const { transpose_by(args, domatcopy_); }
void Blas::transpose(const Transpose<float>::Args<>& args) const { transpose_by(args, somatcopy_); }

BlasSource openblas_source(std::string core) {
  return {.sonames = {"libopenblas.so.0"},
          .folders = {"openblas-pthread", "openblas-serial", "openblas-openmp"},
          .package = "libopenblas0-pthread",
          .core = std::move(core)};
}

BlasSource blis_source(std::string core) {
  return {.sonames = {"libblis.so.4", "libblis.so.3"},
          .folders = {"blis-pthread", "blis-serial", "blis-openmp"},
          .package = "libblis4-pthread",
          .core = std::move(core)};
}

FastestBlas::FastestBlas(Blas& installed, std::span<const std::string> cores,
                         const std::function<BlasSource(std::string)>& source)
    : blas_(&installed) {
  if (!installed.reason().empty()) return;
  std::vector<Blas*> all{&installed};
  for (const std::string& core : cores)
    if (core != installed.core()) {
      auto blas = std::make_unique<Blas>(source(core));
      if (!blas->reason().empty()) continue;  // a build without these kernels
      all.push_back(blas.get());
      others_.push_back(std::move(blas));
    }
  const Products products;
  std::vector<Way> ways;
  for (Blas* blas : all)
    ways.push_back({blas->core(), [&products, blas] { return products.seconds(*blas); }});
  const Fastest found = fastest(ways);
  blas_ = all[found.index];
  text_ = found.text;
}

Blas& openblas_library() {
  static Blas installed(openblas_source());
  return installed;
}

Blas& blis_library() {
  static Blas installed(blis_source());
  return installed;
}

const FastestBlas& fastest_openblas() {
  static const FastestBlas fastest(openblas_library(), usable_cores({"SkylakeX", "Haswell"}),
                                   openblas_source);
  return fastest;
}

const FastestBlas& fastest_blis() {
  static const FastestBlas fastest(blis_library(), usable_cores({"skx", "haswell"}), blis_source);
  return fastest;
}

bool fits_cblas(const Shape& shape) {
  const Index pad = shape["pad"];
  return std::ranges::all_of(shape, [pad](const auto& size) { return size.value <= INT_MAX - pad; });
}

}  // namespace tallcache::cpu::peers
