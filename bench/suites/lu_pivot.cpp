// The measurements of LU decompositions with partial pivoting.
#include <utility>

#include "bench/suites/suite.hpp"

namespace tallcache {
namespace {

Shape matrix(Index m, Index n) { return {{"n", n}, {"m", m}}; }

OptimizationSteps steps() {
  return {
      .element = "double",
      .unit = "flop",
      .min_bytes = no_value,
      .limit = "the FMA peak",
      .shape = matrix(1024, 1024),
      .smoke = matrix(48, 48),
      .steps = {
          {"columns halved, products by loops", "lu_pivot_recursive"},
          {"packed products, panels in a transposed copy", "lu_pivot_toledo"},
          {.label = "forks on all cores", .variant = "lu_pivot_toledo", .all_cores = true},
          {.label = "OpenBLAS at its best, one core", .variant = "getrf", .peer = true},
          {.label = "OpenBLAS at its best, all cores", .variant = "getrf", .all_cores = true, .peer = true}}};
}

OptimizationSteps gpu_steps() {
  return {
      .element = "double",
      .unit = "flop",
      .min_bytes = no_value,
      .limit = "the FMA peak",
      .shape = matrix(2048, 2048),
      .smoke = matrix(65, 65),
      .steps = {{"a kernel for each part of a column's step", "right_looking"},
                {"halved columns, panels in a cluster, blocks of 256 columns", "toledo", {{"block", 256}}},
                {"blocks of columns as suits the size", "toledo"},
                {.label = "cuSOLVER", .variant = "cusolver_getrf", .peer = true}},
      .backend = "gpu"};
}

PeerComparison gpu_peers(std::string_view element) {
  PeerComparison comparison{.element = element,
                            .variant = "toledo",
                            .share = {SpeedShare::Of::limit, "of the FMA peak"},
                            .smoke = matrix(65, 65),
                            .backend = "gpu",
                            .mean = true};
  std::vector<PeerCase>& cases = comparison.cases;
  for (const Index n : {256, 512, 1000, 1024, 2048, 4096, 4095, 8192})
    cases.push_back({.shape = matrix(n, n)});
  for (const auto& [m, n] : {std::pair<Index, Index>{8192, 256}, {20000, 512}, {512, 8192}, {4096, 1000}})
    cases.push_back({.shape = matrix(m, n)});
  cases.push_back({.shape = matrix(16384, 16384), .from = Scale::full});
  return comparison;
}

PeerComparison peers(std::string_view element) {
  PeerComparison comparison{.element = element,
                            .variant = "lu_pivot_toledo",
                            .share = {SpeedShare::Of::limit, "of the FMA peak"},
                            .smoke = matrix(65, 65),
                            .mean = true};
  std::vector<PeerCase>& cases = comparison.cases;
  for (const Index n :
       {64, 96, 100, 128, 192, 200, 256, 257, 384, 500, 512, 513, 768, 1000, 1024, 1536, 2048})
    cases.push_back({.shape = matrix(n, n)});
  for (const auto& [m, n] : {std::pair<Index, Index>{1000, 64},
                             {4096, 64},
                             {10000, 100},
                             {2000, 500},
                             {4000, 1000},
                             {64, 1000},
                             {100, 4000},
                             {500, 2000},
                             {1000, 4000},
                             {777, 1333}})
    cases.push_back({.shape = matrix(m, n)});
  cases.push_back({.shape = {{"n", 1000}, {"m", 1000}, {"pad", 24}}});
  for (const Index n : {3000, 4096}) cases.push_back({.shape = matrix(n, n), .from = Scale::full});
  for (const Index n : {256, 1024, 2048}) cases.push_back({.shape = matrix(n, n), .all_cores = true});
  cases.push_back({.shape = matrix(4096, 4096), .all_cores = true, .from = Scale::full});
  return comparison;
}

}  // namespace

extern const Suite lu_pivot_suite;
const Suite lu_pivot_suite{
    .operation = "lu_pivot",
    .sizes = {.element = "double",
              .smoke = {48, 64},
              .quick = {128, 256, 512, 1024, 2048},
              .full = {128, 256, 512, 1024, 2048, 4096, 8192}},
    .steps = {steps(), gpu_steps()},
    .peers = {peers("double"), peers("float"), gpu_peers("double"), gpu_peers("float")}};

}  // namespace tallcache
