// The speed of the model of a GPU's requests: accesses of lanes per second on one core, for the text of each
// transposition and product of floats, and their geometric mean.
#include <benchmark/benchmark.h>

#include <cmath>
#include <ctime>
#include <string>
#include <vector>

#include "common/catalogue.hpp"
#include "gpu/kernel_text.hpp"
#include "gpu/widths.hpp"

namespace {

using namespace tallcache;

struct Subject {
  const gpu::KernelText* text;
  Shape shape;
};

std::vector<Subject> subjects() {
  std::vector<Subject> list;
  for (const gpu::KernelText* text : gpu::kernel_texts()) {
    if (text->operation->element != "float") continue;
    if (text->operation->name == "transpose")
      list.push_back({text, {{"m", 1024}, {"n", 1024}}});
    else if (text->operation->name == "matmul")
      list.push_back({text, text->name == "one_block" ? Shape{{"m", 32}} : Shape{{"m", 128}}});
  }
  return list;
}

double accesses(const warp::HostDevice& device) {
  double lanes = 0;
  for (const warp::SiteCounts& site : device.sites()) lanes += static_cast<double>(site.counts.lanes);
  return lanes;
}

/// The accesses of the text: what a compiler merges counts as often as it was written.
double accesses_of_text(const gpu::TextProblem& problem) {
  warp::HostDevice device(cache::warp_machine("h200"));
  problem.run(device);
  return accesses(device);
}

/// The processor's seconds for one run as compiled, behind one that makes the threads' stacks.
double seconds_as_compiled(const gpu::TextProblem& problem) {
  warp::HostDevice device(cache::warp_machine("h200"));
  device.use(gpu::compiled_widths());
  problem.run(device);
  const std::clock_t start = std::clock();
  problem.run(device);
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

void geometric_mean(benchmark::State& state) {
  const std::vector<Subject> list = subjects();
  double logarithms = 0;
  std::size_t runs = 0;
  for (auto _ : state)
    for (const Subject& subject : list) {
      const gpu::TextProblem problem(*subject.text, subject.shape);
      logarithms += std::log(accesses_of_text(problem) / seconds_as_compiled(problem));
      ++runs;
    }
  state.counters["accesses_per_second"] = std::exp(logarithms / static_cast<double>(runs));
  state.counters["texts"] = static_cast<double>(list.size());
}

void one(benchmark::State& state, const Subject& subject) {
  const gpu::TextProblem problem(*subject.text, subject.shape);
  const double number = accesses_of_text(problem);
  for (auto _ : state) state.SetIterationTime(seconds_as_compiled(problem));
  state.counters["accesses_per_second"] =
      benchmark::Counter(number, benchmark::Counter::kIsIterationInvariantRate);
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  for (const Subject& subject : subjects())
    benchmark::RegisterBenchmark(
        (std::string(subject.text->operation->name) + "/" + std::string(subject.text->name)).c_str(),
        [subject](benchmark::State& state) { one(state, subject); })
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark("geometric_mean", geometric_mean)->Unit(benchmark::kMillisecond);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
