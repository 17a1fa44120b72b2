// PMPP's exercise 6.3: which of a kernel's accesses are coalesced.
#pragma once

#include "common/warp/kernel.hpp"

namespace tallcache::gpu::exercises {

/// foo_kernel as printed, for blocks of 256 threads. With n threads in total, a has n elements, b and c have
/// 4 n, d has n + 8 and e has 8 n.
struct Foo {
  static constexpr int max_threads = 256;

  template <class Thread, class A, class B, class C, class D, class E>
  TALLCACHE_DEVICE void operator()(const Thread& t, A a, B b, C c, D d, E e) const {
    const unsigned i = t.block().x * t.block_dim().x + t.thread().x;
    auto&& a_s = shared<0, float[256]>(t);
    auto&& bc_s = shared<1, float[4 * 256]>(t);
    a_s[t.thread().x] = a[i];
    for (unsigned j = 0; j < 4; ++j)
      bc_s[j * 256 + t.thread().x] = b[j * t.block_dim().x * t.grid_dim().x + i] + c[i * 4 + j];
    t.sync();
    d[i + 8] = a_s[t.thread().x];
    e[i * 8] = bc_s[t.thread().x * 4];
  }
};

}  // namespace tallcache::gpu::exercises
