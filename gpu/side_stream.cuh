// A second stream beside a launch's, whose kernels come first where blocks wait for room.
#pragma once

#include <map>

#include "gpu/check.hpp"

namespace tallcache::gpu {

/// Work of the launch's stream and of another, each of which waits for the other where it says so. In a
/// stream that is being captured, both become parts of one graph. Before its end the stream of the launch
/// must wait for all that is in the other.
class SideStream {
 public:
  /// Where not `apart`, both are the launch's stream.
  SideStream(cudaStream_t of_launch, bool apart) : main(of_launch), side(of_launch) {
    if (!apart) return;
    const Pair& own = pair();
    side = own.stream;
    of_main = own.of_main;
    of_side = own.of_side;
    main_is_done();
    side_waits();
  }

  /// All that is in the launch's stream so far is what side_waits() means.
  void main_is_done() const {
    if (side != main) TALLCACHE_CUDA(cudaEventRecord(of_main, main));
  }
  void side_waits() const {
    if (side != main) TALLCACHE_CUDA(cudaStreamWaitEvent(side, of_main, 0));
  }
  void main_waits() const {
    if (side == main) return;
    TALLCACHE_CUDA(cudaEventRecord(of_side, side));
    TALLCACHE_CUDA(cudaStreamWaitEvent(main, of_side, 0));
  }

  cudaStream_t main, side;

 private:
  struct Pair {
    cudaStream_t stream = nullptr;
    cudaEvent_t of_main = nullptr, of_side = nullptr;
  };

  /// This thread's, of the current device. Never destroyed: at the end of the process the device is first.
  static const Pair& pair() {
    thread_local auto& pairs = *new std::map<int, Pair>;
    int device = 0;
    TALLCACHE_CUDA(cudaGetDevice(&device));
    Pair& own = pairs[device];
    if (own.of_side) return own;
    int least = 0, greatest = 0;
    TALLCACHE_CUDA(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    TALLCACHE_CUDA(cudaStreamCreateWithPriority(&own.stream, cudaStreamNonBlocking, greatest));
    TALLCACHE_CUDA(cudaEventCreateWithFlags(&own.of_main, cudaEventDisableTiming));
    TALLCACHE_CUDA(cudaEventCreateWithFlags(&own.of_side, cudaEventDisableTiming));
    return own;
  }

  cudaEvent_t of_main = nullptr, of_side = nullptr;
};

}  // namespace tallcache::gpu
