// The catalogue as Google Benchmarks, named operation/backend/variant/element/shape. Each is verified before
// and after it is timed. All of Google Benchmark's flags work; repetitions are interleaved in random order by
// default. With --threads=N parallel variants run on N threads. With --misses each is also traced once, in a
// pass of its own after the timed one, and shows its simulated cache misses.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <charconv>
#include <cstring>
#include <list>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "bench/measure/context.hpp"
#include "bench/results/tuning_file.hpp"
#include "bench/show/streams.hpp"
#include "common/catalogue.hpp"
#include "common/measure/harness.hpp"
#ifdef TALLCACHE_HAS_PAPI
#include "bench/measure/misses.hpp"
#include "common/fork/one_tbb.hpp"
#endif

namespace tallcache {
namespace {

// Filling and checking inputs costs more than most runs. Problems are therefore kept, the latest first, up to
// this size.
constexpr std::size_t kept_bytes = std::size_t{2} << 30;

Workspace& workspace_for(const Operation& operation, const Shape& shape, std::string_view backend) {
  static std::map<std::string_view, std::unique_ptr<Executor>> executors;
  static std::map<std::string_view, std::list<std::unique_ptr<Workspace>>> kept_by;
  std::unique_ptr<Executor>& executor = executors[backend];
  if (!executor) executor = make_executor(backend);
  auto& kept = kept_by[backend];
  const auto bytes = [](const auto& workspace) { return problem_bytes(workspace->problem()); };
  const auto found = std::ranges::find_if(kept, [&](const auto& workspace) {
    return workspace->problem().operation == &operation && workspace->problem().shape == shape;
  });
  if (found != kept.end()) {
    kept.splice(kept.begin(), kept, found);
  } else {
    std::size_t total = problem_bytes({&operation, shape});
    for (const auto& workspace : kept) total += bytes(workspace);
    while (!kept.empty() && total > kept_bytes) {
      total -= bytes(kept.back());
      kept.pop_back();
    }
    kept.push_front(std::make_unique<Workspace>(Problem{&operation, shape}, *executor));
  }
  return *kept.front();
}

bool count_misses = false;
int threads = 1;

// The misses of one run in this machine's caches, traced once for all repetitions. Where there are none the
// label says why.
void add_misses(benchmark::State& state, [[maybe_unused]] const Problem& problem,
                [[maybe_unused]] const Candidate& candidate) {
#ifdef TALLCACHE_HAS_PAPI
  constexpr double max_accesses = 5e8;  // 10 to 20 s
  if (!candidate.variant->trace) return state.SetLabel("misses: a library or on the GPU: not traced");
  if (estimated_accesses(*problem.operation, problem.shape) > max_accesses)
    return state.SetLabel("misses: too large: tallcache misses traces it");
  static std::map<std::pair<const Variant*, std::string>, MissCounts> known;
  const auto [entry, is_new] =
      known.try_emplace({candidate.variant, to_string(*problem.operation, problem.shape)});
  if (is_new) entry->second = simulated_misses(problem, candidate, machine_caches(0));
  for (std::size_t i = 0; i < entry->second.levels.size(); ++i)
    state.counters[fmt::format("simulated_L{}_misses", i + 1)] =
        static_cast<double>(*entry->second.levels[i].misses);
#else
  state.SetLabel("misses: built without PAPI");
#endif
}

void run(benchmark::State& state, const Variant& variant, const Shape& shape) {
  const Operation& operation = *variant.operation;
  const Candidate candidate{.variant = &variant, .threads = threads};
  try {
    Workspace& workspace = workspace_for(operation, shape, variant.backend);
    if (const Check check = workspace.verify(candidate); !check)
      return state.SkipWithError(("wrong result: " + check.message()).c_str());
    std::vector<double> phases(variant.phases.size());
    for (auto _ : state) {
      workspace.renew_inputs();
      const auto seconds = workspace.run(candidate);
      double total = 0;
      for (std::size_t p = 0; p < seconds.size(); ++p)
        if (variant.phases[p].timed) total += seconds[p], phases[p] += seconds[p];
      state.SetIterationTime(total);
    }
    if (const Check check = workspace.verify(candidate); !check)
      return state.SkipWithError(("wrong result after timing: " + check.message()).c_str());
    const double once = per_second(operation.rate, operation.cost(shape), 1);
    state.counters[std::string(unit_of(operation.rate))] =
        benchmark::Counter(once, benchmark::Counter::kIsIterationInvariantRate);
    if (count_misses) add_misses(state, workspace.problem(), candidate);
    if (std::ranges::count_if(variant.phases, &PhaseSpec::timed) > 1)
      for (std::size_t p = 0; p < phases.size(); ++p)
        if (variant.phases[p].timed)
          state.counters[fmt::format("{}_s", variant.phases[p].name)] =
              benchmark::Counter(phases[p], benchmark::Counter::kAvgIterations);
  } catch (const Error& error) {
    state.SkipWithError(error.what());
  }
}

void register_catalogue() {
  for (const Variant* variant : variants()) {
    const Operation& operation = *variant->operation;
    for (const Shape& given : operation.bench_shapes()) {
      const Shape shape = complete_shape(operation, given);
      if (!variant->supports(shape) || (threads > 1 && !variant->parallel)) continue;
      const std::string name = fmt::format("{}/{}/{}/{}/{}", operation.name, variant->backend, variant->name,
                                           operation.element, to_string(operation, shape)) +
                               (threads > 1 ? fmt::format("/threads:{}", threads) : "");
      const std::string reason = variant->unavailable();
      benchmark::RegisterBenchmark(name.c_str(),
                                   [=](benchmark::State& state) {
                                     if (!reason.empty()) return state.SkipWithError(reason.c_str());
                                     run(state, *variant, shape);
                                   })
          ->UseManualTime()
          ->Unit(benchmark::kMillisecond);
    }
  }
}

// The arguments behind the defaults, without the suite's own flags. Throws Error on a number of threads that
// this machine has not.
std::vector<char*> google_arguments(std::span<char*> given, std::span<std::string> defaults) {
  // Defaults come first: a later flag of the same name wins.
  std::vector<char*> args{given[0]};
  for (std::string& flag : defaults) args.push_back(flag.data());
  for (char* const argument : given.subspan(1))
    if (std::strcmp(argument, "--misses") == 0) {
      count_misses = true;
    } else if (constexpr std::string_view flag = "--threads="; std::string_view(argument).starts_with(flag)) {
      const std::string_view count = std::string_view(argument).substr(flag.size());
      const auto [end, error] = std::from_chars(count.begin(), count.end(), threads);
      if (error != std::errc() || end != count.end()) threads = 0;  // which no machine has
      require_threads(threads);
    } else {
      args.push_back(argument);
    }
  return args;
}

int run_all(std::span<char*> given) {
  use_tuning_of_environment();
  std::string defaults[] = {"--benchmark_enable_random_interleaving=true", "--benchmark_repetitions=5",
                            "--benchmark_report_aggregates_only=true", "--benchmark_min_time=0.2"};
  std::vector<char*> args = google_arguments(given, defaults);
  int count = static_cast<int>(args.size());
  benchmark::Initialize(&count, args.data());
  if (benchmark::ReportUnrecognizedArguments(count, args.data())) return 1;
  const Json context = machine_context();
  for (const auto& [key, value] : context.items())
    if (!value.empty())
      benchmark::AddCustomContext(key, value.is_string() ? value.get<std::string>() : value.dump());
  register_catalogue();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}

}  // namespace
}  // namespace tallcache

int main(int argc, char** argv) {
  return tallcache::run_program("tallcache_bench", [=] {
    return tallcache::run_all({argv, static_cast<std::size_t>(argc)});
  });
}
