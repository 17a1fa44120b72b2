// Warshall's algorithm as in the textbooks: a launch for each intermediate vertex k, a thread for each word
// of 64 columns.
#pragma once

#include "common/ops/transitive_closure.hpp"
#include "gpu/on_gpu.hpp"

namespace tallcache::gpu::gep {

/// Bit k of a row does not change in step k, so that it does not matter whether a thread reads its word
/// before or after another has joined row k to it.
struct UniteByVertex {
  static constexpr int max_threads = 256;

  template <class Thread, class A>
  TALLCACHE_DEVICE void operator()(const Thread& t, A a, Index k) const {
    using Word = typename A::value_type;
    const Index number = Index{t.block().x} * max_threads + t.thread().x, i = number / a.cols,
                w = number % a.cols;
    if (i >= a.rows || i == k) return;
    if (Word(a(i, k / 64)) >> (k % 64) & 1) a(i, w) = Word(a(i, w)) | Word(a(k, w));
  }
};

struct warshall : OnGpu {
  static constexpr std::string_view idea =
      "a launch for each intermediate vertex, a word of 64 bits a thread: the matrix read and written n "
      "times";
  static constexpr std::string_view source = "Warshall 1962";
  using operations = OperationList<TransitiveClosure>;

  template <class Device, class Args>
  static void call(Device& device, const Args& args, const Params&) {
    constexpr int threads = UniteByVertex::max_threads;
    const unsigned blocks = grid_of(ceil_div(args.a.rows * args.a.cols, threads));
    for (Index k = 0; k < args.a.rows; ++k)
      launch_kernel(device, UniteByVertex{}, {{blocks}, {threads}}, args.a, k);
  }
};

}  // namespace tallcache::gpu::gep
