// Stencils of a user's own on the GPU: the kernels' text on the model makes the same bytes as trapezoids on
// the CPU, of one text of the update.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "common/random.hpp"
#include "common/warp/host_device.hpp"
#include "cpu/tallcache/stencil.hpp"
#include "gpu/tallcache/device_stencil.hpp"
#include "tests/counted_array.hpp"
#include "tests/support.hpp"

namespace tallcache::test {
namespace {

constexpr StencilBorder borders[] = {StencilBorder::constant, StencilBorder::periodic,
                                     StencilBorder::mirrored};
constexpr Index step_counts[] = {0, 1, 2, 13};

/// Nonlinear, and not symmetric in any dimension.
struct Drift {
  constexpr auto operator()(const auto& at) const { return at(0) + 0.1 * (2 * at(-1) - at(1)) * at(0); }
};
struct Melt {
  constexpr auto operator()(const auto& at) const {
    const auto u = at(0, 0);
    return u + 0.1 / (1 + u * u) * (at(-1, 0) + 2 * at(1, -1) + at(0, -1) + at(1, 1) - 5 * u);
  }
};
struct Limited {
  double rate;
  constexpr auto operator()(const auto& at, const auto& before) const {
    const auto u = at(0, 0, 0), flow = at(-1, 0, 1) + 2 * at(1, -1, 0) + at(0, 1, -1) - 4 * u;
    return where_less(u, before, min(u, before), max(u, abs(before))) + rate * flow;
  }
};

template <class T, int d>
DeviceStencilGrid<T, d, warp::Counted> device_grid(warp::HostDevice& device, std::vector<T> (&state)[2],
                                                   const std::array<Index, d>& sizes, StencilBorder border) {
  return {{state[0].data(), state[1].data()}, sizes, border, static_cast<T>(0.25), 0, device.access()};
}

template <class T, int d, class Update>
void expect_same(const Update& update, const std::array<Index, d>& sizes) {
  Index points = 1;
  for (const Index size : sizes) points *= size;
  for (const StencilBorder border : borders)
    for (const Index steps : step_counts) {
      std::vector<T> on_cpu[2], on_gpu[2];
      for (int t = 0; t < 2; ++t) {
        for (Index i = 0; i < points; ++i)
          on_cpu[t].push_back(static_cast<T>(random_unit(static_cast<std::uint64_t>(t + 1), i)));
        on_gpu[t] = on_cpu[t];
      }
      stencil(StencilGrid<T, d>{{on_cpu[0].data(), on_cpu[1].data()}, sizes, border, static_cast<T>(0.25)},
              update, steps);
      warp::HostDevice device(cache::warp_machine("h200"));
      const auto grid = device_grid<T, d>(device, on_gpu, sizes, border);
      std::vector<std::byte> memory(device_stencil_scratch(grid, steps), std::byte{0xff});
      const T* last = device_stencil(device, grid, update, steps,
                                     Scratch<warp::Counted>(std::span(memory), device.access()));
      EXPECT_EQ(last, on_gpu[steps % 2].data());
      for (int t = 0; t < 2; ++t)
        EXPECT_EQ(std::memcmp(on_cpu[t].data(), on_gpu[t].data(), points * sizeof(T)), 0)
            << d << " dimensions, border " << static_cast<int>(border) << ", " << steps << " steps, state "
            << t;
    }
}

TEST(DeviceStencil, MakesTheBytesOfTheCpu) {
  expect_same<double, 1>(Drift{}, {531});
  expect_same<float, 1>(Drift{}, {1});
  expect_same<double, 2>(Melt{}, {41, 131});
  expect_same<float, 2>(Melt{}, {1, 67});
  expect_same<float, 2>(Melt{}, {3, 2});
  expect_same<double, 3>(Limited{0.05}, {7, 9, 21});
  expect_same<float, 3>(Limited{0.05}, {1, 5, 40});
}

TEST(DeviceStencil, NamesBadInput) {
  warp::HostDevice device(cache::warp_machine("h200"));
  std::vector<double> state[2] = {std::vector<double>(100), std::vector<double>(100)};
  auto grid = device_grid<double, 2>(device, state, {10, 10}, StencilBorder::constant);
  const auto run = [&](Index steps) {
    return message_of([&] { device_stencil(device, grid, Melt{}, steps, {}); });
  };
  EXPECT_EQ(run(-1), "stencil: -1 steps");
  EXPECT_EQ(run(2), "scratch: a variant took more than it asked for");
  grid.ld = 9;
  EXPECT_EQ(run(1), "stencil: leading dimension 9 is smaller than 10 points of a row");
  grid.ld = 0, grid.sizes[0] = -3;
  EXPECT_EQ(run(1), "stencil: negative size -3");
  grid.sizes[0] = 10, grid.state[1] = grid.state[0] + 5;
  EXPECT_EQ(run(1), "stencil: the states overlap");
}

}  // namespace
}  // namespace tallcache::test
