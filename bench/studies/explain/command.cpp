// tallcache explain: what each access in a variant's text costs: the requests of a GPU's kernels by the
// request model, the misses of a CPU's text by the cache model.
#include "bench/studies/explain/explain.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>

#include "bench/measure/candidates.hpp"
#include "bench/measure/context.hpp"
#include "bench/measure/misses.hpp"
#include "bench/measure/options.hpp"
#include "bench/measure/output.hpp"
#include "bench/measure/stops_trace.hpp"
#include "common/cache/run_traced.hpp"
#include "common/cache/site_misses.hpp"
#include "common/catalogue.hpp"
#include "gpu/kernel_text.hpp"

namespace tallcache {
namespace {

struct ExplainOptions {
  std::vector<std::string> names, params, caches;
  std::string backend, element, shape, input, machine = "h200", line, json;
  std::uint64_t seed = 1;
};

// A variant of this build, or one on the GPU that a build without CUDA has as a kernel's text alone.
struct Explainable {
  const Operation* operation;
  std::string_view name, backend;
  const Variant* variant = nullptr;
  const gpu::KernelText* text = nullptr;
};

std::vector<Explainable> all_explainable() {
  std::vector<Explainable> all;
  for (const Variant* variant : variants())
    all.push_back({variant->operation, variant->name, variant->backend, variant});
  for (const gpu::KernelText* text : gpu::kernel_texts()) {
    const auto known = std::ranges::find_if(all, [&](const Explainable& one) {
      return one.operation == text->operation && one.name == text->name && one.backend == "gpu";
    });
    if (known == all.end())
      all.push_back({text->operation, text->name, "gpu", nullptr, text});
    else
      known->text = text;
  }
  return all;
}

template <class Member>
std::vector<std::string_view> distinct(const std::vector<Explainable>& list, Member member) {
  std::vector<std::string_view> names;
  for (const Explainable& one : list)
    if (std::ranges::find(names, member(one)) == names.end()) names.push_back(member(one));
  return names;
}

// Keeps those whose `member` is `name`, where one is asked for.
template <class Member>
void keep(std::vector<Explainable>& list, const std::string& kind, const std::string& name, Member member) {
  if (name.empty()) return;
  const auto names = distinct(list, member);
  std::erase_if(list, [&](const Explainable& one) { return member(one) != name; });
  if (list.empty()) throw Error(unknown_name(kind, name, names));
}

Explainable find_explainable(const ExplainOptions& options) {
  const auto operation = [](const Explainable& one) { return one.operation->name; };
  auto list = all_explainable();
  const bool has_operation = options.names.size() == 2;
  const std::string of = has_operation ? " of " + options.names.front() : "";
  if (has_operation) keep(list, "operation", options.names.front(), operation);
  keep(list, "backend", options.backend, [](const Explainable& one) { return one.backend; });
  keep(list, "variant" + of, options.names.back(), [](const Explainable& one) { return one.name; });
  if (const auto operations = distinct(list, operation); operations.size() > 1)
    throw Error(fmt::format("'{0}' is of {1}: name one, as in 'explain {2} {0}'", options.names.back(),
                            fmt::join(operations, ", "), operations.front()));
  keep(list, "element type of " + std::string(list.front().operation->name), options.element,
       [](const Explainable& one) { return one.operation->element; });
  return list.front();
}

void require_explainable(const Explainable& one) {
  if (one.backend == "gpu" ? one.text != nullptr : one.variant->trace != nullptr) return;
  const char* const why = one.variant->peer      ? "it is a library"
                          : one.backend == "gpu" ? "its kernels are texts for CUDA alone"
                                                 : "it has no text that can be traced";
  throw Error(fmt::format("{} {} is not modelled: {}", one.backend, one.name, why), Status::unsupported);
}

Params params_of(const Explainable& one, std::span<const std::string> given) {
  const Variant named =
      one.variant ? *one.variant
                  : Variant{.name = one.name, .operation = one.operation, .params = one.text->params};
  Params params;
  for (const std::string& text : given) {
    const Params parsed = parse_params(named, text);
    const Params::Item* item = parsed.find(text.substr(0, text.find('=')));
    params.set(item->name, item->value);
  }
  return complete_params(named, params);
}

struct ExplainPlan {
  Explainable what;
  Problem problem;
  Params params;
  std::vector<cache::CacheLevel> levels;        // of a CPU
  const cache::WarpMachine* machine = nullptr;  // of a GPU
};

ExplainPlan planned(const ExplainOptions& options) {
  ExplainPlan plan{.what = find_explainable(options)};
  require_explainable(plan.what);
  ProblemOptions problem{.operation = std::string(plan.what.operation->name),
                         .element = std::string(plan.what.operation->element),
                         .shape = options.shape,
                         .input = options.input,
                         .seed = options.seed,
                         .smallest_shape = true};
  plan.problem = problem_of(*plan.what.operation, problem);
  plan.params = params_of(plan.what, options.params);
  if (plan.what.text) {
    if (!options.caches.empty() || !options.line.empty())
      throw Error("--cache and --line are of a CPU's variant; a GPU's has --machine");
    plan.machine = &cache::warp_machine(options.machine);
    require_modellable(plan.problem);
  } else {
    plan.levels = cache_levels(options.caches, options.line);
    require_traceable(plan.problem,
                      std::array{Candidate{.variant = plan.what.variant, .params = plan.params}},
                      plan.levels);
  }
  return plan;
}

ExplainPart part_of(const ExplainPlan& plan) {
  ExplainPart part{planned_problem(plan.problem)};
  if (plan.machine)
    part.machine = plan.machine->name;
  else
    part.caches = plan.levels;
  return part;
}

Record record_of(const ExplainPlan& plan) {
  return {.operation = std::string(plan.problem.operation->name),
          .variant = std::string(plan.what.name),
          .backend = std::string(plan.what.backend),
          .element = std::string(plan.problem.operation->element),
          .shape = to_json(plan.problem.shape),
          .params = to_json(plan.params),
          .input = std::string(plan.problem.input)};
}

void explain_requests(const ExplainPlan& plan, Record& record) {
  warp::HostDevice device(*plan.machine);
  const warp::Explanation explanation(device);
  const Check check = gpu::run_kernel_text(device, *plan.what.text, plan.problem.shape, plan.params,
                                           plan.problem.input, plan.problem.seed);
  record.outcome = check ? Outcome{Status::measured} : Outcome{Status::wrong, check.message()};
  for (const warp::ExplainedSite& site : explanation.sites()) put_site(record, *plan.machine, site);
}

void explain_misses(const ExplainPlan& plan, Record& record) {
  cache::AccessSites sites;
  cache::SiteMisses misses(plan.levels);
  StopsTrace stops;
  cache::trace(
      plan.levels.front().line, {&misses, &stops},
      [&](cache::Tracer& tracer) {
        cache::run_traced(*plan.what.variant, tracer, plan.problem.shape, plan.params, plan.problem.input,
                          plan.problem.seed, plan.problem.own_inputs);
      },
      &sites);
  record.outcome.status = Status::measured;
  for (const cache::SiteLevels& site : misses.of(sites)) put_site(record, site);
}

void explain_problem(const ExplainOptions& options) {
  const ExplainPlan plan = planned(options);
  const Output output(options.json);
  Document document{.kind = "explain", .context = machine_context(), .plan = Json::array({part_of(plan)})};
  Record record = record_of(plan);
  if (plan.machine)
    explain_requests(plan, record);
  else
    explain_misses(plan, record);
  document.put(std::move(record));
  output.part(document, explain_text(document, Style::terminal));
  output.finish(document);
}

}  // namespace

void add_explain(CLI::App& app) {
  const auto [command, options] =
      add_command(app, explain_problem, "explain",
                  "What each access in a variant's text costs, and why: a GPU's requests, a CPU's misses",
                  "Example: tallcache explain transpose naive --backend gpu --shape m=512");
  command
      ->add_option("VARIANT", options->names,
                   "The variant; behind its operation where several have one of that name")
      ->required()
      ->expected(1, 2)
      ->type_name("[OPERATION] VARIANT");
  command->add_option("--backend", options->backend,
                      "cpu or gpu; the CPU's where both have one of that name");
  command->add_option("--shape", options->shape, "Sizes, as m=512,n=256; a small one of the operation's own");
  command->add_option("--element", options->element, "Element type, as double; the variant's first");
  command->add_option("--param", options->params, "A parameter, as tile=16; may be repeated");
  command->add_option("--input", options->input, input_help);
  add_seed(*command, options->seed);
  command->add_option("--machine", options->machine, "The GPU whose rules decide the cost of a request")
      ->capture_default_str();
  command->add_option("--cache", options->caches,
                      "A level of the CPU's cache, as 32K:8; up to three; this machine's when left out");
  command->add_option("--line", options->line, "Bytes of a cache line; this machine's, or 64 with --cache");
  add_json(*command, options->json);
}

}  // namespace tallcache
