// The measurements of batches of Fourier transforms.
#include "bench/suites/fft_peers.hpp"

namespace tallcache {
namespace {

const Shape smoke{{"n", 60}, {"batch", 5}};

// `total` numbers or a few less, in transforms of n.
PeerCase numbers(Index total, Index n, std::string_view group = {}) {
  return {.shape = {{"n", n}, {"batch", total / n}}, .group = group};
}

PeerComparison peers(std::string_view element, std::string_view real) {
  PeerComparison comparison = fft_peers(element, real, "fft_axes", smoke);
  constexpr Index total = 1 << 18;
  for (const Index n : {8, 16, 64, 256, 1024, 4096, 16384}) comparison.cases.push_back(numbers(total, n));
  for (const Index n : {12, 60, 100, 1000, 2520})
    comparison.cases.push_back(numbers(total, n, "2^a 3^b 5^c 7^d"));
  for (const Index n : {127, 1009}) comparison.cases.push_back(numbers(total, n, "primes"));
  for (const Index n : {64, 1024}) {
    comparison.cases.push_back(numbers(Index{1} << 22, n));
    comparison.cases.back().all_cores = true;
  }
  return comparison;
}

PeerComparison gpu_peers(std::string_view element, std::string_view real) {
  PeerComparison comparison = fft_peers(element, real, "axes", smoke, "gpu");
  constexpr Index total = 1 << 24;
  for (const Index n : {8, 16, 64, 256, 1024, 4096, 8192})
    comparison.cases.push_back(numbers(total, n, "to 2^13"));
  for (const Index n : {1 << 14, 1 << 15, 1 << 16}) comparison.cases.push_back(numbers(total, n));
  for (const Index n : {60, 100, 1000, 2520, 44100})
    comparison.cases.push_back(numbers(total, n, "2^a 3^b 5^c 7^d"));
  for (const Index n : {127, 1009, 10007}) comparison.cases.push_back(numbers(total, n, "primes"));
  return comparison;
}

}  // namespace

extern const Suite fft_batched_suite;
const Suite fft_batched_suite{
    .operation = "fft_batched",
    .peers = {peers("complex_double", "double"), peers("complex_float", "float"),
              gpu_peers("complex_double", "double"), gpu_peers("complex_float", "float")}};

}  // namespace tallcache
