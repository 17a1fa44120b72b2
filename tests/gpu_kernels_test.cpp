// The host's model of the catalogue's kernels against a GPU's counters: requests, sectors and wavefronts of
// every kernel whose addresses do not depend on data, and the atomics of those that have some.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <iostream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/backend.hpp"
#include "common/catalogue.hpp"
#include "gpu/cuda_executor.hpp"
#include "gpu/device_counters.hpp"
#include "gpu/kernel_text.hpp"
#include "gpu/widths.hpp"
#include "tests/on_device.hpp"

namespace tallcache::test {
namespace {

using cache::AccessKind;
using cache::Space;

/// The groups of device_metrics that a model has counts of.
constexpr int sectors_group = 0, instructions_group = 1, global_atomic_group = 5, shared_atomic_group = 6;

struct Kernel {
  const char *operation, *variant;
  Shape aligned, ragged;
  Params params{};
  const char* as_written = "";  ///< why some requests are those of the text and not the GPU's
  const char* apart = "";       ///< their quantities begin so
};

// What a product reads grows with the cube of n, and the model reads it all.
const Shape square{{"m", 512}, {"n", 512}}, ragged{{"m", 499}, {"n", 431}, {"pad", 3}};
const Shape cube{{"m", 256}, {"n", 256}, {"k", 256}}, ragged_cube{{"m", 501}, {"n", 437}, {"k", 119}};
const Shape block{{"m", 32}, {"n", 32}, {"k", 32}}, ragged_block{{"m", 19}, {"n", 27}, {"k", 23}};
const Shape large{{"m", 3072}, {"n", 3072}}, ragged_large{{"m", 2999}, {"n", 2777}, {"pad", 3}};

std::vector<Kernel> kernels() {
  std::vector<Kernel> all{{"copy", "simple", square, ragged},
                          {"copy", "through_shared_memory", square, ragged},
                          {"fine_grained", "within_tiles", square, ragged},
                          {"coarse_grained", "between_tiles", square, ragged},
                          {"increment", "thread_per_element", {{"n", 2048}}, {{"n", 1999}}},
                          {"gemv",
                           "warp_per_row",
                           square,
                           ragged,
                           {},
                           "nvcc unrolls the loop by four: lanes with a round more take other instructions",
                           "global load"},
                          {"matmul", "one_block", block, ragged_block},
                          {"matmul_bt", "uncoalesced", cube, ragged_cube},
                          {"matmul_bt", "corner_turning", cube, ragged_cube}};
  for (const char* variant : {"naive", "coalesced", "bank_conflict_free", "diagonal", "thread_per_row",
                              "thread_per_element", "shared_memory_tiled", "shared_memory_padded"})
    all.push_back({"transpose", variant, square, ragged});
  for (const Index elements : {2, 4, 8, 16})
    all.push_back({"transpose", "coarsened", square, ragged, {{"elements", elements}}});
  for (const char* variant : {"coalesced", "grid_tiled", "shared_memory_tiled"})
    all.push_back({"matmul", variant, cube, ragged_cube});
  for (const Index factor : {1, 2, 4, 8})
    all.push_back({"matmul", "coarsened", cube, ragged_cube, {{"factor", factor}}});
  return all;
}

using Counts = std::map<std::string, double, std::less<>>;

Counts modelled(const Operation& operation, const Kernel& kernel, const Shape& shape) {
  warp::HostDevice device(cache::warp_machine("h200"));
  device.use(gpu::compiled_widths());
  const Check check =
      gpu::run_kernel_text(device, gpu::find_kernel_text(operation, kernel.variant), shape, kernel.params);
  EXPECT_TRUE(check) << check.message();
  Counts counts;
  for (const auto& [space, name] : {std::pair{Space::global, "global"}, {Space::shared, "shared"}})
    for (const auto& [kind, verb] : {std::pair{AccessKind::load, "load"},
                                     {AccessKind::store, "store"},
                                     {AccessKind::atomic, "atomic"}}) {
      const cache::RequestCounts total = device.total(space, kind);
      const std::string what = std::string(name) + " " + verb;
      counts[what + " requests"] = static_cast<double>(total.requests);
      if (space == Space::global)
        counts[what + " sectors"] = static_cast<double>(total.sectors);
      else
        counts[what + " wavefronts"] = static_cast<double>(total.wavefronts);
    }
  return counts;
}

/// Counts a verified run of the variant on the device. Empty with the reason where nothing can be counted.
std::pair<Counts, std::string> counted(const Operation& operation, const Kernel& kernel, const Shape& shape,
                                       std::initializer_list<int> groups) {
  static const auto executor = make_cuda_executor();
  Workspace workspace({&operation, shape, {}}, *executor);
  const Candidate candidate{&find_variant(operation, kernel.variant, "gpu"), kernel.params};
  const Check check = workspace.verify(candidate);
  EXPECT_TRUE(check) << check.message();
  Counts counts;
  for (const int group : groups)
    for (const DeviceCount& count : gpu::count_group(0, group, {[&] { workspace.run(candidate); }})) {
      if (!count.value) return {{}, count.value.absent};
      counts[std::string(count.quantity)] = *count.value;
    }
  return {counts, {}};
}

std::string title(const Operation& operation, const Kernel& kernel, const Shape& shape) {
  const std::string params = to_string(kernel.params);
  return std::string(operation.name) + " " + kernel.variant + (params.empty() ? "" : " " + params) + " " +
         to_string(operation, shape);
}

/// Holds the counts of a run against the model's.
void compare(const std::string& title, const Counts& counts, const Counts& model) {
  for (const auto& [quantity, count] : counts) {
    const double by_model = model.at(quantity);
    if (count != by_model || count > 0)
      std::cout << title << ": " << quantity << ": model " << std::setprecision(12) << by_model
                << ", counted " << count << (count == by_model ? "" : "  !") << '\n';
    EXPECT_EQ(count, by_model) << quantity;
  }
}

class ModelledKernels : public OnDevice, public testing::WithParamInterface<std::tuple<std::size_t, bool>> {};

TEST_P(ModelledKernels, MakeTheRequestsThatTheCountersCount) {
  const auto& [number, is_ragged] = GetParam();
  const Kernel kernel = kernels()[number];
  const Operation& operation = find_operation(kernel.operation, "float");
  const Shape shape = complete_shape(operation, is_ragged ? kernel.ragged : kernel.aligned);
  auto [counts, absent] = counted(operation, kernel, shape, {sectors_group, instructions_group});
  if (!absent.empty()) GTEST_SKIP() << title(operation, kernel, shape) << ": " << absent;
  if (*kernel.as_written && is_ragged) {
    std::cout << title(operation, kernel, shape) << ": as written: " << kernel.as_written << '\n';
    std::erase_if(counts, [&](const auto& count) { return count.first.starts_with(kernel.apart); });
  }
  compare(title(operation, kernel, shape), counts, modelled(operation, kernel, shape));
}

std::string name_of(const testing::TestParamInfo<std::tuple<std::size_t, bool>>& test) {
  const auto& [number, is_ragged] = test.param;
  const Kernel kernel = kernels()[number];
  std::string name = std::string(kernel.operation) + "_" + kernel.variant;
  for (const auto& [param, value] : kernel.params) name += "_" + std::to_string(value);
  return name + (is_ragged ? "_ragged" : "_aligned");
}
INSTANTIATE_TEST_SUITE_P(Kernels, ModelledKernels,
                         testing::Combine(testing::Range(std::size_t{0}, kernels().size()), testing::Bool()),
                         name_of);

/// Larger ones, with many blocks on a multiprocessor.
class LargeKernels : public OnDevice, public testing::WithParamInterface<std::tuple<std::string, bool>> {};

TEST_P(LargeKernels, MakeTheRequestsThatTheCountersCount) {
  const auto& [variant, is_ragged] = GetParam();
  const Kernel kernel{"transpose", variant.c_str(), large, ragged_large};
  const Operation& operation = find_operation(kernel.operation, "float");
  const Shape shape = complete_shape(operation, is_ragged ? kernel.ragged : kernel.aligned);
  const auto [counts, absent] = counted(operation, kernel, shape, {sectors_group, instructions_group});
  if (!absent.empty()) GTEST_SKIP() << title(operation, kernel, shape) << ": " << absent;
  compare(title(operation, kernel, shape), counts, modelled(operation, kernel, shape));
}
INSTANTIATE_TEST_SUITE_P(Kernels, LargeKernels,
                         testing::Combine(testing::Values("naive", "coalesced", "bank_conflict_free",
                                                          "shared_memory_tiled"),
                                          testing::Bool()),
                         [](const auto& test) {
                           return std::get<0>(test.param) +
                                  (std::get<1>(test.param) ? "_ragged" : "_aligned");
                         });

/// Kernels whose atomics' addresses are the data's. Loads and stores are not compared: those of CUB's scan
/// and of the driver's memset come with them.
class Atomics : public OnDevice, public testing::WithParamInterface<const char*> {};

TEST_P(Atomics, AreWithinTheRangeOfTenRuns) {
  const Operation& operation = find_operation("counting_sort", "uint32");
  const Kernel kernel{"counting_sort", GetParam(), {{"n", 20000}, {"range", 1000}}, {}};
  const Shape shape = complete_shape(operation, kernel.aligned);
  Counts min, max;
  for (int run = 0; run < 10; ++run) {
    auto [counts, absent] = counted(operation, kernel, shape, {global_atomic_group, shared_atomic_group});
    if (!absent.empty()) GTEST_SKIP() << kernel.variant << ": " << absent;
    for (const char* part : {"requests", "sectors"})
      counts[std::string("global atomic ") + part] += counts[std::string("global reduction ") + part];
    for (const auto& [quantity, count] : counts) {
      min[quantity] = std::min(min.try_emplace(quantity, count).first->second, count);
      max[quantity] = std::max(max.try_emplace(quantity, count).first->second, count);
    }
  }
  const Counts model = modelled(operation, kernel, shape);
  for (const char* quantity : {"global atomic requests", "global atomic sectors", "shared atomic requests",
                               "shared atomic wavefronts"}) {
    const double by_model = model.at(quantity);
    std::cout << title(operation, kernel, shape) << ": " << quantity << ": model " << by_model << ", counted "
              << min[quantity] << " to " << max[quantity] << '\n';
    EXPECT_TRUE(min[quantity] <= by_model && by_model <= max[quantity]) << quantity;
  }
}
INSTANTIATE_TEST_SUITE_P(CountingSort, Atomics, testing::Values("global_atomics", "privatised", "bucketed"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace tallcache::test
