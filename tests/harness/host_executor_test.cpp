// The host's memory: guarded on both sides, refused where there is too little, aligned where its pages
// are huge.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

#include "common/measure/host_memory.hpp"
#include "common/ops/copy.hpp"
#include "tests/support.hpp"

namespace tallcache::test {
namespace {

using Op = Copy<float>;

TEST(HostExecutor, GuardsItsMemory) {
  const auto executor = make_executor("cpu");
  for (std::size_t size : {0, 1, 4095, 4096, 5000}) {
    for (std::ptrdiff_t at : {std::ptrdiff_t{-4096}, std::ptrdiff_t{-1}, static_cast<std::ptrdiff_t>(size)}) {
      const auto memory = executor->allocate(size);
      ASSERT_EQ(memory->bytes().size(), size);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory->bytes().data()) % 4096, 0u);
      executor->fill(*memory, 0x77);
      EXPECT_TRUE(memory->guards_intact());
      memory->bytes().data()[at] = std::byte{0};
      EXPECT_FALSE(memory->guards_intact()) << size << " bytes, written at " << at;
    }
  }
}

TEST(HostExecutor, SaysHowMuchMemoryIsMissing) {
  EXPECT_GT(available_memory(), 0u);
  EXPECT_NO_THROW(require_memory(0, "nothing"));
  expect_error([] { require_memory(std::size_t{1} << 60, "a matrix"); }, "a matrix needs 1.15 EB");
  const auto executor = make_executor("cpu");
  expect_error([&] { executor->allocate(std::size_t{1} << 60); }, "needs");
  expect_error([&] { executor->allocate(~std::size_t{0}); }, "");
  expect_error([&] { Workspace({&operation_of<Op>, {{"m", 1 << 30}}, {}}, *executor); }, "copy m=1073741824");
}

// Huge pages begin where such a page can; the guards are as close as those of ordinary ones.
TEST(HostMemory, HugePagesAreAlignedAndGuarded) {
  const auto executor = make_executor("cpu");
  for (std::size_t size :
       {std::size_t{0}, std::size_t{1000}, std::size_t{2} << 20, (std::size_t{5} << 20) + 3}) {
    const auto memory = executor->allocate(size, Pages::huge);
    std::byte* const data = memory->bytes().data();
    ASSERT_EQ(memory->bytes().size(), size);
    if (size >= std::size_t{2} << 20) {
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data) % (std::size_t{2} << 20), 0u) << size;
    }
    executor->fill(*memory, 1);
    EXPECT_TRUE(memory->guards_intact());
    for (std::byte* outside : {data - 1, data + size}) {
      const std::byte before = *outside;
      *outside = std::byte{0};
      EXPECT_FALSE(memory->guards_intact()) << size;
      *outside = before;
    }
    EXPECT_TRUE(memory->guards_intact());
  }
}

}  // namespace
}  // namespace tallcache::test
