// The state of the devices beside what is measured on them.
#pragma once

#include <vector>

#include "bench/results/document.hpp"
#include "common/backend.hpp"

namespace tallcache {

class DeviceWatch {
 public:
  /// Reads the state of device number `device` of each backend that tells one.
  explicit DeviceWatch(int device);

  /// Reads it again, and puts both into the context: of the devices with a result in the document or, where
  /// the document has none but limits, with a limit.
  void note(Document&) const;

 private:
  struct Watched {
    const Backend* backend;
    Figure<DeviceState> before;
  };
  int device_;
  std::vector<Watched> watched_;
};

}  // namespace tallcache
