// The occupancy calculator against the toolkit's own, cuda_occupancy.h, and against the texts' examples.
#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <string>

#include "common/warp/occupancy.hpp"
#include "tests/counted_array.hpp"

#if __has_include(<cuda_occupancy.h>)
#define HAS_CUDA_OCCUPANCY
#include <cuda_occupancy.h>
#endif

namespace tallcache::warp {
namespace {

using test::message_of;
using Alter = std::function<Multiprocessor(Multiprocessor)>;

Multiprocessor as_it_is(Multiprocessor machine) { return machine; }

/// A printed number: the blocks that a machine holds.
struct Example {
  std::string_view id, machine;
  BlockNeeds block;
  int blocks;
  Resource limit;
};

constexpr Example examples[] = {
    {"Hong, 10 registers", "hong", {512, 10, 0}, 3, Resource::threads},
    {"Hong, 11 registers", "hong", {512, 11, 0}, 2, Resource::registers},
    {"Hong, 3 KB", "hong", {32, 0, 3072}, 5, Resource::shared_memory},
    {"Hong, 256 threads, 2 KB", "hong", {256, 0, 2048}, 6, Resource::threads},
    {"Hong, tile 16", "hong_48kb", {256, 0, 2048}, 24, Resource::shared_memory},
    {"Hong, tile 32", "hong_48kb", {1024, 0, 8192}, 6, Resource::shared_memory},
    {"the same, 2048 threads, tile 16", "hong_48kb_2048", {256, 0, 2048}, 8, Resource::threads},
    {"the same, 2048 threads, tile 32", "hong_48kb_2048", {1024, 0, 8192}, 2, Resource::threads},
    {"Moreno Maza, 16 x 16", "moreno_maza", {256, 21, 2048}, 3, Resource::threads},
    {"Moreno Maza, 22 registers", "moreno_maza", {256, 22, 2048}, 2, Resource::registers},
    {"Moreno Maza, 8 blocks", "moreno_maza", {96, 0, 2048}, 8, Resource::threads},
    {"Moreno Maza, beyond 2 KB", "moreno_maza", {96, 0, 2049}, 7, Resource::shared_memory},
    {"programming guide 4.2: registers of a block of 1.3", "gt200", {96, 20, 0}, 6, Resource::registers},
    {"of 1.0", "g80", {256, 11, 0}, 2, Resource::registers},
    {"of 2.0", "fermi", {512, 21, 0}, 2, Resource::registers},
};

int wrong_examples(const Alter& alter, std::string_view machine = "") {
  int wrong = 0;
  for (const Example& example : examples) {
    if (!machine.empty() && example.machine != machine) continue;
    const BlockLimits limits = block_limits(alter(multiprocessor(example.machine)), example.block);
    wrong += limits.blocks() != example.blocks || limits.limit() != example.limit;
  }
  return wrong;
}

TEST(Occupancy, EqualsTheTextsNumbers) {
  for (const Example& example : examples) {
    const BlockLimits limits = block_limits(multiprocessor(example.machine), example.block);
    EXPECT_EQ(limits.blocks(), example.blocks) << example.id;
    EXPECT_EQ(to_string(limits.limit()), to_string(example.limit)) << example.id;
  }
}

TEST(Occupancy, BrokenLimitsAreFound) {
  const std::pair<const char*, Alter> defects[] = {
      {"hong", [](Multiprocessor m) { return m.threads /= 2, m; }},
      {"hong", [](Multiprocessor m) { return m.register_unit = 256, m.registers /= 2, m; }},
      {"hong", [](Multiprocessor m) { return m.shared_unit = 4096, m; }},
      {"hong_48kb", [](Multiprocessor m) { return m.shared_reserved = 1024, m; }},
      {"gt200", [](Multiprocessor m) { return m.warp_unit = 1, m.register_unit = 256, m; }},
      {"g80", [](Multiprocessor m) { return m.registers = 16384, m; }},
      {"fermi", [](Multiprocessor m) { return m.register_unit = 1, m; }},
  };
  for (const auto& [machine, defect] : defects) EXPECT_GT(wrong_examples(defect, machine), 0) << machine;
}

TEST(Occupancy, IsTheShareOfWarps) {
  const Multiprocessor& h200 = multiprocessor("cc90");
  const auto share = [&](BlockNeeds block) {
    return occupancy(h200, block_limits(h200, block), block.threads);
  };
  EXPECT_EQ(share({256, 32, 0}), 1.0);
  EXPECT_EQ(share({256, 33, 0}), 0.75) << "40 registers a thread: 6 blocks";
  EXPECT_EQ(share({1, 0, 0}), 0.5) << "32 blocks of a warp each";
  EXPECT_EQ(share({2048, 0, 0}), 0);
  EXPECT_EQ(share({256, 0, 227 * 1024 + 1}), 0);
}

TEST(Occupancy, WhatCannotBeIsRefused) {
  EXPECT_EQ(message_of([] { block_limits(multiprocessor("cc90"), {0}); }), "a block of 0 threads");
  EXPECT_EQ(message_of([] { block_limits(multiprocessor("cc90"), {32, -1}); }), "a thread of -1 registers");
  EXPECT_EQ(message_of([] { multiprocessor("cc91"); }),
            "unknown multiprocessor 'cc91'; did you mean 'cc90'?");
}

#ifdef HAS_CUDA_OCCUPANCY

/// As the CUDA programming guide's table has them; what is not here is cuda_occupancy.h's own.
struct Capability {
  int major, minor, threads;
  std::size_t shared_bytes, shared_bytes_of_block, reserved;
};
constexpr Capability capabilities[] = {
    {3, 5, 2048, 49152, 49152, 0},      {7, 0, 2048, 98304, 98304, 0},
    {7, 5, 1024, 65536, 65536, 0},      {8, 0, 2048, 167936, 166912, 1024},
    {8, 6, 1536, 102400, 101376, 1024}, {8, 9, 1536, 102400, 101376, 1024},
    {9, 0, 2048, 233472, 232448, 1024},
};

cudaOccDeviceProp properties_of(const Capability& capability) {
  cudaOccDeviceProp properties;
  properties.computeMajor = capability.major;
  properties.computeMinor = capability.minor;
  properties.maxThreadsPerBlock = 1024;
  properties.maxThreadsPerMultiprocessor = capability.threads;
  properties.regsPerBlock = properties.regsPerMultiprocessor = 65536;
  properties.warpSize = 32;
  properties.sharedMemPerBlock = 49152;
  properties.sharedMemPerMultiprocessor = capability.shared_bytes;
  properties.sharedMemPerBlockOptin = capability.shared_bytes_of_block;
  properties.reservedSharedMemPerBlock = capability.reserved;
  properties.numSms = 1;
  return properties;
}

cudaOccResult toolkit(const Capability& capability, const BlockNeeds& block) {
  const cudaOccDeviceProp properties = properties_of(capability);
  cudaOccFuncAttributes attributes;
  attributes.maxThreadsPerBlock = 1024;
  attributes.numRegs = block.registers;
  attributes.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  attributes.maxDynamicSharedSizeBytes = block.shared_bytes;
  const cudaOccDeviceState state;
  cudaOccResult result{};
  EXPECT_EQ(cudaOccMaxActiveBlocksPerMultiprocessor(&result, &properties, &attributes, &state, block.threads,
                                                    block.shared_bytes),
            CUDA_OCC_SUCCESS);
  return result;
}

/// All resources that are the limit, as the toolkit writes them.
unsigned limiting(const BlockLimits& limits) {
  const auto if_least = [&](int blocks, unsigned factor) { return blocks == limits.blocks() ? factor : 0; };
  return if_least(limits.by_threads, OCC_LIMIT_WARPS) | if_least(limits.by_registers, OCC_LIMIT_REGISTERS) |
         if_least(limits.by_shared_memory, OCC_LIMIT_SHARED_MEMORY) |
         if_least(limits.by_blocks, OCC_LIMIT_BLOCKS);
}

/// The random blocks of which an altered machine's limits are not the toolkit's.
int wrong_random(const Capability& capability, const Alter& alter, int number) {
  const std::string name = "cc" + std::to_string(10 * capability.major + capability.minor);
  const Multiprocessor machine = alter(multiprocessor(name));
  std::mt19937 random(static_cast<unsigned>(capability.major * 10 + capability.minor));
  const auto up_to = [&](int max) { return std::uniform_int_distribution(0, max)(random); };
  int wrong = 0;
  for (int i = 0; i < number; ++i) {
    // Half of them with little shared memory, where other resources are the limit.
    const int bytes = up_to(1) ? up_to(static_cast<int>(capability.shared_bytes)) : up_to(20000);
    const BlockNeeds block{1 + up_to(1100), up_to(1) ? up_to(64) : up_to(260),
                           static_cast<std::size_t>(bytes)};
    const BlockLimits limits = block_limits(machine, block);
    const cudaOccResult expected = toolkit(capability, block);
    wrong += limits.blocks() != expected.activeBlocksPerMultiprocessor ||
             (limits.blocks() && limiting(limits) != expected.limitingFactors);
  }
  return wrong;
}

TEST(Occupancy, EqualsTheToolkitsForRandomBlocks) {
  for (const Capability& capability : capabilities)
    EXPECT_EQ(wrong_random(capability, as_it_is, 2000), 0) << capability.major << "." << capability.minor;
}

TEST(Occupancy, EqualsTheToolkitsNotWithADefect) {
  const Alter defects[] = {
      [](Multiprocessor m) { return m.threads -= 32, m; },
      [](Multiprocessor m) { return m.blocks -= 1, m; },
      [](Multiprocessor m) { return m.threads_of_block -= 32, m; },
      [](Multiprocessor m) { return m.register_unit = 512, m; },
      [](Multiprocessor m) { return m.partitions = 1, m; },
      [](Multiprocessor m) { return m.registers_of_thread -= 16, m; },
      [](Multiprocessor m) { return m.shared_unit *= 2, m; },
      [](Multiprocessor m) { return m.shared_reserved += 1024, m; },
      [](Multiprocessor m) { return m.shared_bytes_of_block -= 1024, m; },
      [](Multiprocessor m) { return m.registers_by_block = true, m; },
  };
  for (const Capability& capability : capabilities)
    for (std::size_t i = 0; i < std::size(defects); ++i)
      EXPECT_GT(wrong_random(capability, defects[i], 2000), 0)
          << "defect " << i << " on " << capability.major << "." << capability.minor;
}

#else

TEST(Occupancy, EqualsTheToolkitsForRandomBlocks) { GTEST_SKIP() << "no cuda_occupancy.h of a CUDA toolkit"; }

#endif

}  // namespace
}  // namespace tallcache::warp
