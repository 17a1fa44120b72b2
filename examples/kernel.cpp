#include <tallcache/kernel.hpp>

#include <cstdio>
#include <vector>

using namespace tallcache;

struct Gather {  // nvcc compiles the same text for a GPU
  Index stride;

  template <class Thread, class B, class A>
  TALLCACHE_DEVICE void operator()(const Thread& t, B b, A a) const {
    const Index i = t.block().x * t.block_dim().x + t.thread().x;
    b[i] = a[i * stride];
  }
};

int main() {
  const Index n = 1024, stride = 8;
  std::vector<float> a(n * stride, 1), b(n);
  warp::HostDevice device(cache::warp_machine("h200"));
  const warp::Explanation explanation(device);
  const auto view = [&](std::vector<float>& v) {
    return VectorView<float>{v.data(), static_cast<Index>(v.size())}.with(device.access(v.data()));
  };
  device.launch({{n / 256}, {256}}, Gather{stride}, view(b), view(a));
  for (const auto& site : explanation.sites()) std::puts(sentence(device.recorder().machine(), site).c_str());
  return explanation.sites().size() == 2 && b.back() == 1 ? 0 : 1;
}
