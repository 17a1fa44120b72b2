// What the GPU's executor does beside launching: graphs of what an entry starts, what is kept of the device,
// and the device's state. Where there is no device, it is skipped.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "common/catalogue.hpp"
#include "common/ops/counting_sort.hpp"
#include "common/ops/increment.hpp"
#include "gpu/check.hpp"
#include "gpu/cuda_executor.hpp"
#include "gpu/cuda_state.hpp"
#include "gpu/kernel_limits.hpp"
#include "tests/on_device.hpp"
#include "tests/support.hpp"

namespace tallcache::test {
namespace {

class Graphs : public OnDevice {
 protected:
  void SetUp() override {
    OnDevice::SetUp();
    if (!has_device()) return;
    executor = make_cuda_executor();
    memory = executor->allocate(elements * sizeof(float));
    executor->fill(*memory, 0);
  }

  // What a capture of `entry` is refused with; after that the executor goes on.
  std::string refusal(Entry entry) {
    std::string reason;
    try {
      executor->capture(entry, nullptr, {}, {});
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), Status::unsupported);
      reason = error.what();
    }
    EXPECT_GT(increment(2), 0);
    return reason;
  }

  const Entry entry_of_increment =
      find_variant(operation_of<Increment<float>>, "thread_per_element", "gpu").entries[0];
  Increment<float>::Args<> args_of_increment() const {
    return {{reinterpret_cast<float*>(memory->bytes().data()), elements}, 1};
  }
  double increment(int times) {
    const auto args = args_of_increment();
    return executor->seconds(entry_of_increment, &args, {}, {}, times);
  }
  // Every element, when they are all the same.
  float element() {
    std::vector<float> values(elements);
    executor->download(std::as_writable_bytes(std::span(values)), *memory);
    EXPECT_EQ(std::ranges::count(values, values[0]), elements);
    return values[0];
  }

  static constexpr Index elements = 1001;
  std::unique_ptr<Executor> executor;
  std::unique_ptr<Memory> memory;
};

TEST_F(Graphs, RunAsOftenAsTheyAreStartedAndNotWhenTheyAreCaptured) {
  auto args = args_of_increment();
  const auto graph = executor->capture(entry_of_increment, &args, {}, {});
  args = {};  // what was captured has its own
  EXPECT_EQ(element(), 0);
  EXPECT_GT(graph->seconds(5), 0);
  EXPECT_EQ(element(), 5);
  EXPECT_GT(increment(3), 0);
  EXPECT_GT(graph->seconds(1), 0);
  EXPECT_EQ(element(), 9);
}

TEST_F(Graphs, OfAnEntryThatStartsNothingTakeTime) {
  const auto nothing = [](const void*, const Params&, const Launch&) {};
  EXPECT_GT(executor->capture(nothing, nullptr, {}, {})->seconds(10), 0);
}

TEST_F(Graphs, AreRefusedWhereAnEntryAllocatesWaitsOrFails) {
  const std::string allocates = refusal([](const void*, const Params&, const Launch&) {
    void* bytes = nullptr;
    TALLCACHE_CUDA(cudaMalloc(&bytes, 64));
    TALLCACHE_CUDA(cudaFree(bytes));
  });
  EXPECT_TRUE(allocates.starts_with("cannot be captured as a graph: ")) << allocates;
  EXPECT_NE(allocates.find("cudaMalloc"), allocates.npos) << allocates;
  const std::string waits = refusal([](const void*, const Params&, const Launch& launch) {
    TALLCACHE_CUDA(cudaStreamSynchronize(gpu::stream_of(launch)));
  });
  EXPECT_NE(waits.find("cudaStreamSynchronize"), waits.npos) << waits;
  const std::string silent = refusal([](const void*, const Params&, const Launch& launch) {
    cudaStreamSynchronize(gpu::stream_of(launch));
  });
  EXPECT_TRUE(silent.starts_with("cannot be captured as a graph: ")) << silent;
  const std::string fails =
      refusal([](const void*, const Params&, const Launch&) { throw Error("its own reason"); });
  EXPECT_EQ(fails, "cannot be captured as a graph: its own reason");
  EXPECT_EQ(element(), 8) << "two runs after each refusal";
}

