// The numbers that launches are planned by, as named fields: what a variant sees of a device's tuning. No
// CUDA header is included here.
#pragma once

namespace tallcache::gpu {

/// The fields of gpu/tuning/fields.def, each with the value that runs on every device.
struct Tuning {
#define TALLCACHE_TUNED(name, any, ...) int name = any;
#include "gpu/tuning/fields.def"
#undef TALLCACHE_TUNED
  friend bool operator==(const Tuning&, const Tuning&) = default;
};

/// As long as it lives, launches of this thread are planned by `tuning`.
class TuningOfThread {
 public:
  explicit TuningOfThread(const Tuning& tuning);
  ~TuningOfThread();
  TuningOfThread(const TuningOfThread&) = delete;
  TuningOfThread& operator=(const TuningOfThread&) = delete;

 private:
  const Tuning* before_;
};
/// The one that lives; null where none does.
const Tuning* tuning_of_thread();

/// That of the current CUDA device; where there is none, what runs on any. Throws Error when CUDA does not
/// tell its name.
const Tuning& device_tuning();
/// That of the model of a GPU on the host, an H200.
const Tuning& model_tuning();

}  // namespace tallcache::gpu
