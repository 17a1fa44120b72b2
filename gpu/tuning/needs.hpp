// What blocks take whose launches are planned by the tuning, so that a record can be checked without a
// device.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/warp/occupancy.hpp"
#include "gpu/tuning/records.hpp"

namespace tallcache::gpu {

/// A kernel's block under a tuning. `at_once` of them are meant to be on a multiprocessor.
struct PlannedBlock {
  std::string_view kernel;
  warp::BlockNeeds needs;
  int at_once = 1;
};

/// Those whose needs the fields decide, and those that a field's steps hold in registers.
std::vector<PlannedBlock> planned_blocks(const Tuning&);

/// Why a multiprocessor of `machine` cannot run what `tuning` plans, or a value that its field cannot have;
/// empty where there is no fault.
std::string tuning_fault(const Tuning& tuning, const warp::Multiprocessor& machine);

}  // namespace tallcache::gpu
