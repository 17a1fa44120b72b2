// The GPU's executor: too little memory, missing devices, and results that come from the requested device. A
// test that needs a device is skipped where there is none.
#include <cuda_runtime.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "common/execute.hpp"
#include "common/ops/counting_sort.hpp"
#include "common/ops/increment.hpp"
#include "common/ops/matmul.hpp"
#include "common/ops/transpose.hpp"
#include "gpu/cuda_executor.hpp"
#include "gpu/cuda_state.hpp"
#include "gpu/limits.hpp"
#include "tests/hopper_code.hpp"
#include "tests/on_device.hpp"
#include "tests/support.hpp"
#include "tests/view_layout.hpp"

namespace tallcache::test {
namespace {

std::string message_of(auto&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Driver, OlderThanTheRuntimeIsNamed) {
  EXPECT_EQ(driver_error(0, 13000), "no NVIDIA driver is installed");
  EXPECT_EQ(driver_error(12040, 13000), "the driver (12.4) is older than the runtime (13.0)");
  EXPECT_EQ(driver_error(13000, 13000), "");
  EXPECT_EQ(driver_error(13010, 13000), "");
  EXPECT_EQ(driver_error(12020, 12080), "");  // minor versions are compatible
}

TEST(Device, ThatIsNotThereIsNamed) {
  EXPECT_NE(device_unavailable(1000), "");
  EXPECT_NE(device_unavailable(-1), "");
  EXPECT_NE(device_fault(1000), "") << "a fault even where there is no GPU: it was asked for";
  const std::string message = message_of([] { make_cuda_executor(1000); });
  EXPECT_TRUE(message.starts_with("the GPU cannot be used: ")) << message;
  if (cuda_devices().empty())
    EXPECT_FALSE(cuda_unavailable().empty());
  else
    EXPECT_EQ(device_unavailable(1000),
              "there is no device 1000; CUDA counts " + std::to_string(cuda_devices().size()) + ", from 0");
}

TEST(Architecture, ThatDoesNotRunIsNamedWithTheOneToBuildFor) {
  EXPECT_EQ(
      architecture_error("80-real", "9.0"),
      "built for the CUDA architectures 80-real, which do not run on compute capability 9.0; build it with "
      "-DCMAKE_CUDA_ARCHITECTURES=90a");
  EXPECT_TRUE(architecture_error("90a-real", "12.0").ends_with("-DCMAKE_CUDA_ARCHITECTURES=120"));
}

TEST(Architecture, CodeForOneNeedsADeviceOfIt) {
  const Device ampere{.name = "A", .compute_capability = "8.0"},
      hopper{.name = "H", .compute_capability = "9.0"};
  Device unusable = hopper;
  unusable.unusable = "broken";
  EXPECT_EQ(capability_error("9.0", {hopper}), "");
  EXPECT_EQ(capability_error("9.0", {ampere, hopper}), "");
  EXPECT_EQ(capability_error("9.0", {ampere}), "its code is for compute capability 9.0; A has 8.0");
  EXPECT_EQ(capability_error("9.0", {unusable, ampere}), "its code is for compute capability 9.0; A has 8.0");
  EXPECT_EQ(capability_error("9.0", {unusable}), "no GPU can be used");
  EXPECT_EQ(capability_error("9.0", {}), "no GPU can be used");
}

// Two vectors, two matrices and scratch in one struct, with sizes, paddings and elements that all differ.
struct ViewLayout {
  std::vector<double> x;
  std::vector<std::uint32_t> y;
  std::vector<float> a, b;

  ViewLayout() : x(5), y(7), a(3 * 11), b(6 * 4) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = 0.5 + static_cast<double>(i);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = static_cast<std::uint32_t>(1000 + 3 * i);
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(100 + i);
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i) - 8;
  }
  static Views views(const double* x, std::uint32_t* y, const float* a, float* b) {
    return {'v',          {x, 5}, {y, 7}, {a, 3, 8, 11}, Scratch<>(std::as_writable_bytes(std::span(b, 2))),
            {b, 6, 3, 4}, 77};
  }
  Views views() { return views(x.data(), y.data(), a.data(), b.data()); }
};

TEST(Layout, OfViewsIsTheSameForNvccsHostCode) {
  ViewLayout memory;
  const Views views = memory.views();
  const Seen here = seen(views);
  EXPECT_EQ(here.x, 1 * 0.5 + 2 * 1.5 + 3 * 2.5 + 4 * 3.5 + 5 * 4.5);
  EXPECT_EQ(seen_by_nvcc(views), here);
}

TEST_F(OnDevice, TooLittleMemorySaysWhatIsAskedAndFree) {
  const auto executor = make_cuda_executor();
  const std::string message = message_of([&] { executor->allocate(std::size_t{1} << 45); });
  EXPECT_TRUE(message.starts_with("out of GPU memory: 35.2 TB asked, ")) << message;
  EXPECT_TRUE(message.ends_with(" are free")) << message;
  // The device remains usable.
  const auto memory = executor->allocate(1000);
  executor->fill(*memory, 7);
  std::vector<std::byte> back(1000);
  executor->download(back, *memory);
  EXPECT_TRUE(std::ranges::all_of(back, [](std::byte b) { return b == std::byte{7}; }));
}

