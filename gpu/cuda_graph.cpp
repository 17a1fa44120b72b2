#include "gpu/cuda_graph.hpp"

#include <exception>
#include <string>

#include "gpu/check.hpp"

namespace tallcache::gpu {

void refuse_capture(const Launch& launch, const char* reason) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  TALLCACHE_CUDA(cudaStreamIsCapturing(stream_of(launch), &status));
  if (status != cudaStreamCaptureStatusNone) throw Error(reason, Status::unsupported);
}

CudaGraph::CudaGraph(cudaStream_t stream, const std::function<void()>& start) {
  // Thread-local, not relaxed: what cannot be part of a graph fails; it does not run aside of it.
  TALLCACHE_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  std::string reason;
  try {
    start();
  } catch (const std::exception& error) {
    reason = error.what();
  }
  cudaGraph_t graph = nullptr;
  const cudaError_t ended = cudaStreamEndCapture(stream, &graph);
  cudaGetLastError();
  if (reason.empty() && ended != cudaSuccess) reason = cudaGetErrorString(ended);
  if (!reason.empty()) {
    if (graph) cudaGraphDestroy(graph);
    throw Error("cannot be captured as a graph: " + reason, Status::unsupported);
  }
  const cudaError_t instantiated = cudaGraphInstantiateWithFlags(&instance_, graph, 0);
  cudaGraphDestroy(graph);
  TALLCACHE_CUDA(instantiated);
  if (const cudaError_t uploaded = cudaGraphUpload(instance_, stream)) {
    cudaGraphExecDestroy(instance_);
    TALLCACHE_CUDA(uploaded);
  }
}

CudaGraph::~CudaGraph() { cudaGraphExecDestroy(instance_); }

void CudaGraph::launch(cudaStream_t stream) const { TALLCACHE_CUDA(cudaGraphLaunch(instance_, stream)); }

}  // namespace tallcache::gpu
