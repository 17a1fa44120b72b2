// The tuning of GPUs as data: the order of the records, that each is valid on its architecture, and that the
// kernels' texts are right under every value that is tried.
#include "gpu/tuning/records.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <thread>

#include "common/catalogue.hpp"
#include "common/error.hpp"
#include "gpu/kernel_text.hpp"
#include "gpu/stencil/strips.hpp"
#include "gpu/tuning/needs.hpp"
#include "tests/counted_array.hpp"

namespace tallcache::gpu {
namespace {

using test::message_of;

/// An architecture by its compute capability, and what its multiprocessors have.
struct Architecture {
  std::string capability, machine;
};
const Architecture architectures[] = {{"7.0", "cc70"}, {"7.5", "cc75"}, {"8.0", "cc80"},
                                      {"8.6", "cc86"}, {"8.9", "cc89"}, {"9.0", "cc90"}};
constexpr std::string_view hopper[] = {"NVIDIA H100 80GB HBM3", "NVIDIA H100 PCIe", "NVIDIA H200"};

std::string fault_on(const Architecture& architecture, std::string_view device) {
  return tuning_fault(tuning_for(device, architecture.capability),
                      warp::multiprocessor(architecture.machine));
}

/// Puts the user's records back to none.
struct NoUser {
  ~NoUser() { use_records({}); }
};

TEST(Tuning, RecordsAreValidOnTheirArchitectures) {
  for (const Architecture& architecture : architectures)
    EXPECT_EQ(fault_on(architecture, "a device without a record"), "") << architecture.machine;
  for (const std::string_view device : hopper) EXPECT_EQ(fault_on({"9.0", "cc90"}, device), "") << device;
  // No record is left out of the above.
  for (const TunedRecord& record : compiled_records()) {
    const bool is_architecture = std::ranges::any_of(architectures, [&](const Architecture& architecture) {
      return record.of == architecture_of(architecture.capability);
    });
    EXPECT_TRUE(is_architecture || std::ranges::count(hopper, record.of)) << record.of;
    for (const auto& [field, value] : record.values) EXPECT_EQ(field->fault(value), "") << record.of;
  }
}

TEST(Tuning, WhatDoesNotFitIsFound) {
  const auto fault = [](
                         const std::string& machine, const std::function<void(Tuning&)>& change,
                         const std::function<void(warp::Multiprocessor&)>& shrink = [](auto&) {}) {
    Tuning tuning = tuning_for("", "9.0");
    change(tuning);
    warp::Multiprocessor of = warp::multiprocessor(machine);
    shrink(of);
    return tuning_fault(tuning, of);
  };
  const auto nothing = [](Tuning&) {};
  EXPECT_EQ(fault("cc90", nothing), "");
  // Hopper's record on a Turing, whose blocks have 64 KiB of shared memory.
  EXPECT_NE(fault("cc75", nothing).find("lu double, strips"), std::string::npos);
  EXPECT_NE(fault("cc90", nothing, [](auto& of) { of.shared_bytes_of_block /= 2; }).find("shared memory"),
            std::string::npos);
  EXPECT_NE(fault("cc90", nothing, [](auto& of) { of.registers /= 2; }).find("registers"), std::string::npos);
  EXPECT_NE(fault("cc90", nothing, [](auto& of) { of.threads_of_block = 128; }), "");
  EXPECT_NE(fault("cc90", [](Tuning& t) { t.lu_wide_block = 100; }).find("no multiple of 32"),
            std::string::npos);
  EXPECT_NE(fault("cc90", [](Tuning& t) { t.gemv_threads = 2048; }).find("not from 64 to 512"),
            std::string::npos);
  EXPECT_NE(fault("cc90", [](Tuning& t) { t.stencil_row_steps_double = 0; }), "");
}

TEST(Tuning, NoFieldGoesBeyondItsKernels) {
  using Double = stencil::Strips<double>;
  using Float = stencil::Strips<float>;
  const auto most = [](std::string_view name) { return tuned_field(name).tried.back(); };
  EXPECT_EQ(most("stencil_line_steps"), stencil::StepLines<double>::depth);
  EXPECT_EQ(most("stencil_row_steps_double"), Double::Rows::depth);
  EXPECT_EQ(most("stencil_row_steps_float"), Float::Rows::depth);
  EXPECT_EQ(most("stencil_plane_steps_double"), Double::Planes::depth);
  EXPECT_EQ(most("stencil_plane_steps_float"), Float::Planes::depth);
  for (const TunedField& field : tuned_fields()) {
    EXPECT_TRUE(std::ranges::is_sorted(field.tried)) << field.name;
    for (const int value : field.tried) EXPECT_EQ(field.fault(value), "");
  }
}

TEST(Tuning, ADeviceComesBeforeItsArchitectureAndTheUserBeforeBoth) {
  const NoUser none;
  const TunedField& field = tuned_field("gemv_threads");
  const auto value = [&](std::string_view device, std::string_view capability) {
    return tuning_for(device, capability).gemv_threads;
  };
  EXPECT_EQ(value("", "9.0"), Tuning{}.gemv_threads);
  EXPECT_EQ(tuning_for("", "9.0").lu_wide_block, 256);
  EXPECT_EQ(tuning_for("", "8.0").lu_wide_block, Tuning{}.lu_wide_block);
  use_records({{"NVIDIA H200", {{&field, 128}}}, {"sm_90", {{&field, 512}}}, {"any", {{&field, 64}}}});
  EXPECT_EQ(value("NVIDIA H200", "9.0"), 128);
  EXPECT_EQ(value("NVIDIA H100 PCIe", "9.0"), 512);
  EXPECT_EQ(value("NVIDIA A100", "8.0"), 64);
  EXPECT_EQ(compiled_tuning_for("NVIDIA H200", "9.0").gemv_threads, Tuning{}.gemv_threads);
  EXPECT_NE(message_of([&] {
              use_records({{"any", {{&field, 100}}}});
            }).find("gemv_threads = 100"),
            std::string::npos);
  EXPECT_EQ(value("NVIDIA A100", "8.0"), 64) << "a wrong record changes nothing";
  EXPECT_NE(message_of([] { tuned_field("gemv_thread"); }).find("gemv_threads"), std::string::npos);
}

TEST(Tuning, OfAThreadIsThatThreadsAlone) {
  Tuning own;
  own.gemv_threads = 64;
  {
    const TuningOfThread of_thread(own);
    EXPECT_EQ(model_tuning().gemv_threads, 64);
    std::thread([] { EXPECT_EQ(tuning_of_thread(), nullptr); }).join();
    Tuning inner;
    const TuningOfThread nested(inner);
    EXPECT_EQ(&model_tuning(), &inner);
  }
  EXPECT_EQ(tuning_of_thread(), nullptr);
}

TEST(Tuning, ADifferenceIsWhatDiffers) {
  Tuning other;
  other.sort_ways_4 = 8;
  const TunedRecord record = difference("a device", Tuning{}, other);
  ASSERT_EQ(record.values.size(), 1u);
  EXPECT_EQ(record.values[0].first->name, "sort_ways_4");
  EXPECT_EQ(record.values[0].second, 8);
}

/// A problem that is small, and large enough for a field to change its launches.
struct Tried {
  std::string_view field, operation, element, variant;
  Shape shape;
};
const Tried problems[] = {
    {"stencil_line_steps",
     "stencil",
     "double",
     "register_streams",
     {{"cols", 1501}, {"rows", 1}, {"planes", 1}, {"steps", 37}}},
    {"stencil_row_steps_double",
     "stencil",
     "double",
     "register_streams",
     {{"cols", 131}, {"rows", 41}, {"planes", 1}, {"steps", 13}}},
    {"stencil_row_steps_float",
     "stencil",
     "float",
     "register_streams",
     {{"cols", 131}, {"rows", 41}, {"planes", 1}, {"steps", 17}}},
    {"stencil_plane_steps_double",
     "stencil",
     "double",
     "register_streams",
     {{"cols", 17}, {"rows", 13}, {"planes", 11}, {"steps", 5}}},
    {"stencil_plane_steps_float",
     "stencil",
     "float",
     "register_streams",
     {{"cols", 17}, {"rows", 13}, {"planes", 11}, {"steps", 5}}},
    {"stencil_waves",
     "stencil",
     "float",
     "register_streams",
     {{"cols", 131}, {"rows", 301}, {"planes", 1}, {"steps", 4}}},
    {"paths_narrow_group", "shortest_paths", "float", "cgep_recursive", {{"n", 261}}},
    {"paths_large_tiles", "shortest_paths", "int32", "cgep_recursive", {{"n", 261}}},
    {"sort_ways_4", "sort", "uint32", "sample_sort", {{"n", 100003}}},
    {"sort_ways_8", "sort", "uint64", "sample_sort", {{"n", 50021}}},
    {"sort_ways_16", "sort", "key_and_position", "sample_sort", {{"n", 50021}}},
    {"transpose_long_strip", "transpose", "float", "any_shape", {{"m", 193}, {"n", 5003}}},
    {"transpose_narrow", "transpose", "float", "any_shape", {{"m", 56}, {"n", 1000}}},
    {"gemv_threads", "gemv", "float", "warp_per_row", {{"m", 67}, {"n", 129}}},
    {"strings_at_once",
     "levenshtein_batched",
     "",
     "pairs_in_lane_groups",
     {{"m", 200}, {"n", 100}, {"pairs", 71}}},
};

Check run_under(const Tried& problem, const Tuning& tuning) {
  const TuningOfThread of_thread(tuning);
  warp::HostDevice device(cache::warp_machine("h200"));
  const Operation& operation = find_operation(problem.operation, problem.element);
  return run_kernel_text(device, find_kernel_text(operation, problem.variant), problem.shape);
}

class TunedText : public testing::TestWithParam<Tried> {};

TEST_P(TunedText, IsRightUnderEveryValue) {
  const TunedField& field = tuned_field(GetParam().field);
  for (const int value : field.tried) {
    Tuning tuning;
    tuning.*field.value = value;
    const Check check = run_under(GetParam(), tuning);
    EXPECT_TRUE(check) << field.name << " = " << value << ": " << check.message();
  }
}

INSTANTIATE_TEST_SUITE_P(Fields, TunedText, testing::ValuesIn(problems),
                         [](const auto& test) { return std::string(test.param.field); });

}  // namespace
}  // namespace tallcache::gpu