TEST_F(OnDevice, GuardsShowAWriteOutside) {
  const auto executor = make_cuda_executor();
  for (std::size_t size : {0, 1, 4095, 4096, 4097}) {
    const auto memory = executor->allocate(size);
    EXPECT_TRUE(memory->guards_intact());
    struct Outside : Memory {
      explicit Outside(std::span<std::byte> bytes) { bytes_ = bytes; }
      bool guards_intact() const override { return false; }
    };
    Outside behind({memory->bytes().data() + size, 1}), before({memory->bytes().data() - 1, 1});
    for (Outside* outside : {&behind, &before}) {
      executor->fill(*outside, 0);
      EXPECT_FALSE(memory->guards_intact()) << size;
      executor->fill(*outside, 0xc3);
      EXPECT_TRUE(memory->guards_intact()) << size;
    }
  }
}

TEST_F(OnDevice, EveryDeviceHasItsOwnMemory) {
  std::vector<std::unique_ptr<Executor>> executors;
  std::vector<std::unique_ptr<Memory>> memories;
  std::vector<std::byte> bytes(4099);
  for (std::size_t device = 0; device < cuda_devices().size(); ++device) {
    executors.push_back(make_cuda_executor(static_cast<int>(device)));
    memories.push_back(executors.back()->allocate(bytes.size()));
    executors.back()->fill(*memories.back(), static_cast<unsigned char>(device + 1));
  }
  for (std::size_t device = 0; device < executors.size(); ++device) {
    executors[device]->download(bytes, *memories[device]);
    EXPECT_EQ(std::ranges::count(bytes, static_cast<std::byte>(device + 1)), 4099) << "device " << device;
  }
}

TEST_F(OnDevice, VariantsRunOnEach) {
  const Operation& operation = find_operation("transpose", "float");
  for (std::size_t device = 0; device < cuda_devices().size(); ++device) {
    const auto executor = make_executor("gpu", static_cast<int>(device));
    Workspace workspace({&operation, {{"m", 100}, {"n", 70}, {"pad", 3}}, "uniform"}, *executor);
    const Check check = workspace.verify({&find_variant(operation, "bank_conflict_free", "gpu")});
    EXPECT_TRUE(check) << "device " << device << ": " << check.message();
  }
}

TEST_F(OnDevice, LayoutOfViewsIsTheSameInAKernel) {
  ViewLayout memory;
  Seen expected = seen(memory.views());
  const auto executor = make_cuda_executor();
  const auto copy_of = [&](const auto& host) {
    auto copy = executor->allocate(host.size() * sizeof host[0]);
    executor->upload(*copy, std::as_bytes(std::span(host)));
    return copy;
  };
  const auto x = copy_of(memory.x), y = copy_of(memory.y), a = copy_of(memory.a), b = copy_of(memory.b);
  const Views views = ViewLayout::views(
      reinterpret_cast<const double*>(x->bytes().data()), reinterpret_cast<std::uint32_t*>(y->bytes().data()),
      reinterpret_cast<const float*>(a->bytes().data()), reinterpret_cast<float*>(b->bytes().data()));
  std::ranges::copy(
      std::initializer_list<const void*>{views.x.data, views.y.data, views.a.data, views.b.data},
      expected.data);
  EXPECT_EQ(seen_by_kernel(views), expected);
}

TEST_F(OnDevice, CodeForOneArchitectureRunsThereAndSaysWhyNotElsewhere) {
  const std::string reason = OnHopper::unavailable();
  EXPECT_EQ(reason, capability_error("9.0", cuda_devices()));
  if (reason.empty())
    EXPECT_EQ(hopper_answer(), 900);
  else
    EXPECT_NE(message_of([] { hopper_answer(); }), "no error");
}

TEST_F(OnDevice, SharedMemoryThatNoBlockHasIsNamed) {
  EXPECT_EQ(gpu::shared_memory_unavailable(48 * 1024), "");
  EXPECT_THAT(gpu::shared_memory_unavailable(std::size_t{1} << 30),
              testing::MatchesRegex("a block takes 1048576 KiB of shared memory; .* gives it [0-9]+ KiB"));
}

// Wrong sums of the tensor cores would throw.
TEST_F(OnDevice, LimitsAreOfItsCoresAndItsTensorCores) {
  const Limits limits = measure_gpu_limits(0);
  std::vector<std::string> elements;
  for (const FlopPeak& peak : limits.peaks) {
    elements.push_back(peak.element);
    EXPECT_TRUE(std::isfinite(peak.gflop_per_s.best) && peak.gflop_per_s.best > 0) << peak.element;
  }
  std::vector<std::string> expected{"float", "double"};
  const std::string& capability = cuda_devices().at(0).compute_capability;
  if (capability == "9.0") expected.insert(expected.end(), {"bfloat16", "tf32"});
  if (capability.size() > 3 || capability[0] >= '8') expected.emplace_back("double");
  EXPECT_EQ(elements, expected);
  EXPECT_TRUE(std::isfinite(limits.gb_per_s(1)));
}

