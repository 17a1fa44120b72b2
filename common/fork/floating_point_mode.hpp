// The floating-point mode of a parallel program: the rounding direction, whether subnormal numbers are
// flushed to zero, and which exceptions trap. All tasks of a program run in the mode that its caller had, so
// that the result does not depend on which thread runs them. oneTBB's arenas have the mode of the thread that
// made them, whoever enters; only the tasks of a context that was made with fp_settings, and those that they
// make, have that of the context's maker.
#pragma once

#include <oneapi/tbb/task_group.h>

#include <cfenv>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace tallcache::detail {

/// A context whose tasks, and those that they make in turn, run in the mode that the thread has now. To read
/// it takes some nanoseconds. Isolated, as a branch that an outer cancellation left out would leave its fork
/// without a result.
class ContextOfMode : public tbb::task_group_context {
 public:
  ContextOfMode() : task_group_context(isolated, fp_settings) {}
};

/// Keeps the thread's raised exception flags: oneTBB clears them where it changes the mode and where it puts
/// it back.
class KeptExceptions {
 public:
#if defined(__SSE2__)
  // Of MXCSR alone, which oneTBB changes: std::fesetexceptflag() would raise them in the x87 unit too, which
  // traps there at its next operation where the host has let it.
  KeptExceptions() = default;
  ~KeptExceptions() {
    if (const unsigned now = _mm_getcsr(); raised_ & ~now) _mm_setcsr(now | raised_);
  }
  KeptExceptions(const KeptExceptions&) = delete;
  KeptExceptions& operator=(const KeptExceptions&) = delete;

 private:
  const unsigned raised_ = _mm_getcsr() & _MM_EXCEPT_MASK;
#else
  KeptExceptions() { std::fegetexceptflag(&flags_, FE_ALL_EXCEPT); }
  ~KeptExceptions() {
    if (const int cleared = raised_ & ~std::fetestexcept(FE_ALL_EXCEPT))
      std::fesetexceptflag(&flags_, cleared);
  }
  KeptExceptions(const KeptExceptions&) = delete;
  KeptExceptions& operator=(const KeptExceptions&) = delete;

 private:
  const int raised_ = std::fetestexcept(FE_ALL_EXCEPT);
  std::fexcept_t flags_;
#endif
};

/// The thread is in the default mode while this lives.
class DefaultMode {
 public:
  DefaultMode() {
    std::fegetenv(&before_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultMode() { std::fesetenv(&before_); }
  DefaultMode(const DefaultMode&) = delete;
  DefaultMode& operator=(const DefaultMode&) = delete;

 private:
  std::fenv_t before_;
};

}  // namespace tallcache::detail
