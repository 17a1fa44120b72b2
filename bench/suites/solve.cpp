// The measurements of solutions of linear systems.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "bench/suites/suite.hpp"
#include "common/ops/solve.hpp"

namespace tallcache {
namespace {

Shape system_of(Index n, Index p = 1) { return {{"n", n}, {"p", p}}; }

OptimizationSteps steps() {
  return {
      .element = "double",
      .unit = "flop",
      .min_bytes = no_value,
      .limit = "the FMA peak",
      .shape = system_of(2048),
      .smoke = system_of(48),
      .steps = {
          {"factors in double", "refined", {{"factors", 64}}},
          {"factors in float, refined", "refined"},
          {.label = "forks on all cores", .variant = "refined", .all_cores = true},
          {.label = "OpenBLAS at its best, one core", .variant = "gesv", .peer = true},
          {.label = "OpenBLAS at its best, all cores", .variant = "gesv", .all_cores = true, .peer = true}}};
}

PeerComparison peers() {
  PeerComparison comparison{.element = "double",
                            .variant = "refined",
                            .share = {SpeedShare::Of::limit, "of the FMA peak"},
                            .smoke = system_of(65),
                            .mean = true};
  std::vector<PeerCase>& cases = comparison.cases;
  for (const Index n : {64, 128, 256, 500, 512, 1000, 1024, 1536, 2048}) cases.push_back({system_of(n)});
  for (const Index p : {16, 1000}) cases.push_back({system_of(1000, p)});
  for (const Index n : {3000, 4096}) cases.push_back({.shape = system_of(n), .from = Scale::full});
  for (const Index n : {512, 1024, 2048}) cases.push_back({.shape = system_of(n), .all_cores = true});
  cases.push_back({.shape = system_of(4096), .all_cores = true, .from = Scale::full});
  // Factors in float are of no use to these: the time of both decompositions.
  cases.push_back({.shape = system_of(1024), .input = "near_singular"});
  return comparison;
}

PeerComparison gpu_peers() {
  PeerComparison comparison{.element = "double",
                            .variant = "refined",
                            .share = {SpeedShare::Of::limit, "of the FMA peak"},
                            .smoke = system_of(65),
                            .backend = "gpu",
                            .mean = true};
  std::vector<PeerCase>& cases = comparison.cases;
  for (const Index n : {1024, 2048, 4096, 8191, 8192, 16384}) cases.push_back({system_of(n)});
  cases.push_back({system_of(8192, 16)});
  cases.push_back({.shape = system_of(4096), .input = "near_singular"});
  return comparison;
}

/// Of backward errors: how far A X is from B.
class SolveReference final : public ErrorReference {
 public:
  SolveReference(const Shape& shape, std::string_view input, std::uint64_t seed)
      : shape_(complete_shape(operation_of<Solve<double>>, shape)), input_(input), seed_(seed) {}

  void fill(std::span<std::byte* const> buffers) const override {
    Solve<double>::fill(shape_, input_, seed_, buffers);
  }

  RoundingErrors errors(std::span<const std::byte> output) const override {
    std::vector<std::byte> memory[3];
    std::array<std::byte*, 3> buffers{};
    const auto specs = Solve<double>::buffers(shape_);
    for (std::size_t i = 0; i < specs.size(); ++i) {
      memory[i].resize(specs[i].bytes);
      buffers[i] = memory[i].data();
    }
    fill(buffers);
    std::ranges::copy(output, buffers[0]);
    RoundingErrors errors{0, 0};
    const double elements = static_cast<double>(shape_["n"] * shape_["p"]);
    const Solve<double>::Args<> args = Solve<double>::bind(shape_, buffers, {});
    const std::vector<double> norms = Solve<double>::magnitudes(args);
    Solve<double>::for_each_residual(args, 0, shape_["n"], [&](Index, Index c, double residual) {
      const double error = residual == 0 ? 0 * norms[c] : std::abs(residual) / (norms[c] * 0x1p-53);
      if (!(error <= errors.max)) errors.max = error;
      errors.mean += error / elements;
    });
    return std::isfinite(errors.mean) ? errors : RoundingErrors{};
  }

 private:
  Shape shape_;
  std::string_view input_;
  std::uint64_t seed_;
};

constexpr std::string_view inputs[] = {"uniform", "graded", "near_singular"};

ErrorStudy errors(std::string_view backend, Index largest) {
  ErrorStudy study{.element = "double",
                   .dimension = "n",
                   .smoke_ladder = {system_of(16), system_of(64)},
                   .timed = system_of(1024),
                   .smoke_timed = system_of(48),
                   .inputs = inputs,
                   .reference = [](const Shape& shape, std::string_view input,
                                   std::uint64_t seed) -> std::unique_ptr<ErrorReference> {
                     return std::make_unique<SolveReference>(shape, input, seed);
                   },
                   .relative_to = "||A|| ||x||",
                   .theory =
                       "The result is A X, the exact one B: these are backward errors in the infinity norm. "
                       "Refinement ends below sqrt(n) u; elimination with partial pivoting has an error of "
                       "about as much, but for rare matrices (Higham 2002, 9.4).",
                   .backend = backend};
  for (Index n = 64; n <= largest; n *= 4) study.ladder.push_back(system_of(n));
  if (backend == "cpu")
    study.runs = {{"refined", {{"factors", 32}}}, {"refined", {{"factors", 64}}}, {"gesv"}};
  return study;
}

}  // namespace

extern const Suite solve_suite;
const Suite solve_suite{.operation = "solve",
                        .sizes = {.element = "double",
                                  .smoke = {48, 64},
                                  .quick = {128, 256, 512, 1024, 2048},
                                  .full = {128, 256, 512, 1024, 2048, 4096, 8192}},
                        .steps = {steps()},
                        .peers = {peers(), gpu_peers()},
                        .errors = {errors("cpu", 1024), errors("gpu", 4096)}};

}  // namespace tallcache
