#include "gpu/tuning/needs.hpp"

#include <algorithm>

#include "common/warp/views.hpp"
#include "gpu/lu/strip_bytes.hpp"
#include "gpu/stencil/strips.hpp"

namespace tallcache::gpu {
namespace {

// A pass holds two rows or planes of each step, and three more that move on. Its shared memory is not tuned:
// where there is too little, the variant is unavailable.
template <class Strip>
PlannedBlock strip_block(std::string_view kernel, int steps) {
  constexpr int words = Strip::rows * Strip::vector * int{sizeof(typename Strip::T)} / 4;
  return {kernel, {Strip::threads, (2 * steps + 3) * words}, Strip::blocks};
}

template <class T>
void add_stencils(std::vector<PlannedBlock>& blocks, std::string_view rows, int row_steps,
                  std::string_view planes, int plane_steps) {
  blocks.push_back(strip_block<typename stencil::Strips<T>::Rows>(rows, row_steps));
  blocks.push_back(strip_block<typename stencil::Strips<T>::Planes>(planes, plane_steps));
}

// The widest block of columns that lu::Recursion chooses.
int widest_block(int narrow_steps, int middle_steps, int wide) {
  return std::max({64, middle_steps > narrow_steps ? 128 : 0, wide});
}

}  // namespace

std::vector<PlannedBlock> planned_blocks(const Tuning& t) {
  std::vector<PlannedBlock> blocks;
  add_stencils<double>(blocks, "stencil double, rows", t.stencil_row_steps_double, "stencil double, planes",
                       t.stencil_plane_steps_double);
  add_stencils<float>(blocks, "stencil float, rows", t.stencil_row_steps_float, "stencil float, planes",
                      t.stencil_plane_steps_float);
  const auto strips = [&](std::string_view kernel, int narrow, int middle, std::size_t element) {
    const int width = widest_block(narrow, middle, t.lu_wide_block);
    blocks.push_back({kernel, {32 * lu::strip_warps, 0, lu::strip_bytes(width, element)}});
  };
  strips("lu double, strips", t.lu_narrow_steps_double, t.lu_middle_steps_double, 8);
  strips("lu float, strips", t.lu_narrow_steps_float, t.lu_middle_steps_float, 4);
  blocks.push_back({"lu double, panel", {t.lu_alone_threads_double}});
  blocks.push_back({"lu float, panel", {t.lu_alone_threads_float}});
  blocks.push_back({"lu, panel in a cluster", {t.lu_small_cluster_threads / 8}});
  blocks.push_back({"gemv", {t.gemv_threads}});
  return blocks;
}

std::string tuning_fault(const Tuning& tuning, const warp::Multiprocessor& machine) {
  for (const TunedField& field : tuned_fields())
    if (std::string fault = field.fault(tuning.*field.value); !fault.empty()) return fault;
  for (const PlannedBlock& block : planned_blocks(tuning)) {
    const warp::BlockLimits limits = warp::block_limits(machine, block.needs);
    if (limits.blocks() < block.at_once)
      return std::string(block.kernel) + ": " + std::string(machine.name) + " has room for " +
             std::to_string(limits.blocks()) + " of " + std::to_string(block.at_once) + " blocks, by " +
             std::string(warp::to_string(limits.limit()));
  }
  return {};
}

}  // namespace tallcache::gpu
