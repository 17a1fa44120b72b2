// The interface of a GPU kernel's text beside its thread context. No CUDA header is included here, so that
// g++ compiles the same lines as nvcc.
//
// A kernel is a class whose operator()(t, views...) is the work of one thread. The context t has
//   thread(), block(), block_dim(), grid_dim()         indices and sizes, each a Dim
//   sync(), sync_warp()                                barriers of the block and of the warp
//   sync_and(b), sync_or(b), sync_count(b)             barriers of the block: do all, do any, how many do
//   shuffle(v, lane), shuffle_down(v, d), ballot(b), match_any(v)   among all lanes of the warp
//   reduce_add(v), reduce_min(v), reduce_max(v), reduce_or(v)       of 32 bits, over all lanes of the warp
//   atomic_add(element, v)                             the old value
//   popcount(mask), first_set(mask)                    bits of a mask; the lowest one's number
// and shared<n, T>(t) is the block's shared array number n, of type T, shared<n, T, 16>(t) one that begins at
// a multiple of 16 bytes, and dynamic_shared<T>(t) the one whose size the launch gives.
//
// vector_at<n>(element) is the Vector of the n elements from `element` on, in global or in shared memory:
// reading it is one load, assigning to it one store. Its address is a multiple of its size.
// element_at(element, e) is the e-th element behind `element`.
//
// copy_asynchronously(t, to, element, bytes) starts a copy of `element`, 4, 8 or 16 bytes of global memory,
// to `to`, the shared_address(t, ...) of an element of shared memory. What lies beyond the first `bytes`,
// which may be 0, becomes zero. t.commit_copies() ends a group of copies, wait_for_copies<n>(t) waits until
// all of the thread's groups but the last n have arrived; other threads see them behind a barrier.
// t.keep(v...) holds 32-bit values in registers, where a compiler would compute them again.
//
// A kernel that launch_early() launches may start before the one before it has ended: it touches what that
// one reads or writes behind wait_for_last_kernel(t). Once all of its blocks have said
// let_next_kernel_start(t) or ended, the next one that is launched so starts where there is room. In the
// model, launches do not overlap.
//
// gpu::DeviceThread is the device's context, warp::HostThread the model's.
#pragma once

#include <cstddef>

#ifdef __CUDACC__
#define TALLCACHE_DEVICE __device__
#define TALLCACHE_INLINE __device__ __forceinline__
#else
#define TALLCACHE_DEVICE
#define TALLCACHE_INLINE inline
#endif

namespace tallcache {

struct Dim {
  unsigned x = 1, y = 1, z = 1;
};

/// `n` elements that lie side by side, 16 bytes at most, which a thread loads or stores at once.
template <class T, int n>
struct alignas(sizeof(T) * n) Vector {
  static_assert(sizeof(T) * n <= 16);
  static constexpr int size = n;
  T at[n];
};

/// The blocks of a launch, the threads of a block, and the bytes of its dynamic_shared().
struct LaunchShape {
  Dim grid, block;
  std::size_t dynamic_shared;
  const char* file;
  int line;

  LaunchShape(Dim grid_dim, Dim block_dim, std::size_t dynamic_shared_bytes = 0,
              const char* at_file = __builtin_FILE(), int at_line = __builtin_LINE())
      : grid(grid_dim),
        block(block_dim),
        dynamic_shared(dynamic_shared_bytes),
        file(at_file),
        line(at_line) {}
};

}  // namespace tallcache
