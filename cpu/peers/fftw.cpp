#include "cpu/peers/fftw.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <chrono>
#include <climits>
#include <compare>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>

#include "cpu/peers/fftw_wisdom.hpp"
#include "cpu/peers/shared_library.hpp"

namespace tallcache::cpu::peers {
namespace {

// What fftw3.h defines:
constexpr int forward = -1;
constexpr unsigned unaligned = 1u << 1, preserve_input = 1u << 4, wisdom_only = 1u << 21;
constexpr double no_limit = -1;

// How thoroughly FFTW plans, the least first.
struct Effort {
  unsigned flag;
  const char* name;
};
constexpr Effort efforts[] = {{1u << 6, "FFTW_ESTIMATE"}, {0, "FFTW_MEASURE"}, {1u << 5, "FFTW_PATIENT"}};
constexpr int estimate = 0, measure = 1, patient = 2;
constexpr Index patient_up_to = Index{1} << 16;

struct Policy {
  int effort;
  double seconds;
};
Policy policy_for(Index n, Planning planning) {
  if (planning == Planning::quick) return {measure, 10};
  return n <= patient_up_to ? Policy{patient, no_limit} : Policy{measure, 60};
}

template <class T>
struct Library {
  using Number = T[2];
  std::string reason, text;
  void* (*malloc)(std::size_t) = nullptr;
  void (*free)(void*) = nullptr;
  int (*alignment_of)(T*) = nullptr;
  void (*set_timelimit)(double) = nullptr;
  void* (*plan)(int rank, const int* n, int count, Number* in, const int* in_sizes, int in_stride,
                int in_distance, Number* out, const int* out_sizes, int out_stride, int out_distance,
                int sign, unsigned flags) = nullptr;
  void* (*plan_real)(int n, T* in, Number* out, unsigned flags) = nullptr;
  void (*destroy_plan)(void*) = nullptr;
  void (*execute)(const void* plan, Number* in, Number* out) = nullptr;
  void (*execute_real)(const void* plan, T* in, Number* out) = nullptr;
  void (*plan_with_nthreads)(int) = nullptr;
  void (*forget_wisdom)() = nullptr;
  std::optional<Wisdom> wisdom;

  Library() {
    try {
      std::string origin;
      load(open(origin), origin);
    } catch (const Error& error) {
      reason = error.what();
    }
  }

 private:
  static constexpr bool is_float = sizeof(T) == sizeof(float);
  static constexpr const char* soname = is_float ? "libfftw3f.so.3" : "libfftw3.so.3";

  // "fftw_name" in double, "fftwf_name" in float.
  template <class Symbol>
  static bool find(void* library, const char* name, Symbol& symbol) {
    return peers::find(library, fmt::format("fftw{}_{}", is_float ? "f" : "", name).c_str(), symbol);
  }

