// The tables, each in its file.
#pragma once

#include "bench/tables/table.hpp"

namespace tallcache {

extern const Table matmul_cpu_table, matmul_counters_table, matmul_accesses_table, cache_complexity_table,
    transpose_cpu_table, counting_sort_cpu_table, matmul_parallel_table, work_span_table,
    cilkview_profile_table, cilkview_timing_table, fib_table, quicksort_table, matmul_threshold_table,
    matmul_gpu_table, matmul_gpu_intensity_table, transpose_gpu_gtx280_table, transpose_gpu_k40_table,
    peak_ratios_table, gemv_gemm_table;

}  // namespace tallcache
