// The counters of a GPU that the suite reads, in groups that are collected together. No CUDA header is
// included here.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "common/measure/device_counts.hpp"

namespace tallcache::gpu {

/// Metrics of one group come from the same passes over a run.
struct DeviceMetric {
  int group;
  std::string_view quantity, unit;
  const char* metric;
};

inline constexpr std::array device_metrics{
    DeviceMetric{0, "global load sectors", "1", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"},
    DeviceMetric{0, "global store sectors", "1", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"},
    // Counted instruction by instruction, these are exact at every size. The hardware's counters of those
    // take some for executed whose lanes are all off, and those of wavefronts count some again under load.
    DeviceMetric{1, "global load requests", "1", "sm__sass_inst_executed_op_global_ld.sum"},
    DeviceMetric{1, "global store requests", "1", "sm__sass_inst_executed_op_global_st.sum"},
    DeviceMetric{1, "shared load requests", "1", "sm__sass_inst_executed_op_shared_ld.sum"},
    DeviceMetric{1, "shared load wavefronts", "1",
                 "sm__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"},
    DeviceMetric{1, "shared store requests", "1", "sm__sass_inst_executed_op_shared_st.sum"},
    DeviceMetric{1, "shared store wavefronts", "1",
                 "sm__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum"},
    DeviceMetric{2, "instructions", "1", "smsp__inst_executed.sum"},
    DeviceMetric{3, "DRAM bytes read", "B", "dram__bytes_read.sum"},
    DeviceMetric{3, "DRAM bytes written", "B", "dram__bytes_write.sum"},
    DeviceMetric{3, "achieved occupancy", "%", "sm__warps_active.avg.pct_of_peak_sustained_active"},
    DeviceMetric{4, "L2 sectors, busiest slice", "1", "lts__t_sectors.max"},
    DeviceMetric{4, "L2 sectors, mean slice", "1", "lts__t_sectors.avg"},
    DeviceMetric{4, "DRAM sectors read, busiest channel", "1", "dram__sectors_read.max"},
    DeviceMetric{4, "DRAM sectors read, mean channel", "1", "dram__sectors_read.avg"},
    DeviceMetric{4, "DRAM sectors written, busiest channel", "1", "dram__sectors_write.max"},
    DeviceMetric{4, "DRAM sectors written, mean channel", "1", "dram__sectors_write.avg"},
    // An atomic whose old value nobody reads is a reduction, which is an instruction of its own.
    DeviceMetric{5, "global atomic requests", "1", "smsp__inst_executed_op_generic_atom_pred_on_any.sum"},
    DeviceMetric{5, "global atomic sectors", "1", "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum"},
    DeviceMetric{5, "global reduction requests", "1", "smsp__inst_executed_op_global_red_pred_on_any.sum"},
    DeviceMetric{5, "global reduction sectors", "1", "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum"},
    DeviceMetric{6, "shared atomic requests", "1", "sm__sass_inst_executed_op_shared_atom.sum"},
    DeviceMetric{6, "shared atomic wavefronts", "1",
                 "sm__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_atom.sum"},
    DeviceMetric{7, "L2 sectors", "1", "lts__t_sectors_srcunit_tex.sum"},
    DeviceMetric{7, "L2 sectors hit", "1", "lts__t_sectors_srcunit_tex_lookup_hit.sum"},
    DeviceMetric{8, "shared load wavefronts, under load", "1",
                 "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"},
    DeviceMetric{8, "shared store wavefronts, under load", "1",
                 "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"},
    DeviceMetric{2, "shared atomic wavefronts, under load", "1",
                 "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum"},
};
inline constexpr int device_metric_groups = 9;

/// The metrics of one group, in the order of device_metrics.
std::vector<const char*> metrics_of_group(int group);

/// Those of `quantities`, and what is in their groups, for everything that the run does on device number
/// `device`; all where `quantities` is empty. Each is absent with the reason where it cannot be counted. The
/// run is called once for each pass of each group.
std::vector<DeviceCount> count_on_device(int device, const CountedRun& counted,
                                         std::span<const std::string_view> quantities = {});

/// Takes out requests of loads and stores that were not seen where there are sectors of them: kernels that
/// are part of the driver, such as those of its copies, are not counted instruction by instruction.
void drop_unseen(std::vector<DeviceCount>&);

/// Those of one group.
std::vector<DeviceCount> count_group(int device, int group, const CountedRun& counted);

}  // namespace tallcache::gpu