  // The build that fftw.hpp says, and what it is called.
  static void* open(std::string& origin) {
    const char* const peers = std::getenv("TALLCACHE_PEERS");
    const std::string cache = cache_folder();
    const std::string folder = peers ? peers : cache.empty() ? "" : cache + "/peers";
    const std::string file = folder + "/lib/" + soname;
    std::error_code none;
    if (!folder.empty() && (peers || std::filesystem::exists(file, none))) {
      origin = peers ? "TALLCACHE_PEERS" : "bench/setup --peers";
      if (void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
      throw Error(loader_error() + " (" + origin + ")");
    }
    origin = "the system";
    // Its threads are another library, which needs the symbols.
    if (void* const library = dlopen(soname, RTLD_NOW | RTLD_GLOBAL)) return library;
    throw Error(fmt::format("no {} (bench/setup --peers, or package libfftw3-{}3)", soname,
                            is_float ? "single" : "double"));
  }

  void load(void* library, const std::string& origin) {
    int (*init_threads)() = nullptr;
    void* threads = library;
    if (!find(library, "init_threads", init_threads)) {
      threads = dlopen(is_float ? "libfftw3f_threads.so.3" : "libfftw3_threads.so.3", RTLD_NOW | RTLD_LOCAL);
      if (!threads) throw Error(std::string(soname) + " without threads: " + loader_error());
    }
    Wisdom::Import import = nullptr;
    Wisdom::Export export_to = nullptr;
    const char *version = nullptr, *compiler = nullptr, *optimised = nullptr;
    const bool complete =
        find(library, "malloc", malloc) && find(library, "free", free) &&
        find(library, "alignment_of", alignment_of) && find(library, "set_timelimit", set_timelimit) &&
        find(library, "plan_many_dft", plan) && find(library, "plan_dft_r2c_1d", plan_real) &&
        find(library, "destroy_plan", destroy_plan) && find(library, "execute_dft", execute) &&
        find(library, "execute_dft_r2c", execute_real) && find(library, "forget_wisdom", forget_wisdom) &&
        find(library, "import_wisdom_from_filename", import) &&
        find(library, "export_wisdom_to_filename", export_to) && find(library, "version", version) &&
        find(library, "cc", compiler) && find(library, "codelet_optim", optimised) &&
        find(threads, "init_threads", init_threads) &&
        find(threads, "plan_with_nthreads", plan_with_nthreads);
    if (!complete) throw Error(std::string(soname) + " lacks a function of FFTW 3.3");
    if (!init_threads()) throw Error("fftw_init_threads failed");
    const auto file = std::filesystem::weakly_canonical(file_of(library)).filename().string();
    text = fmt::format("{}, {} of {}", version, file, origin);
    wisdom.emplace(
        wisdom_file(version, fmt::format("{}\n{}{}", compiler, optimised, is_float ? "\nfloat" : "")), import,
        export_to);
    wisdom->load();
  }
};

template <class T>
const Library<T>& library() {
  static const Library<T> loaded;
  return loaded;
}

template <class T>
T (*numbers(const std::complex<T>* data))
[2] {
  return reinterpret_cast<T(*)[2]>(const_cast<std::complex<T>*>(data));
}

// What a plan is for.
struct Key {
  FftwProblem problem;
  int threads;
  bool aligned;
  auto operator<=>(const Key&) const = default;
};

struct Plan {
  void* plan = nullptr;
  int effort = estimate;
  std::string text{};  ///< "FFTW_MEASURE, 0.52 s"
  Planning asked = Planning::quick;
};

// Planning by measurement overwrites its arrays, so it gets arrays of its own.
template <class T>
class Planner {
  using Number = T[2];

 public:
  explicit Planner(const Key& key) : key_(key) {
    const std::size_t bytes = static_cast<std::size_t>(key.problem.numbers()) * sizeof(Number);
    in_ = static_cast<Number*>(fftw_.malloc(bytes)), out_ = static_cast<Number*>(fftw_.malloc(bytes));
    fftw_.plan_with_nthreads(key.threads);
  }
  ~Planner() {
    fftw_.free(in_);
    fftw_.free(out_);
  }
  Planner(const Planner&) = delete;
  Planner& operator=(const Planner&) = delete;

  Plan make(const Policy& policy) const {
    if (!in_ || !out_) return {};
    fftw_.set_timelimit(policy.seconds);
    for (int effort = patient; effort >= policy.effort; --effort)
      if (void* const known = plan(effort, wisdom_only))
        return {known, effort, fmt::format("{}, from wisdom", efforts[effort].name)};
    const auto start = std::chrono::steady_clock::now();
    Plan made{plan(policy.effort), policy.effort};
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (!made.plan) return made;
    // A plan that the limit cut off is none that FFTW knows afterwards, but the marks that it left would keep
    // a later process from trying again.
    if (void* const known = plan(policy.effort, wisdom_only)) {
      fftw_.destroy_plan(known);
      fftw_.wisdom->save();
      made.text = fmt::format("{}, {:.2g} s", efforts[policy.effort].name, seconds);
    } else {
      fftw_.forget_wisdom();
      fftw_.wisdom->load();
      made.effort = estimate;
      made.text = fmt::format("{}, as {} took more than {} s", efforts[estimate].name,
                              efforts[policy.effort].name, policy.seconds);
    }
    return made;
  }

