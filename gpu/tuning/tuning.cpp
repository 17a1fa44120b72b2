#include "gpu/tuning/tuning.hpp"

#include "gpu/tuning/records.hpp"

namespace tallcache::gpu {
namespace {

thread_local const Tuning* of_thread = nullptr;

}  // namespace

TuningOfThread::TuningOfThread(const Tuning& tuning) : before_(of_thread) { of_thread = &tuning; }
TuningOfThread::~TuningOfThread() { of_thread = before_; }
const Tuning* tuning_of_thread() { return of_thread; }

const Tuning& model_tuning() {
  static const Tuning tuning = tuning_for("NVIDIA H200", "9.0");
  return of_thread ? *of_thread : tuning;
}

}  // namespace tallcache::gpu
