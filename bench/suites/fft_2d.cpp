// The measurements of Fourier transforms in two dimensions.
#include "bench/suites/fft_peers.hpp"

namespace tallcache {
namespace {

const Shape smoke{{"m", 12}, {"n", 60}};

PeerCase array(Index m, Index n, bool all_cores = false) {
  return {.shape = {{"m", m}, {"n", n}}, .all_cores = all_cores};
}

PeerComparison peers(std::string_view element, std::string_view real) {
  PeerComparison comparison = fft_peers(element, real, "fft_axes", smoke);
  for (const Index n : {16, 64, 128, 256, 512, 1024}) comparison.cases.push_back(array(n, n));
  comparison.cases.push_back(array(100, 100));
  comparison.cases.push_back(array(1000, 1000));
  comparison.cases.push_back(array(300, 500));
  comparison.cases.push_back(array(127, 256));
  comparison.cases.push_back(array(2048, 2048, true));
  return comparison;
}

PeerComparison gpu_peers(std::string_view element, std::string_view real) {
  PeerComparison comparison = fft_peers(element, real, "axes", smoke, "gpu");
  for (const Index n : {64, 256, 512, 1024, 2048, 4096, 8192}) comparison.cases.push_back(array(n, n));
  comparison.cases.push_back(array(1000, 1000));
  comparison.cases.push_back(array(1080, 1920));
  comparison.cases.push_back(array(1009, 1024));
  return comparison;
}

}  // namespace

extern const Suite fft_2d_suite;
const Suite fft_2d_suite{
    .operation = "fft_2d",
    .peers = {peers("complex_double", "double"), peers("complex_float", "float"),
              gpu_peers("complex_double", "double"), gpu_peers("complex_float", "float")}};

}  // namespace tallcache
