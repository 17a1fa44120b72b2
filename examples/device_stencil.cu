// The point update of stencil.cpp on a GPU: one text, and the CPU's bytes.
#include <tallcache/device_stencil.hpp>
#include <tallcache/stencil.hpp>

#include <cstdio>
#include <vector>

using namespace tallcache;

struct Melt {  // hot points conduct less
  constexpr auto operator()(const auto& at) const {
    const auto u = at(0, 0);
    return u + 0.1 / (1 + u * u) * (at(-1, 0) + at(1, 0) + at(0, -1) + at(0, 1) - 4 * u);
  }
};

int main() {
  constexpr Index n = 2000, points = n * n, steps = 40;
  std::vector<double> even(points), odd(points);
  even[points / 2] = 100;
  StencilGrid<double, 2> host{{even.data(), odd.data()}, {n, n}}, device = host;
  const std::size_t bytes = device_stencil_scratch(device, steps);
  if (const auto error = cudaMallocManaged(&device.state[0], 2 * points * sizeof(double) + bytes))
    return std::printf("%s\n", cudaGetErrorString(error)), 1;
  device.state[1] = std::copy(even.begin(), even.end(), device.state[0]);
  Launch launch;
  const Scratch<> scratch({reinterpret_cast<std::byte*>(device.state[1] + points), bytes});
  const double* const last = device_stencil(launch, device, Melt{}, steps, scratch);
  return cudaDeviceSynchronize() || !std::equal(last, last + points, stencil(host, Melt{}, steps));
}
