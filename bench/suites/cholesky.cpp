// The measurements of Cholesky decompositions.
#include "bench/suites/suite.hpp"

namespace tallcache {
namespace {

Shape square(Index n) { return {{"n", n}}; }

OptimizationSteps steps() {
  return {
      .element = "double",
      .unit = "flop",
      .min_bytes = no_value,
      .limit = "the FMA peak",
      .shape = square(1024),
      .smoke = square(48),
      .steps = {
          {"quadrants, products by loops", "cholesky_recursive"},
          {"packed products, leaves in vectors", "cholesky_gustavson"},
          {.label = "forks on all cores", .variant = "cholesky_gustavson", .all_cores = true},
          {.label = "OpenBLAS at its best, one core", .variant = "potrf", .peer = true},
          {.label = "OpenBLAS at its best, all cores", .variant = "potrf", .all_cores = true, .peer = true}}};
}

OptimizationSteps gpu_steps() {
  return {.element = "double",
          .unit = "flop",
          .min_bytes = no_value,
          .limit = "the FMA peak",
          .shape = square(2048),
          .smoke = square(65),
          .steps = {{"a kernel for each part of a column's step", "right_looking"},
                    {"halved columns, products of tiles", "gustavson"},
                    {.label = "cuSOLVER", .variant = "cusolver_potrf", .peer = true}},
          .backend = "gpu"};
}

PeerComparison gpu_peers(std::string_view element) {
  PeerComparison comparison{.element = element,
                            .variant = "gustavson",
                            .share = {SpeedShare::Of::limit, "of the FMA peak"},
                            .smoke = square(65),
                            .backend = "gpu",
                            .mean = true};
  std::vector<PeerCase>& cases = comparison.cases;
  for (const Index n : {256, 512, 1000, 1024, 2048, 4096, 4095, 8192}) cases.push_back({.shape = square(n)});
  cases.push_back({.shape = square(16384), .from = Scale::full});
  return comparison;
}

PeerComparison peers(std::string_view element) {
  PeerComparison comparison{.element = element,
                            .variant = "cholesky_gustavson",
                            .share = {SpeedShare::Of::limit, "of the FMA peak"},
                            .smoke = square(65),
                            .mean = true};
  std::vector<PeerCase>& cases = comparison.cases;
  for (const Index n : {64,  65,  80,  96,  100, 127, 128, 129, 160, 192, 200,  255,  256,  257,
                        300, 333, 384, 448, 500, 511, 512, 513, 640, 768, 1000, 1024, 1536, 2048})
    cases.push_back({.shape = square(n)});
  for (const Index n : {500, 1000}) cases.push_back({.shape = {{"n", n}, {"pad", 24}}});
  for (const Index n : {3000, 4096}) cases.push_back({.shape = square(n), .from = Scale::full});
  for (const Index n : {256, 1024, 2048}) cases.push_back({.shape = square(n), .all_cores = true});
  cases.push_back({.shape = square(4096), .all_cores = true, .from = Scale::full});
  return comparison;
}

}  // namespace

extern const Suite cholesky_suite;
const Suite cholesky_suite{
    .operation = "cholesky",
    .steps = {steps(), gpu_steps()},
    .peers = {peers("double"), peers("float"), gpu_peers("double"), gpu_peers("float")}};

}  // namespace tallcache