 private:
  void* plan(int effort, unsigned also = 0) const {
    const unsigned flags = efforts[effort].flag | preserve_input | also | (key_.aligned ? 0 : unaligned);
    const FftwProblem& p = key_.problem;
    const int rows = static_cast<int>(p.rows), n = static_cast<int>(p.n), sizes[] = {rows, n};
    if (p.real) return fftw_.plan_real(n, *in_, out_, flags);
    const int rank = rows > 1 ? 2 : 1, distance = rows * n;
    return fftw_.plan(rank, sizes + 2 - rank, static_cast<int>(p.count), in_, nullptr, 1, distance, out_,
                      nullptr, 1, distance, forward, flags);
  }

  const Library<T>& fftw_ = library<T>();
  Key key_;
  Number *in_, *out_;
};

template <class T>
std::map<Key, Plan> plans;
std::mutex plans_mutex;  // FFTW's planner is not for several threads either

// The plan that there is or, where it was made with less effort than `planning` asks for, a new one.
template <class T>
void* plan_for(const Key& key, std::optional<Planning> planning) {
  const std::scoped_lock lock(plans_mutex);
  Plan& plan = plans<T>[key];
  const Policy policy = policy_for(key.problem.numbers(), planning.value_or(Planning::quick));
  if (plan.plan && (!planning || plan.asked >= *planning || plan.effort >= policy.effort)) return plan.plan;
  Plan made = Planner<T>(key).make(policy);
  if (!made.plan) throw Error("fftw: no plan for " + std::to_string(key.problem.numbers()) + " numbers");
  made.asked = planning.value_or(Planning::quick);
  plan = std::move(made);
  return plan.plan;
}

}  // namespace

FftwProblem FftwProblem::of(const Shape& shape, bool is_real) {
  FftwProblem problem{.n = shape["n"], .real = is_real};
  if (const auto* m = shape.find("m")) problem.rows = m->value;
  if (const auto* batch = shape.find("batch")) problem.count = batch->value;
  return problem;
}

bool fits_fftw(const Shape& shape) { return FftwProblem::of(shape, false).numbers() <= INT_MAX; }

template <class T>
const std::string& Fftw<T>::reason() {
  return library<T>().reason;
}

template <class T>
void Fftw<T>::prepare(const FftwProblem& problem, int threads, Planning planning) {
  if (problem.numbers() > 0) plan_for<T>({problem, threads, true}, planning);
}

template <class T>
void Fftw<T>::transform(const FftwProblem& problem, std::complex<T>* to, const std::complex<T>* from,
                        int threads) {
  if (problem.numbers() == 0) return;
  const Library<T>& fftw = library<T>();
  auto *const in = numbers(from), *const out = numbers(to);
  const bool aligned = fftw.alignment_of(*in) == 0 && fftw.alignment_of(*out) == 0;
  fftw.execute(plan_for<T>({problem, threads, aligned}, {}), in, out);
}

template <class T>
void Fftw<T>::transform(const FftwProblem& problem, std::complex<T>* to, const T* from, int threads) {
  if (problem.numbers() == 0) return;
  const Library<T>& fftw = library<T>();
  T* const in = const_cast<T*>(from);  // preserve_input
  auto* const out = numbers(to);
  const bool aligned = fftw.alignment_of(in) == 0 && fftw.alignment_of(*out) == 0;
  fftw.execute_real(plan_for<T>({problem, threads, aligned}, {}), in, out);
}

template <class T>
std::string Fftw<T>::runs_as(const FftwProblem& problem, int threads) {
  const std::scoped_lock lock(plans_mutex);
  const auto plan = plans<T>.find({problem, threads, true});
  const std::string& text = library<T>().text;
  return plan == plans<T>.end() || !plan->second.plan ? text : text + "; " + plan->second.text;
}

template struct Fftw<double>;
template struct Fftw<float>;

}  // namespace tallcache::cpu::peers
