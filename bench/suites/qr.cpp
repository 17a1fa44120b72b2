// The measurements of QR factorisations.
#include <utility>

#include "bench/suites/suite.hpp"

namespace tallcache {
namespace {

Shape shape(Index m, Index n, Index pad = 0) { return {{"m", m}, {"n", n}, {"pad", pad}}; }

OptimizationSteps steps() {
  return {.element = "double",
          .unit = "element",
          .min_bytes = no_value,
          .limit = "the FMA peak",
          .shape = shape(512, 512),
          .smoke = shape(48, 48),
          .steps = {{"one reflector at a time", "householder"},
                    {"halved columns, products for the right half", "recursive_wy"},
                    {"forks on all cores", "recursive_wy", {}, no_value, true},
                    {.label = "LAPACK's geqrf in OpenBLAS, one core", .variant = "geqrf", .peer = true}}};
}

OptimizationSteps gpu_steps() {
  return {.element = "double",
          .unit = "flop",
          .min_bytes = no_value,
          .limit = "the FMA peak",
          .shape = shape(2048, 2048),
          .smoke = shape(65, 65),
          .steps = {{"a reflector at a time, two kernels each", "householder"},
                    {"halved columns, panels in a cluster, blocks of 256 columns",
                     "recursive_wy",
                     {{"block", 256}}},
                    {"blocks of columns as suits the size", "recursive_wy"},
                    {.label = "cuSOLVER", .variant = "cusolver_geqrf", .peer = true}},
          .backend = "gpu"};
}

PeerComparison gpu_peers(std::string_view element) {
  PeerComparison comparison{.element = element,
                            .variant = "recursive_wy",
                            .share = {SpeedShare::Of::limit, "of the FMA peak"},
                            .smoke = shape(65, 65),
                            .backend = "gpu",
                            .mean = true};
  std::vector<PeerCase>& cases = comparison.cases;
  for (const Index n : {256, 512, 1000, 1024, 2048, 4096, 4095, 8192})
    cases.push_back({.shape = shape(n, n)});
  for (const auto& [m, n] : {std::pair<Index, Index>{8192, 256}, {20000, 512}, {512, 8192}, {4096, 1000}})
    cases.push_back({.shape = shape(m, n)});
  cases.push_back({.shape = shape(16384, 16384), .from = Scale::full});
  return comparison;
}

PeerComparison peers(std::string_view element) {
  PeerComparison comparison{.element = element,
                            .variant = "recursive_wy",
                            .share = {SpeedShare::Of::limit, "of the FMA peak"},
                            .smoke = shape(65, 65),
                            .mean = true};
  std::vector<PeerCase>& cases = comparison.cases;
  for (const Index n : {64, 65, 96, 100, 128, 192, 200, 256, 300, 384, 500, 512, 640, 768, 1000, 1024})
    cases.push_back({.shape = shape(n, n)});
  cases.push_back({.shape = shape(997, 997)});
  cases.push_back({.shape = shape(512, 512, 8)});
  for (const Index n : {16, 32, 100}) {
    cases.push_back({.shape = shape(4000, n)});
    cases.push_back({.shape = shape(n, 4000)});
  }
  for (const Index n : {64, 300}) {
    cases.push_back({.shape = shape(2000, n)});
    cases.push_back({.shape = shape(n, 2000)});
  }
  cases.push_back({.shape = shape(1500, 1500)});
  for (const Index n : {2000, 2048, 3000, 3072}) cases.push_back({.shape = shape(n, n), .from = Scale::full});
  cases.push_back({.shape = shape(100000, 32), .from = Scale::full});
  cases.push_back({.shape = shape(512, 512), .all_cores = true});
  cases.push_back({.shape = shape(1024, 1024), .all_cores = true});
  return comparison;
}

}  // namespace

extern const Suite qr_suite;
const Suite qr_suite{.operation = "qr",
                     .sizes = {.element = "double",
                               .smoke = {48, 64},
                               .quick = {64, 128, 256, 512, 1024},
                               .full = {64, 128, 256, 512, 1024, 2048, 3072}},
                     .steps = {steps(), gpu_steps()},
                     .peers = {peers("double"), peers("float"), gpu_peers("double"), gpu_peers("float")}};

}  // namespace tallcache
