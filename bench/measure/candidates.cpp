#include "bench/measure/candidates.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>

#include "bench/measure/context.hpp"
#include "bench/measure/interrupt.hpp"
#include "bench/measure/options.hpp"
#include "bench/show/streams.hpp"
#include "bench/suites/by_name.hpp"
#include "bench/suites/suite.hpp"
#include "common/backend.hpp"
#include "common/catalogue.hpp"
#include "common/fork/one_tbb.hpp"

namespace tallcache {
namespace {

bool runs_on_host(const Variant* variant) { return on_host(*variant); }

/// Of an empty `backend`: the first that has a variant of that name.
const Variant& named_variant(const Operation& operation, const std::string& name, std::string_view backend) {
  const auto list = variants_of(operation);
  const Variant* elsewhere = nullptr;
  for (const Variant* variant : list) {
    if (variant->name != name) continue;
    if (backend.empty() || variant->backend == backend) return *variant;
    elsewhere = variant;
  }
  if (elsewhere)
    throw Error(fmt::format("{} has '{}' on the {}, not on the {}", operation.name, name,
                            find_backend(elsewhere->backend).title, find_backend(backend).title));
  return find_variant(operation, name, backend.empty() ? list.front()->backend : backend);
}

// The variant of this name, or those that it matches as a pattern: of the CPU's those that run on so many
// threads.
void add_named(std::vector<const Variant*>& chosen, const Operation& operation, const std::string& name,
               int threads, std::string_view backend) {
  if (!is_pattern(name)) return chosen.push_back(&named_variant(operation, name, backend));
  const std::size_t before = chosen.size();
  for (const Variant* variant : variants_of(operation))
    if (matches(name, variant->name) && (backend.empty() || variant->backend == backend) &&
        (threads == 1 || !on_host(*variant) || variant->parallel))
      chosen.push_back(variant);
  if (chosen.size() == before)
    throw Error(fmt::format("no variant of {} matches '{}'", operation.name, name));
}

// A graph's kernels are those of its plain run.
void count(Workspace& workspace, const Backend& backend, int device, const Protocol& protocol,
           Measurement& measured) {
  if (!measured.outcome.measured() || measured.candidate.launch == LaunchMode::graph) return;
  measured.counts = backend.count(device,
                                  {.run = [&] { workspace.run(measured.candidate); },
                                   .prepare =
                                       [&] {
                                         workspace.renew_inputs();
                                         if (protocol.cold) workspace.flush_caches();
                                       }},
                                  protocol.counts);
}

// The joules of a run: of so many in one piece that the counters tell them, which are renewed every
// millisecond, or every fifty.
Figure<double> joules_of_run(Workspace& workspace, const Backend& backend, int device, double least_seconds,
                             const Measurement& measured) {
  if (!backend.joules) return Figure<double>::none("nothing tells them");
  if (workspace.in_place()) return Figure<double>::none("the operation changes its inputs");
  const double seconds = std::max(measured.median_s(), 1e-9);
  const int times = static_cast<int>(std::clamp(std::ceil(least_seconds / seconds), 1.0, 1e7));
  const Figure<double> before = backend.joules(device);
  if (!before) return before;
  workspace.run(measured.candidate, times);
  const Figure<double> after = backend.joules(device);
  return after ? Figure<double>((*after - *before) / times) : after;
}

void add_energy(Workspace& workspace, const Backend& backend, int device, const Protocol& protocol,
                Measurement& measured) {
  if (!measured.outcome.measured()) return;
  stop_if_interrupted();
  measured.counts.push_back(
      {.quantity = "energy",
       .unit = "J",
       .event = backend.energy_counter.empty() ? "none" : backend.energy_counter,
       .value = joules_of_run(workspace, backend, device, protocol.energy_seconds, measured)});
}

// "matmul double m=512,n=512,k=512 on the CPU: 3 repetitions", where every round is to be named.
void tell_round(const Problem& problem, const Backend& backend, std::span<const Measurement> measured) {
  if (verbosity() != Verbosity::verbose) return;
  std::size_t repetitions = 0;
  for (const Measurement& m : measured)
    if (m.candidate.variant->backend == backend.name) repetitions = std::max(repetitions, m.samples_s.size());
  print(Stream::progress, "{} {} {} on the {}: {} repetition{}\n", problem.operation->name,
        problem.operation->element, to_string(*problem.operation, problem.shape), backend.title, repetitions,
        repetitions == 1 ? "" : "s");
}

}  // namespace

std::vector<Candidate> candidates(const Operation& operation, std::span<const std::string> names,
                                  std::span<const std::string> params, int threads,
                                  std::string_view backend) {
  std::vector<const Variant*> chosen;
  for (const Variant* variant : variants_of(operation))
    if (backend.empty() || variant->backend == backend) chosen.push_back(variant);
  if (chosen.empty())
    throw Error(fmt::format("{} has no variant on the {}", operation.name, find_backend(backend).title));
  if (!names.empty()) {
    chosen.clear();
    for (const std::string& name : names) add_named(chosen, operation, name, threads, backend);
  } else if (threads > 1) {
    const auto serial = std::erase_if(chosen, [](const Variant* v) { return on_host(*v) && !v->parallel; });
    if (serial && std::ranges::none_of(chosen, runs_on_host))
      throw Error(fmt::format("no variant of {} runs on several threads", operation.name));
  }
  std::vector<Candidate> list;
  for (const Variant* variant : chosen)
    list.push_back({.variant = variant, .threads = on_host(*variant) ? threads : 1});
  for (const std::string& text : params) {
    const std::string name = text.substr(0, text.find('='));
    bool known = false;
    for (Candidate& candidate : list)
      for (const ParamSpec& spec : candidate.variant->params)
        if (spec.name == name) {
          candidate.params.set(spec.name, parse_params(*candidate.variant, text)[spec.name]);
          known = true;
        }
    if (!known)
      parse_params(*list.front().variant, text), throw Error(fmt::format("no variant here has '{}'", name));
  }
  return list;
}

std::vector<Measurement> measure_each(const Problem& problem, std::span<const Candidate> list,
                                      const Protocol& protocol, int device,
                                      const std::function<void(std::span<const Measurement>)>& progress) {
  stop_if_interrupted();
  std::vector<Measurement> all;
  for (const Candidate& candidate : list) all.push_back({.candidate = candidate});
  for (const Backend* backend : backends()) {
    std::vector<std::size_t> places;
    std::vector<Candidate> own;
    std::string unavailable;  // of all of them
    for (std::size_t c = 0; c < list.size(); ++c) {
      if (list[c].variant->backend != backend->name) continue;
      const std::string reason = list[c].variant->unavailable();
      unavailable = own.empty() || !unavailable.empty() ? reason : "";
      places.push_back(c);
      own.push_back(list[c]);
    }
    if (own.empty()) continue;
    const auto keep = [&](std::span<const Measurement> measured) {
      for (std::size_t i = 0; i < places.size(); ++i) all[places[i]] = measured[i];
    };
    try {
      if (!backend->host && !unavailable.empty()) throw Error(unavailable, Status::unavailable);
      const auto executor = backend->make_executor(device);
      Workspace workspace(problem, *executor);
      keep(measure(workspace, own, protocol, [&](std::span<const Measurement> so_far) {
        keep(so_far);
        if (progress) progress(all);
        tell_round(problem, *backend, all);
        stop_if_interrupted();
      }));
      if (!protocol.counts.empty() && backend->count)
        for (std::size_t place : places) count(workspace, *backend, device, protocol, all[place]);
      if (protocol.energy_seconds > 0)
        for (std::size_t place : places) add_energy(workspace, *backend, device, protocol, all[place]);
    } catch (const Error& error) {
      if (backend->host) throw;
      for (std::size_t place : places)  // what was measured stays, though it could not be counted
        if (!all[place].outcome.measured())
          all[place] = {.candidate = list[place], .outcome = {error.status(), error.what()}};
    }
  }
  return all;
}

std::vector<Candidate> graphs_of(std::span<const Measurement> measured) {
  std::vector<Candidate> graphs;
  bool is_small = false;
  for (const Measurement& m : measured) {
    if (on_host(*m.candidate.variant) || !m.outcome.measured()) continue;
    is_small = is_small || m.median_s() < graphs_below_s;
    graphs.push_back(m.candidate);
    graphs.back().launch = LaunchMode::graph;
  }
  if (!is_small) graphs.clear();
  return graphs;
}

const char* const input_help =
    "Kind of input data; the operation's first; of a sort also one of a family, as zipf:s=1.3 (see "
    "'tallcache list sort')";

ProblemFlags add_problem(CLI::App& command, ProblemOptions& options, const std::string& when_none) {
  command.add_option("operation", options.operation, "The operation: see 'tallcache list'")
      ->capture_default_str();
  command.add_option(
      "variants", options.variants,
      fmt::format("Its variants, or patterns of them as 'rec*'; {} when none is named", when_none));
  CLI::Option* const shape = command.add_option(
      "--shape", options.shape,
      "Sizes, as m=512,n=256,k=64,pad=8; what is left out is the first; one of the operation's own in place "
      "of none. Of run, profile and misses also sweeps, as m=64..4096*2 or m=100..500+100");
  command.add_option("--element", options.element, "Element type, as double; the operation's first");
  command.add_option("--param", options.params, "A variant's parameter, as base=32; may be repeated");
  CLI::Option* const input = command.add_option("--input", options.input, input_help);
  command.add_option("--order", options.order,
                     "Of a graph: its vertices renamed at random (scattered), for locality (degree, "
                     "bisection), or so that the search begins at one that the seed draws (root)");
  add_seed(command, options.seed);
  return {shape, input};
}

namespace {
// The bench shapes stand from small to large, special ones behind.
Shape default_shape(const Operation& operation, bool smallest) {
  const auto shapes = operation.bench_shapes();
  return complete_shape(operation, shapes[smallest ? 0 : (shapes.size() - 1) / 2]);
}
}  // namespace

Problem problem_of(const ProblemOptions& options) {
  return problem_of(find_operation(options.operation, options.element), options);
}

Problem problem_of(const Operation& operation, const ProblemOptions& options) {
  return in_order(
      {&operation,
       options.shape.empty() ? default_shape(operation, options.smallest_shape)
                             : parse_shape(operation, options.shape),
       options.input.empty() ? operation.inputs.front() : std::string_view(options.input), options.seed},
      options);
}

Problem in_order(const Problem& problem, std::string_view order) {
  for (const Suite* suite : suites())
    if (suite->operation == problem.operation->name && suite->in_order)
      return suite->in_order(problem, order);
  throw Error(fmt::format("{} does not work on a graph", problem.operation->name));
}

Problem in_order(const Problem& problem, const ProblemOptions& options) {
  return options.order.empty() ? problem : in_order(problem, options.order);
}

void add_huge_pages(CLI::App& command, Pages& pages) {
  command.add_flag_callback(
      "--huge-pages",
      [&pages] {
        const Figure<std::string> given = this_machine().huge_pages;
        if (!given || *given == "never")
          throw Error(fmt::format("--huge-pages: the system gives none ({})", given ? *given : given.absent));
        pages = Pages::huge;
      },
      "The arrays of all variants alike on pages of 2 MiB");
}

void add_fork(CLI::App& command, ForkPolicy& fork) {
  std::vector<std::pair<std::string, int>> policies;
  for (const ForkPolicy policy : fork_policies)
    policies.emplace_back(name_of(policy), static_cast<int>(policy));
  one_of(command.add_option(
             "--fork", fork,
             "How several threads fork: a task at every fork, or the oldest at a heartbeat or on demand"),
         "fork policy", policies)
      ->default_str(std::string(name_of(fork)));
}

void add_threads(CLI::App& command, ThreadOptions& options) {
  whole_in(command.add_option("--threads", options.count, "Threads, of which the caller is one"), 1,
           most_threads)
      ->capture_default_str();
  command.add_flag("--no-pinning", options.no_pinning, "Leave it to the system where threads run");
  add_fork(command, options.fork);
}

Threads::Threads(const ThreadOptions& options)
    : control_(tbb::global_control::max_allowed_parallelism,
               (require_threads(options.count), static_cast<std::size_t>(options.count))) {
  pin_threads(!options.no_pinning);
  set_fork_policy(options.fork);
}

}  // namespace tallcache
