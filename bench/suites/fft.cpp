// The measurements of Fourier transforms.
#include "bench/suites/fft_peers.hpp"

namespace tallcache {
namespace {

Shape numbers(Index n) { return {{"n", n}}; }

OptimizationSteps steps() {
  return {.element = "complex_double",
          .unit = "number",
          .min_bytes = no_value,
          .limit = "the FMA peak",
          .shape = numbers(Index{1} << 20),
          .smoke = numbers(64),
          .steps = {{"radix 2, the halves side by side", "fft_recursive"},
                    {"six steps: sqrt n x sqrt n, transpositions", "fft_six_step"},
                    {"columns and rows in blocks, codelets over vectors", "fft_codelets"},
                    {"forks on all cores", "fft_codelets", {}, no_value, true},
                    {.label = "FFTW, one core", .variant = "fftw", .peer = true}}};
}

PeerComparison peers(std::string_view element, std::string_view real) {
  PeerComparison comparison = fft_peers(element, real, "fft_codelets", numbers(60));
  if (real == "double") comparison.beside = {"fft_six_step"};
  std::vector<PeerCase>& cases = comparison.cases;
  for (int lg = 6; lg <= 24; ++lg)
    cases.push_back({.shape = numbers(Index{1} << lg), .from = lg > 20 ? Scale::full : Scale::quick});
  for (const Index n : {60, 105, 360, 1000, 1050, 2187, 2520, 3125, 10000, 15120, 44100, 100000, 1000000})
    cases.push_back({.shape = numbers(n), .group = "2^a 3^b 5^c 7^d"});
  for (const Index n : {67, 127, 257, 509, 1009, 4099, 10007, 65537, 100003})
    cases.push_back({.shape = numbers(n), .group = "primes"});
  for (const int lg : {16, 20, 22, 24})
    cases.push_back(
        {.shape = numbers(Index{1} << lg), .all_cores = true, .from = lg > 20 ? Scale::full : Scale::quick});
  return comparison;
}

// Bytes: a level reads all numbers and writes them.
OptimizationSteps gpu_steps() {
  return {.element = "complex_double",
          .unit = "number",
          .min_bytes = 32,
          .limit = "the FMA peak",
          .shape = numbers(Index{1} << 24),
          .smoke = numbers(8192),
          .steps = {{"radix 2: a launch a level, a butterfly a thread", "butterfly_a_thread", {}, 24 * 32},
                    {"six steps: rows in shared memory, transpositions", "six_step", {}, 5 * 32},
                    {"two passes: tiles in registers, radix 16", "two_passes", {}, 2 * 32},
                    {"tiles shared by clusters, the second kernel early", "clusters", {}, 2 * 32},
                    {.label = "cuFFT", .variant = "cufft", .peer = true}},
          .backend = "gpu",
          .cold = true};
}

// The numbers of 2^18 and less are in the second-level cache between runs, unless it is flushed.
PeerComparison gpu_peers(std::string_view element, std::string_view real) {
  PeerComparison comparison = fft_peers(element, real, "clusters", numbers(8192), "gpu");
  comparison.beside = {"two_passes"};
  std::vector<PeerCase>& cases = comparison.cases;
  for (int lg = 6; lg < 18; ++lg)
    cases.push_back({.shape = numbers(Index{1} << lg), .group = "to 2^17: short kernels"});
  for (int lg = 18; lg <= 28; ++lg)
    cases.push_back({.shape = numbers(Index{1} << lg), .from = lg > 26 ? Scale::full : Scale::quick});
  for (const Index n : {10000, 44100, 100000, 1000000, 44100 * 60})
    cases.push_back({.shape = numbers(n), .group = "2^a 3^b 5^c 7^d"});
  for (const Index n : {10007, 100003, 17 * 65536, 999983})
    cases.push_back({.shape = numbers(n), .group = "large prime factors"});
  return comparison;
}

template <class T>
ErrorStudy errors(std::string_view backend) {
  ErrorStudy study{.element = Element<std::complex<T>>::name,
                   .dimension = "n",
                   .smoke_ladder = {numbers(16), numbers(256)},
                   .timed = numbers(Index{1} << 16),
                   .smoke_timed = numbers(64),
                   .inputs = error_inputs,
                   .reference = &fft_reference<T>,
                   .relative_to = "the outputs' root mean square",
                   .theory =
                       "A Fourier transform of n numbers with correctly rounded roots has an error of at "
                       "most about log2 n u of the outputs' norm, typically of the square root of that "
                       "(Higham 2002, 24.1; Schatzman, Accuracy of the discrete Fourier transform and "
                       "the fast Fourier transform, 1996).",
                   .backend = backend};
  for (const int lg : {4, 8, 12, 16, 20}) study.ladder.push_back(numbers(Index{1} << lg));
  return study;
}

}  // namespace

extern const Suite fft_suite;
const Suite fft_suite{
    .operation = "fft",
    .sizes = {.element = "complex_double",
              .smoke = {64, 256},
              .quick = {1 << 10, 1 << 14, 1 << 18, 1 << 22},
              .full = {1 << 10, 1 << 14, 1 << 18, 1 << 22, 1 << 26}},
    .steps = {steps(), gpu_steps()},
    .peers = {peers("complex_double", "double"), peers("complex_float", "float"),
              gpu_peers("complex_double", "double"), gpu_peers("complex_float", "float")},
    .errors = {errors<double>("cpu"), errors<float>("cpu"), errors<double>("gpu"), errors<float>("gpu")}};

}  // namespace tallcache
