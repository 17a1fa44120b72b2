#include "cpu/peers/fftw.hpp"

#include <dlfcn.h>

#include <climits>
#include <map>
#include <string>
#include <tuple>

namespace tallcache::cpu::peers {
namespace {

using Number = double[2];  // fftw_complex of fftw3.h, as are these:
constexpr int forward = -1;
constexpr unsigned measure = 0, unaligned = 1u << 1, preserve_input = 1u << 4;
constexpr double seconds_to_plan = 10;

struct Library {
  std::string reason;
  void* (*malloc)(std::size_t) = nullptr;
  void (*free)(void*) = nullptr;
  int (*alignment_of)(double*) = nullptr;
  void (*set_timelimit)(double) = nullptr;
  void* (*plan)(int n, Number* in, Number* out, int sign, unsigned flags) = nullptr;
  void (*execute)(const void* plan, Number* in, Number* out) = nullptr;
  void (*plan_with_nthreads)(int) = nullptr;

  Library() {
    void* serial = dlopen("libfftw3.so.3", RTLD_NOW | RTLD_GLOBAL);
    void* threads = serial ? dlopen("libfftw3_threads.so.3", RTLD_NOW | RTLD_LOCAL) : nullptr;
    if (!threads) {
      const char* message = dlerror();
      reason = std::string("no libfftw3.so.3 with threads (package libfftw3-double3)") +
               (serial && message ? std::string(": ") + message : "");
      return;
    }
    int (*init_threads)() = nullptr;
    const bool complete =
        find(serial, "fftw_malloc", malloc) && find(serial, "fftw_free", free) &&
        find(serial, "fftw_alignment_of", alignment_of) &&
        find(serial, "fftw_set_timelimit", set_timelimit) && find(serial, "fftw_plan_dft_1d", plan) &&
        find(serial, "fftw_execute_dft", execute) && find(threads, "fftw_init_threads", init_threads) &&
        find(threads, "fftw_plan_with_nthreads", plan_with_nthreads);
    if (!complete)
      reason = "libfftw3.so.3 lacks a function of FFTW 3.3";
    else if (!init_threads())
      reason = "fftw_init_threads failed";
    else
      set_timelimit(seconds_to_plan);
  }

  template <class Function>
  static bool find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function;
  }
};

const Library& library() {
  static const Library loaded;
  return loaded;
}

Number* numbers(const std::complex<double>* data) {
  return reinterpret_cast<Number*>(const_cast<std::complex<double>*>(data));
}

/// Planning by measurement overwrites its arrays, so it gets arrays of its own.
const void* plan_for(const Fft::Args<>& args, int threads) {
  const Library& fftw = library();
  const bool aligned =
      fftw.alignment_of(*numbers(args.in.data)) == 0 && fftw.alignment_of(*numbers(args.out.data)) == 0;
  static std::map<std::tuple<Index, int, bool>, const void*> plans;
  const void*& plan = plans[{args.in.size, threads, aligned}];
  if (plan) return plan;
  const std::size_t bytes = static_cast<std::size_t>(args.in.size) * sizeof(Number);
  auto *in = static_cast<Number*>(fftw.malloc(bytes)), *out = static_cast<Number*>(fftw.malloc(bytes));
  if (in && out) {
    fftw.plan_with_nthreads(threads);
    plan = fftw.plan(static_cast<int>(args.in.size), in, out, forward,
                     measure | preserve_input | (aligned ? 0 : unaligned));
  }
  fftw.free(in);
  fftw.free(out);
  if (!plan) throw Error("fftw: no plan for " + std::to_string(args.in.size) + " numbers");
  return plan;
}

}  // namespace

const std::string& fftw_reason() { return library().reason; }

bool fits_fftw(const Shape& shape) { return shape["n"] <= INT_MAX; }

void fftw_prepare(const Fft::Args<>& args, int threads) {
  if (args.in.size) plan_for(args, threads);
}

void fftw_transform(const Fft::Args<>& args, int threads) {
  if (args.in.size) library().execute(plan_for(args, threads), numbers(args.in.data), numbers(args.out.data));
}

}  // namespace tallcache::cpu::peers
