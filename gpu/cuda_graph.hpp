// What one call starts in a stream, as a CUDA graph.
#pragma once

#include <cuda_runtime.h>

#include <functional>

#include "common/variant.hpp"

namespace tallcache::gpu {

/// Throws Error with the reason where the stream is captured as a graph, of which nothing may wait.
void refuse_capture(const Launch& launch, const char* reason);

/// Captured once, and made ready to be launched again and again: instantiated, and already on the device.
class CudaGraph {
 public:
  /// Captures what `start` puts into `stream`, which runs none of it. Throws Error (unsupported) with the
  /// reason when `start` does what cannot be captured, such as an allocation or a wait; the stream goes on
  /// after that.
  CudaGraph(cudaStream_t stream, const std::function<void()>& start);
  ~CudaGraph();
  CudaGraph(const CudaGraph&) = delete;
  CudaGraph& operator=(const CudaGraph&) = delete;

  void launch(cudaStream_t stream) const;

 private:
  cudaGraphExec_t instance_ = nullptr;
};

}  // namespace tallcache::gpu