TEST_F(OnDevice, TransfersTakeTime) {
  for (HostPages pages : {HostPages::pinned, HostPages::pageable}) {
    const TransferSeconds seconds = transfer_seconds(1 << 20, 1 << 16, pages);
    EXPECT_GT(seconds.upload, 0);
    EXPECT_GT(seconds.download, 0);
    EXPECT_EQ(transfer_seconds(0, 0, pages).upload, 0);
  }
}

// execute() on views of the host's memory: they are copied in and out, and the padding is unchanged.
TEST_F(OnDevice, ExecutesOnTheHostsViews) {
  const Index m = 65, n = 33, k = 17, ld = 40;
  std::vector<float> a(m * ld, 7), b(k * ld, 9), c(m * ld, 42);
  for (Index i = 0; i < m; ++i)
    for (Index l = 0; l < k; ++l) a[i * ld + l] = static_cast<float>(i + l);
  for (Index l = 0; l < k; ++l)
    for (Index j = 0; j < n; ++j) b[l * ld + j] = static_cast<float>(l - j);
  const Matmul<float>::Args<> args{{c.data(), m, n, ld}, {a.data(), m, k, ld}, {b.data(), k, n, ld}};
  for (int call = 0; call < 2; ++call) {
    std::ranges::fill(c, 42.0f);
    execute<Matmul<float>>("shared_memory_tiled", args, {}, {.backend = "gpu"});
    for (Index i = 0; i < m; ++i)
      for (Index j = 0; j < ld; ++j) {
        float expected = j < n ? 0.0f : 42.0f;
        for (Index l = 0; l < k && j < n; ++l) expected += static_cast<float>((i + l) * (l - j));
        ASSERT_EQ(c[i * ld + j], expected) << i << ", " << j;
      }
  }
  std::vector<std::uint32_t> keys{5, 3, 9, 3, 0}, sorted(5, 42);
  execute<CountingSort<false>>(
      "global_atomics",
      {.out = {sorted.data(), 5}, .in = {keys.data(), 5}, .payload_out = {}, .payload_in = {}, .range = 9},
      {}, {.backend = "gpu"});
  EXPECT_EQ(sorted, (std::vector<std::uint32_t>{0, 3, 3, 5, 9}));
  std::vector<float> vector(1000, 1);
  execute<Increment<float>>("thread_per_element", {{vector.data(), 1000}, 2.5f}, {}, {.backend = "gpu"});
  EXPECT_EQ(std::ranges::count(vector, 3.5f), 1000);
}

// execute() on views of the device's memory: nothing is copied, the call does not wait, and a second one
// allocates nothing.
TEST_F(OnDevice, ExecutesOnTheDevicesViewsInAStream) {
  const Index n = 2048;
  const std::size_t bytes = static_cast<std::size_t>(n * n) * sizeof(float);
  float *a = nullptr, *b = nullptr;
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaMalloc(&a, bytes), cudaSuccess);
  ASSERT_EQ(cudaMalloc(&b, bytes), cudaSuccess);
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  std::vector<float> host(n * n), back(n * n);
  for (Index i = 0; i < n * n; ++i) host[i] = static_cast<float>(i % 1000003);
  cudaMemcpyAsync(a, host.data(), bytes, cudaMemcpyHostToDevice, stream);
  const ExecuteOptions where{.backend = "gpu", .device_views = true, .stream = stream};
  const auto transpose_it = [&](float* to, float* from) {
    execute<Transpose<float>>("bank_conflict_free", {{to, n, n, n}, {from, n, n, n}}, {}, where);
  };
  transpose_it(b, a);
  std::size_t free_before = 0, free_after = 0, total = 0;
  cudaMemGetInfo(&free_before, &total);
  for (int i = 0; i < 100; ++i) transpose_it(i % 2 ? b : a, i % 2 ? a : b);
  EXPECT_EQ(cudaStreamQuery(stream), cudaErrorNotReady) << "the call waited for the stream";
  cudaGetLastError();
  cudaMemcpyAsync(back.data(), b, bytes, cudaMemcpyDeviceToHost, stream);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  cudaMemGetInfo(&free_after, &total);
  EXPECT_EQ(free_before, free_after);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) ASSERT_EQ(back[j * n + i], host[i * n + j]);
  cudaStreamDestroy(stream);
  cudaFree(a);
  cudaFree(b);
}

// What execute() keeps for a stream is not given to a later one of the same address, which need not wait for
// the work of the first.
TEST_F(OnDevice, TellsAStreamFromALaterOneOfItsAddress) {
  const Backend& backend = find_backend("gpu");
  std::set<std::uint64_t> ids;
  std::set<cudaStream_t> addresses;
  for (int i = 0; i < 20; ++i) {
    cudaStream_t stream = nullptr;
    ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    ids.insert(backend.stream_id(0, stream));
    addresses.insert(stream);
    cudaStreamDestroy(stream);
  }
  if (addresses.size() == 20) GTEST_SKIP() << "no address came twice";
  EXPECT_EQ(ids.size(), 20u);
}

}  // namespace
}  // namespace tallcache::test
