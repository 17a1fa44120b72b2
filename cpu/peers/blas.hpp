// The BLAS libraries of this machine. Each configuration is a copy of its own in this process.
//
// OpenBLAS and BLIS export the same CBLAS symbols and choose their kernels once, from the environment, when
// they are loaded. Every configuration is therefore loaded with dlopen from an anonymous copy of the
// installed file, with local symbols and with its environment variable set. Nothing is linked. A missing
// library is reported with a reason.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "common/ops/lu.hpp"
#include "common/ops/matmul_bt.hpp"
#include "common/ops/transpose.hpp"
#include "common/variant.hpp"

namespace tallcache::cpu::peers {

/// A library to load: its names, best first, the subfolders in which distributions install its builds, the
/// package to install when it is missing, and the kernels to select (empty: its own choice).
struct BlasSource {
  std::vector<std::string> sonames, folders;
  std::string package, core{};
};

/// A loaded library, or the reason why there is none. It stays loaded until the process ends. Only one thread
/// may call it at a time: the number of threads is the library's global state.
class Blas {
 public:
  /// Loads `source` from the folders that the dynamic loader searches (LD_LIBRARY_PATH first), and their
  /// subfolders. Does not throw for a library that is missing or cannot be loaded: see reason().
  explicit Blas(const BlasSource& source);
  Blas(const Blas&) = delete;
  Blas& operator=(const Blas&) = delete;

  /// Why it cannot be used; empty when it can.
  const std::string& reason() const { return reason_; }
  /// The file that was copied, and the kernels that it runs, as the library names them.
  const std::string& path() const { return path_; }
  const std::string& core() const { return core_; }

  /// C = A B on `threads` threads. C is not read (beta = 0); k = 0 gives C = 0. Throws Error when a size or a
  /// leading dimension exceeds the library's 32-bit integers.
  void gemm(const Matmul<double>::Args<>& args, int threads);
  void gemm(const Matmul<float>::Args<>& args, int threads);
  /// The same with the transpose of B.
  void gemm(const MatmulBt<double>::Args<>& args, int threads);
  void gemm(const MatmulBt<float>::Args<>& args, int threads);

  /// Why it cannot factor(): it cannot be used at all, or was built without LAPACK; empty when it can.
  std::string no_factor() const;

  /// The decomposition P A = L U on `threads` threads by LAPACK's getrf. LAPACK stores matrices by
  /// columns, so it factors the transpose of the row-major args.a. Throws Error when the matrix is
  /// singular, and as gemm.
  void factor(const LuPivot<double>::Args<>& args, int threads);
  void factor(const LuPivot<float>::Args<>& args, int threads);

  /// B = A^T on one thread: the library has no parallel version. Throws Error as gemm.
  void transpose(const Transpose<double>::Args<>& args) const;
  void transpose(const Transpose<float>::Args<>& args) const;

 private:
  template <class T>
  using Gemm = void (*)(int order, int trans_a, int trans_b, int m, int n, int k, T alpha, const T* a,
                        int lda, const T* b, int ldb, T beta, T* c, int ldc);
  template <class T>
  using OmatCopy = void (*)(int order, int trans, int rows, int cols, T alpha, const T* a, int lda, T* b,
                            int ldb);
  template <class T>
  using Getrf = void (*)(const int* m, const int* n, T* a, const int* lda, int* ipiv, int* info);
  void load(const BlasSource& source);
  void choose_blis_core(void* library, const std::string& core);
  void set_threads(int threads);
  template <class Args, class T>
  void gemm(const Args& args, int threads, Gemm<T> function);

  template <class Args, class T>
  void factor(const Args& args, int threads, Getrf<T> function);

  std::string reason_, path_, core_;
  Gemm<double> dgemm_ = nullptr;
  Gemm<float> sgemm_ = nullptr;
  Getrf<double> dgetrf_ = nullptr;
  Getrf<float> sgetrf_ = nullptr;
  OmatCopy<double> domatcopy_ = nullptr;
  OmatCopy<float> somatcopy_ = nullptr;
  void (*openblas_threads_)(int) = nullptr;
  void (*blis_threads_)(std::ptrdiff_t) = nullptr;
  int threads_ = 0;
};

/// The two libraries with kernels of this name; empty: with their own choice.
BlasSource openblas_source(std::string core = {});
BlasSource blis_source(std::string core = {});

/// Of a library with its own choice of kernels, and with those of other names, the one whose products were
/// the fastest on one thread. The others stay loaded.
class FastestBlas {
 public:
  /// Measures, where there is a choice. `installed` outlives this; a core that the build lacks is left out.
  FastestBlas(Blas& installed, std::span<const std::string> cores,
              const std::function<BlasSource(std::string)>& source);

  Blas& blas() const { return *blas_; }
  /// Its kernels and how the others did: "SkylakeX (Prescott takes 1.8x)".
  const std::string& text() const { return text_; }

 private:
  Blas* blas_;
  std::vector<std::unique_ptr<Blas>> others_;
  std::string text_;
};

/// The two libraries as installed, loaded at the first call.
Blas& openblas_library();
Blas& blis_library();

/// The same with the fastest kernels; the first call measures them.
const FastestBlas& fastest_openblas();
const FastestBlas& fastest_blis();

/// Whether the sizes of `shape` fit the 32-bit integers of CBLAS.
bool fits_cblas(const Shape& shape);

/// The product by a BLAS library with the kernels that it chooses.
template <Blas& (*library)()>
struct installed_product {
  using operations = OperationList<Matmul<double>, Matmul<float>, MatmulBt<double>, MatmulBt<float>>;
  static constexpr bool parallel = true;
  static std::string unavailable() { return library().reason(); }
  static bool supports(const Shape& shape) { return fits_cblas(shape); }
  static void prepare() { library(); }
  static std::string runs_as() { return library().core(); }
  template <class Args>
  static void call(const Launch& launch, const Args& args, const Params&) {
    library().gemm(args, launch.threads);
  }
};

/// The product by the fastest kernels of a BLAS library.
template <Blas& (*library)(), const FastestBlas& (*fastest)()>
struct fastest_product : installed_product<library> {
  static void prepare() { fastest(); }
  static std::string runs_as() { return fastest().text(); }
  template <class Args>
  static void call(const Launch& launch, const Args& args, const Params&) {
    fastest().blas().gemm(args, launch.threads);
  }
};

}  // namespace tallcache::cpu::peers
