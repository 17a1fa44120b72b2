// The GPU's executor beside its variants: what there is too little of, what is not there, and that a result
// comes from the device that was asked for. Where a test needs a device and there is none, it is skipped.
#include <gtest/gtest.h>

#include <algorithm>

#include "common/catalogue.hpp"
#include "gpu/cuda_executor.hpp"
#include "gpu/cuda_state.hpp"
#include "tests/support.hpp"

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
  EXPECT_EQ(driver_problem(0, 13000), "no NVIDIA driver is installed");
  EXPECT_EQ(driver_problem(12040, 13000), "the driver (12.4) is older than the runtime (13.0)");
  EXPECT_EQ(driver_problem(13000, 13000), "");
  EXPECT_EQ(driver_problem(13010, 13000), "");
  EXPECT_EQ(driver_problem(12020, 12080), "");  // minor versions are compatible
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

class OnDevice : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = cuda_unavailable(); !reason.empty()) {
      if (gpu_required()) GTEST_FAIL() << reason;
      GTEST_SKIP() << reason;
    }
  }
};

TEST_F(OnDevice, TooLittleMemorySaysWhatIsAskedAndFree) {
  const auto executor = make_cuda_executor();
  const std::string message = message_of([&] { executor->allocate(std::size_t{1} << 45); });
  EXPECT_TRUE(message.starts_with("out of GPU memory: 35.2 TB asked, ")) << message;
  EXPECT_TRUE(message.ends_with(" are free")) << message;
  // The device goes on.
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
    const auto executor = make_executor(Backend::gpu, static_cast<int>(device));
    Workspace workspace({&operation, {{"m", 100}, {"n", 70}, {"pad", 3}}, "uniform"}, *executor);
    const Check check = workspace.verify({&find_variant(operation, "bank_conflict_free", Backend::gpu)});
    EXPECT_TRUE(check) << "device " << device << ": " << check.message();
  }
}

TEST_F(OnDevice, TransfersTakeTime) {
  for (HostPages pages : {HostPages::pinned, HostPages::pageable}) {
    const TransferSeconds seconds = transfer_seconds(1 << 20, 1 << 16, pages);
    EXPECT_GT(seconds.upload, 0);
    EXPECT_GT(seconds.download, 0);
    EXPECT_EQ(transfer_seconds(0, 0, pages).upload, 0);
  }
}

}  // namespace
}  // namespace tallcache::test
