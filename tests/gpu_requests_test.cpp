// The request model against a GPU's counters: 10000 random requests of one warp each, of loads, stores and
// atomics of global and of shared memory, by three widths. TALLCACHE_SEED names another seed.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "common/error.hpp"
#include "common/measure/executor.hpp"
#include "gpu/cuda_executor.hpp"
#include "gpu/cupti.hpp"
#include "tests/on_device.hpp"
#include "tests/one_request.hpp"
#include "tests/requests_reference.hpp"

namespace tallcache::test {
namespace {

using cache::AccessKind;
using cache::Space;
using cache::WarpRequest;

constexpr std::uint64_t requests_of_cell = 556;  // of 18 cells: 10008
constexpr std::uint64_t shown = 20;              // of those that differ

struct Cell {
  const char* name;
  Space space;
  AccessKind kind;
  /// Instructions; sectors of global memory, wavefronts of shared memory. Of a global atomic then those of
  /// one whose old value nobody reads.
  std::vector<const char*> metrics;
};
const std::vector<Cell> cells{
    {"global_load",
     Space::global,
     AccessKind::load,
     {"smsp__inst_executed_op_global_ld_pred_on_any.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"}},
    {"global_store",
     Space::global,
     AccessKind::store,
     {"smsp__inst_executed_op_global_st_pred_on_any.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"}},
    {"global_atomic",
     Space::global,
     AccessKind::atomic,
     {"smsp__inst_executed_op_generic_atom_pred_on_any.sum",
      "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum", "smsp__inst_executed_op_global_red_pred_on_any.sum",
      "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum"}},
    {"shared_load",
     Space::shared,
     AccessKind::load,
     {"smsp__inst_executed_op_shared_ld_pred_on_any.sum",
      "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"}},
    {"shared_store",
     Space::shared,
     AccessKind::store,
     {"smsp__inst_executed_op_shared_st_pred_on_any.sum",
      "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"}},
    {"shared_atomic",
     Space::shared,
     AccessKind::atomic,
     {"smsp__inst_executed_op_shared_atom_pred_on_any.sum",
      "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum"}}};

std::uint64_t seed() {
  const char* given = std::getenv("TALLCACHE_SEED");
  return given ? std::strtoull(given, nullptr, 10) : 20261122;
}

std::vector<WarpRequest> draw(const Cell& cell, int width) {
  std::vector<WarpRequest> requests;
  for (std::uint64_t i = 0; i < requests_of_cell; ++i) {
    WarpRequest request{.width = width, .space = cell.space, .kind = cell.kind};
    request.exchanges = is_exchange(request);
    const auto number = static_cast<std::uint64_t>(&cell - cells.data()) * 100 + static_cast<unsigned>(width);
    cache::draw_lanes(cache::warp_machine("h200"), random_bits(seed(), number * requests_of_cell + i),
                      request);
    if (!request.mask) request.mask = 1;
    requests.push_back(request);
  }
  return requests;
}

std::string text_of(const WarpRequest& request) {
  std::ostringstream text;
  text << "mask " << std::hex << request.mask << std::dec << ", elements";
  for (int lane = 0; lane < 32; ++lane)
    text << ' '
         << (request.mask >> lane & 1 ? std::to_string(request.address[lane] / request.width)
                                      : std::string("-"));
  return text.str();
}

class RandomRequests : public OnDevice, public testing::WithParamInterface<std::tuple<int, int>> {
 protected:
  // A skip says how many requests were not compared.
  void SetUp() override {
    OnDevice::SetUp();
    if (!has_device()) std::cout << requests_of_cell << " requests are not compared\n";
  }
};

TEST_P(RandomRequests, TakeWhatTheCountersCount) {
  const Cell& cell = cells[static_cast<std::size_t>(std::get<0>(GetParam()))];
  const std::vector<WarpRequest> requests = draw(cell, std::get<1>(GetParam()));
  const auto executor = make_cuda_executor();
  // From a multiple of its size on: the sets that lines go through then depend on the offsets alone.
  const auto memory = executor->allocate(2 * request_bytes);
  executor->fill(*memory, 0);
  std::byte* begin = memory->bytes().data();
  begin += (request_bytes - reinterpret_cast<std::uintptr_t>(begin) % request_bytes) % request_bytes;
  std::vector<std::vector<double>> counted;
  try {
    counted = gpu::collect_ranges(0, cell.metrics, requests.size(),
                                  [&](std::size_t i) { start_request(requests[i], begin); });
  } catch (const Error& error) {
    if (error.status() != Status::unavailable) throw;
    GTEST_SKIP() << requests.size() << " requests: " << error.what();
  }
  ASSERT_EQ(counted.size(), requests.size());
  std::uint64_t wrong = 0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const auto model = cache::count_requests(cache::warp_machine("h200"), requests[i]);
    const auto parts = cell.space == Space::global ? model.sectors : model.wavefronts;
    double instructions = 0, counted_parts = 0;
    for (std::size_t m = 0; m < cell.metrics.size(); m += 2)
      instructions += counted[i][m], counted_parts += counted[i][m + 1];
    if (instructions == 1 && counted_parts == static_cast<double>(parts)) continue;
    if (++wrong <= shown)
      std::cout << cell.name << ' ' << requests[i].width << ": model 1 request, " << parts << "; counted "
                << instructions << ", " << counted_parts << ": " << text_of(requests[i]) << '\n';
  }
  std::cout << cell.name << ' ' << std::get<1>(GetParam()) << " bytes: " << requests.size() - wrong << " of "
            << requests.size() << " equal, seed " << seed() << '\n';
  EXPECT_EQ(wrong, 0u);
}

INSTANTIATE_TEST_SUITE_P(Cells, RandomRequests,
                         testing::Combine(testing::Range(0, static_cast<int>(cells.size())),
                                          testing::Values(4, 8, 16)),
                         [](const auto& test) {
                           return cells[static_cast<std::size_t>(std::get<0>(test.param))].name +
                                  ("_" + std::to_string(std::get<1>(test.param)));
                         });

}  // namespace
}  // namespace tallcache::test