// The largest of the shapes to test that moves no more than a megabyte: conformance has the others.
Shape shape_to_capture(const Variant& variant) {
  const Operation& operation = *variant.operation;
  Shape chosen;
  double most = 0;
  for (const Shape& test_shape : operation.test_shapes()) {
    const Shape shape = complete_shape(operation, test_shape);
    const double bytes = operation.cost(shape).bytes;
    if (variant.supports(shape) && bytes <= 1e6 && bytes > most) chosen = shape, most = bytes;
  }
  EXPECT_GT(most, 0) << variant.name;
  return chosen;
}

// No entry of the suite allocates or waits, and none of a peer's, but for refined solutions, which say so.
TEST_F(Graphs, OfEveryVariantAreRight) {
  int ran = 0;
  for (const Operation* operation : operations())
    for (const Variant* variant : variants_of(*operation)) {
      if (variant->backend != "gpu" || !variant->unavailable().empty()) continue;
      SCOPED_TRACE(testing::Message()
                   << operation->name << " " << operation->element << " " << variant->name);
      Workspace workspace({operation, shape_to_capture(*variant), {}}, *executor);
      const Candidate graph{.variant = variant, .launch = LaunchMode::graph};
      try {
        workspace.prepare(graph);
        const Check check = workspace.verify(graph);
        EXPECT_TRUE(check) << check.message();
      } catch (const Error& error) {
        const std::string_view reason = error.what();
        EXPECT_TRUE(reason.starts_with("cannot be captured as a graph: the host waits")) << reason;
        EXPECT_TRUE(variant->name == "refined" || variant->name == "cusolver_irs_gesv") << reason;
      }
      ++ran;
    }
  EXPECT_GT(ran, 20);
}

TEST_F(Graphs, AreTimedBesidePlainLaunches) {
  const Operation& operation = operation_of<CountingSort<false>>;
  Workspace workspace({&operation, {{"n", 10000}}, {}}, *executor);
  const Variant& variant = find_variant(operation, "low_bits", "gpu");
  const Candidate both[] = {{.variant = &variant}, {.variant = &variant, .launch = LaunchMode::graph}};
  const auto results = measure(workspace, both, {.min_rounds = 3, .max_rounds = 5, .seconds = 0.05});
  for (const Measurement& result : results) {
    EXPECT_TRUE(result.outcome.measured()) << result.outcome.reason;
    EXPECT_GT(result.median_s(), 0);
    EXPECT_LT(result.median_s(), 0.01);
  }
  RecordProperty("plain_us", std::to_string(results[0].median_s() * 1e6));
  RecordProperty("graph_us", std::to_string(results[1].median_s() * 1e6));
}

TEST_F(Graphs, RangesOfAProfilerNest) {
  executor->begin_range("outer");
  executor->begin_range("inner");
  executor->end_range();
  executor->end_range();
  EXPECT_GT(increment(1), 0);
}

TEST_F(Graphs, TheMultiprocessorsAreTheDevices) {
  for (int call = 0; call < 2; ++call) EXPECT_EQ(gpu::multiprocessors(), cuda_devices()[0].multiprocessors);
}

TEST_F(Graphs, TheStateOfTheDeviceIsPlausibleOrSaysWhyNot) {
  increment(1000);
  const Figure<DeviceState> state = cuda_device_state(0);
  if (!state) {
    EXPECT_TRUE(state.absent.starts_with("libnvidia-ml.so.1") || state.absent.starts_with("nvml"))
        << state.absent;
    GTEST_SKIP() << state.absent;
  }
  const auto within = [](const auto& figure, double min, double max) {
    return figure ? *figure >= min && *figure <= max : !figure.absent.empty();
  };
  EXPECT_TRUE(within(state->sm_clock_mhz, 100, 5000));
  EXPECT_TRUE(within(state->memory_clock_mhz, 100, 30000));
  EXPECT_TRUE(within(state->power_w, 1, 2000));
  EXPECT_TRUE(within(state->temperature_c, 1, 120));
  EXPECT_TRUE(within(state->power_throttled_s, 0, 1e9));
  EXPECT_TRUE(within(state->thermal_throttled_s, 0, 1e9));
  if (state->sm_clock_mhz) RecordProperty("sm_clock_mhz", *state->sm_clock_mhz);
  EXPECT_FALSE(cuda_device_state(1000));
}

}  // namespace
}  // namespace tallcache::test
