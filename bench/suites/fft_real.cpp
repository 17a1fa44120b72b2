// The measurements of Fourier transforms of real numbers.
#include "bench/suites/fft_peers.hpp"

namespace tallcache {
namespace {

Shape numbers(Index n) { return {{"n", n}}; }

PeerComparison peers(std::string_view element) {
  PeerComparison comparison = fft_peers(element, element, "fft_real_halves", numbers(60));
  std::vector<PeerCase>& cases = comparison.cases;
  for (int lg = 6; lg <= 20; ++lg) cases.push_back({.shape = numbers(Index{1} << lg)});
  for (const Index n : {60, 360, 1000, 1050, 2520, 10000, 44100, 100000})
    cases.push_back({.shape = numbers(n), .group = "2^a 3^b 5^c 7^d"});
  for (const Index n : {127, 1009, 10007}) cases.push_back({.shape = numbers(n), .group = "primes"});
  for (const int lg : {16, 20}) cases.push_back({.shape = numbers(Index{1} << lg), .all_cores = true});
  return comparison;
}

PeerComparison gpu_peers(std::string_view element) {
  PeerComparison comparison = fft_peers(element, element, "axes", numbers(60), "gpu");
  std::vector<PeerCase>& cases = comparison.cases;
  for (const int lg : {10, 14, 16}) cases.push_back({.shape = numbers(Index{1} << lg), .group = "to 2^16"});
  for (const int lg : {18, 20, 22, 24, 26}) cases.push_back({.shape = numbers(Index{1} << lg)});
  for (const Index n : {44100, 1000000, 999983}) cases.push_back({.shape = numbers(n)});
  return comparison;
}

}  // namespace

extern const Suite fft_real_suite;
const Suite fft_real_suite{
    .operation = "fft_real",
    .peers = {peers("double"), peers("float"), gpu_peers("double"), gpu_peers("float")}};

}  // namespace tallcache
