// tallcache peers: the fastest variants beside the libraries that a user would pick instead, over the shapes
// and inputs where each must hold.
#include "bench/studies/peers/peers.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "bench/measure/candidates.hpp"
#include "bench/measure/context.hpp"
#include "bench/measure/options.hpp"
#include "bench/measure/suite_run.hpp"
#include "bench/results/commit_seed.hpp"
#include "bench/results/resume.hpp"
#include "bench/show/device_memory.hpp"
#include "bench/show/streams.hpp"
#include "common/backend.hpp"
#include "common/catalogue.hpp"
#include "common/fork/one_tbb.hpp"
#include "common/key_inputs.hpp"

namespace tallcache {
namespace {

struct PeersOptions : SuiteOptions {
  std::string element, variant;  ///< of the comparisons; empty: all
  double seconds = 0.5;
  Pages pages = Pages::ordinary;
  int draws = 0;                           ///< not 0: in place of the suite's cases
  std::optional<std::uint64_t> draw_seed;  ///< without one: the commit's hash
  Index max_n = most_drawn_n, min_n = least_drawn_n;
  double bar = 0.65;
  bool all_cores = false;  ///< of the draws
  bool resume = false;
  int roots = 0;  ///< not 0: a search begins at so many vertices, one after the other

  bool is_asked_for(const PeerComparison& comparison) const {
    return (element.empty() || element == comparison.element) &&
           (variant.empty() || variant == comparison.variant);
  }
};

// "m = n = k = 1024"; "zipf_1.0, n = range = 10000000"; "m = n = 256, stream = 0".
std::string label_of(const Problem& problem, const PeerCase& peer_case) {
  std::vector<std::pair<Index, std::string>> sizes;  // and the names of each
  for (const auto& [name, size] : problem.shape) {
    if (name == "pad" && size == 0) continue;
    const auto same = std::ranges::find(sizes, size, &std::pair<Index, std::string>::first);
    if (same == sizes.end())
      sizes.emplace_back(size, name);
    else
      same->second += fmt::format(" = {}", name);
  }
  std::string text;
  if (!peer_case.input.empty()) text = peer_case.input;
  for (const auto& [size, names] : sizes)
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", names, size);
  for (const auto& [name, value] : peer_case.params) text += fmt::format(", {} = {}", name, value);
  return text;
}

PeersPlan plan_of(const Operation& operation, const PeerComparison& comparison) {
  const SpeedShare& share = comparison.share;
  PeersPlan plan{.operation = std::string(operation.name),
                 .element = std::string(operation.element),
                 .backend = std::string(comparison.backend),
                 .variant = std::string(comparison.variant),
                 .share = {.of = std::string(to_string(share.of)), .title = std::string(share.title)},
                 .first_input = std::string(operation.inputs.front()),
                 .baseline = std::string(comparison.baseline)};
  if (comparison.cold) plan.caches = "cold";
  if (comparison.mean) plan.mean = true;
  if (share.of == SpeedShare::Of::reference) {
    plan.share.operation = share.operation;
    plan.share.variant = share.variant;
  }
  if (share.of == SpeedShare::Of::limit && !share.operation.empty()) {
    plan.share.operation = share.operation;
    plan.share.element = share.element;
    plan.share.operations = share.operations;
  } else if (!share.element.empty()) {
    plan.share.element = share.element;
    plan.share.products = share.products;
  }
  return plan;
}

// Those of a small problem on a device, once more as graphs.
void put_all(Document& document, const Problem& problem, std::span<const Candidate> list,
             const Protocol& protocol, const PeersOptions& options, const std::string& row) {
  const auto put = [&](std::span<const Candidate> candidates) {
    auto measured = measure_each(problem, candidates, protocol, options.device);
    for (const Measurement& m : measured) {
      Record record = to_record(problem, m);
      record.row = row;
      if (protocol.cold) record.conditions["caches"] = "cold";
      document.put(std::move(record));
    }
    return measured;
  };
  if (const auto graphs = graphs_of(put(list)); !graphs.empty()) put(graphs);
}

// Another operation of the same sizes, its rows without gaps, measured next.
void measure_reference(Document& document, const PeerComparison& comparison, const Problem& problem,
                       int threads, const Protocol& protocol, const PeersOptions& options,
                       const std::string& row) {
  const Operation& operation = find_operation(comparison.share.operation, comparison.element);
  const Variant& variant = find_variant(operation, comparison.share.variant, comparison.backend);
  const Candidate candidate{&variant, complete_params(variant, {}), variant.parallel ? threads : 1};
  Shape shape = problem.shape;
  for (const auto& [name, size] : problem.shape)
    if (name == "pad") shape.set(name, 0);
  put_all(document,
          {.operation = &operation,
           .shape = complete_shape(operation, shape),
           .input = {},
           .seed = problem.seed,
           .pages = problem.pages},
          std::span(&candidate, 1), protocol, options, row);
}

Problem problem_of(const Operation& operation, const PeerCase& peer_case, const PeersOptions& options) {
  return {.operation = &operation,
          .shape = complete_shape(operation, peer_case.shape),
          .input = peer_case.input,
          .seed = options.seed,
          .pages = options.pages};
}

PlannedCase planned(const Problem& problem, const PeerComparison& comparison, const PeerCase& peer_case,
                    const std::string& label) {
  const int threads = peer_case.all_cores ? default_threads() : 1;
  const std::string row =
      fmt::format("{} {} {}: {}{}{}{}", problem.operation->name, problem.operation->element,
                  comparison.variant, peer_case.group, peer_case.group.empty() ? "" : ": ", label,
                  threads > 1 ? fmt::format(", {} threads", threads) : "");
  return {label, row, threads, std::string(peer_case.group)};
}

// What an earlier run has left, to go on with; the context then has both dates. Throws Error where it
// measured anything else.
Document earlier_document(const PeersOptions& options, Json& context) {
  if (!options.resume || !std::filesystem::exists(options.json)) return {.kind = "peers", .context = {}};
  Document earlier = read_document(options.json);
  const std::string changed =
      earlier.kind == "peers" ? changed_setting(earlier.context, context) : "it is of " + earlier.kind;
  if (!changed.empty()) throw Error(fmt::format("--resume: {}: {}", options.json, changed));
  Json resumed = earlier.context.value("resumed", Json::array());
  resumed.push_back(std::exchange(context["date"], earlier.context["date"]));
  context["resumed"] = std::move(resumed);
  return earlier;
}

// A row is whole in the earlier document or not there, as that is written after each.
bool take_row(Document& document, const Document& earlier, const std::string& row) {
  bool found = false;
  for (const Record& record : earlier.measurements)
    if (record.row == row) document.put(record), found = true;
  return found;
}

// Puts the records of a case in `row`, those of the earlier document where it has them.
void measure_row(Document& document, const Problem& problem, const PeerComparison& comparison,
                 const PeerCase& peer_case, const PeersOptions& options, const Document& earlier,
                 const std::string& row) {
  if (take_row(document, earlier, row)) return;
  print(Stream::progress, "{} ...\n", row);
  const int threads = peer_case.all_cores ? default_threads() : 1;
  std::vector<Candidate> list;
  for (const Variant* variant : compared_variants(*problem.operation, comparison))
    list.push_back({variant, complete_params(*variant, list.empty() ? peer_case.params : Params{}),
                    variant->parallel ? threads : 1});
  const Protocol protocol{.min_rounds = 3,
                          .max_rounds = 25,
                          .seconds = options.seconds * (peer_case.group.empty() ? 1 : 0.2),
                          .cold = comparison.cold,
                          .planning = options.planning(),
                          .counts = device_memory_counts};
  put_all(document, problem, list, protocol, options, row);
  if (comparison.share.of == SpeedShare::Of::reference)
    measure_reference(document, comparison, problem, threads, protocol, options, row);
}

void measure_cases(SuiteRun& run, const Operation& operation, const PeerComparison& comparison,
                   const PeersOptions& options, const Document& earlier) {
  auto cases = cases_at(comparison, options.scale());
  // On a machine of one core, all cores are the case before.
  if (default_threads() == 1) std::erase_if(cases, &PeerCase::all_cores);
  if (cases.empty()) return;  // it has larger ones alone
  run.document.plan.push_back(plan_of(operation, comparison));
  const auto measure = [&] {
    for (const PeerCase& peer_case : cases) {
      const Problem problem = problem_of(operation, peer_case, options);
      const PlannedCase as_planned = planned(problem, comparison, peer_case, label_of(problem, peer_case));
      run.document.plan.back()["cases"].push_back(as_planned);
      measure_row(run.document, problem, comparison, peer_case, options, earlier, as_planned.row);
      run.keep();
    }
  };
  measure_and_show(measure, [&] {
    run.part(render(peers_grid(run.document, run.document.plan.back()), Style::terminal));
  });
}

// --- Roots ------------------------------------------------------------------------------------------------

// Each case as a group: the searches of its graph from so many vertices, which the seed draws as Graph500
// draws its roots.
void measure_roots(SuiteRun& run, const Operation& operation, const PeerComparison& comparison,
                   const PeersOptions& options, const Document& earlier) {
  run.document.plan.push_back(plan_of(operation, comparison));
  Json& plan = run.document.plan.back();
  plan["roots"] = options.roots;
  for (PeerCase peer_case : cases_at(comparison, options.scale())) {
    if (peer_case.all_cores && default_threads() == 1) continue;
    Problem graph = in_order(problem_of(operation, peer_case, options), "root");
    const std::string group =
        label_of(graph, peer_case) +
        (peer_case.all_cores ? fmt::format(", {} threads", default_threads()) : std::string());
    peer_case.group = group;
    graph.input = peer_case.input;
    for (int i = 1; i <= options.roots; ++i) {
      graph.seed = options.seed + static_cast<std::uint64_t>(i);
      const Problem problem = in_order(graph, "root");
      const PlannedCase as_planned = planned(problem, comparison, peer_case, fmt::format("root {}", i));
      plan["cases"].push_back(as_planned);
      measure_row(run.document, problem, comparison, peer_case, options, earlier, as_planned.row);
      run.keep();
    }
  }
  if (plan["cases"].empty())
    run.document.plan.erase(run.document.plan.size() - 1);
  else
    run.part(render(peers_grid(run.document, plan), Style::terminal));
}

// --- Draws ------------------------------------------------------------------------------------------------

constexpr int times_alone = 10;
constexpr Index most_smoke_n = 1024;

bool is_below(const Document& document, const PlannedCase& drawn, double bar) {
  const PeersPlan plan = document.plan.back();
  for (const LaunchMode launch : {LaunchMode::plain, LaunchMode::graph})
    if (peer_figures(document, plan, drawn, launch).library.over < bar) return true;
  return false;
}

// The variants of the suite's own, whose speeds are no peers', are left out.
void measure_draws(SuiteRun& run, const Operation& operation, PeerComparison comparison,
                   const PeersOptions& options, const Document& earlier) {
  comparison.beside.clear(), comparison.baseline = {};
  Document& document = run.document;
  document.by_problem = true;
  PeersPlan plan = plan_of(operation, comparison);
  plan.draws = {options.draw_seed.value(), options.draws,
                options.smoke ? std::min(options.max_n, most_smoke_n) : options.max_n, options.bar};
  if (options.min_n != least_drawn_n) plan.draws->min_n = options.min_n;
  document.plan.push_back(plan);
  Json& cases = document.plan.back()["cases"];
  for (int i = 0; i < options.draws; ++i) {
    const KeyDraw draw =
        draw_keys(plan.draws->seed, static_cast<std::uint64_t>(i), plan.draws->max_n, options.min_n);
    const std::string input = draw.input(operation);
    const PeerCase peer_case{
        .shape = draw.shape(operation), .input = input, .all_cores = options.all_cores, .group = draws_group};
    const Problem problem = problem_of(operation, peer_case, options);
    PlannedCase drawn =
        planned(problem, comparison, peer_case, fmt::format("draw {}: {}", i, label_of(problem, peer_case)));
    const auto measure = [&](const std::string& row) {
      measure_row(document, problem, comparison, peer_case, options, earlier, row);
    };
    measure(drawn.row);
    if (is_below(document, drawn, options.bar)) drawn.again = times_alone;
    cases.push_back(drawn);
    run.keep();
    for (int number = 1; number <= drawn.again.value_or(0); ++number) {
      measure(again_row(drawn, number));
      run.keep();
    }
  }
  run.part(render(peers_grid(document, document.plan.back()), Style::terminal));
}

// Of comparisons of one variant the first says all: the cases are drawn.
void all_draws(SuiteRun& run, PeersOptions options, const Document& earlier) {
  if (options.min_n != least_drawn_n && options.min_n > options.max_n)
    throw Error(fmt::format("--draw-min {} is above --draw-max {}", options.min_n, options.max_n));
  if (!options.draw_seed) options.draw_seed = seed_of_commit(this_machine().build.commit);
  std::set<std::tuple<std::string_view, std::string_view, std::string_view>> seen;
  run.each(&Suite::peers, [&](const Operation& operation, const PeerComparison& comparison) {
    if (takes_keys(operation) && options.is_asked_for(comparison) &&
        seen.emplace(operation.name, comparison.element, comparison.variant).second)
      measure_draws(run, operation, comparison, options, earlier);
  });
}

// Throws Error where no comparison of the backend has the element type or the variant that is asked for.
void require_known(const SuiteRun& run, const PeersOptions& options) {
  std::vector<std::string_view> elements, variants;
  for (const Suite* suite : run.suites())
    for (const PeerComparison& comparison : on_backend(suite->peers, options.backend))
      for (const auto& [names, name] :
           {std::pair{&elements, comparison.element}, {&variants, comparison.variant}})
        if (std::ranges::find(*names, name) == names->end()) names->push_back(name);
  for (const auto& [kind, asked, names] :
       {std::tuple{"element type", &options.element, &elements}, {"variant", &options.variant, &variants}})
    if (!asked->empty() && std::ranges::find(*names, *asked) == names->end())
      throw Error(unknown_name(fmt::format("{} with peers", kind), *asked, *names));
}

void peers(const PeersOptions& options) {
  SuiteRun run("peers", options, has_peers, "operation with peers");
  require_known(run, options);
  const Document earlier = earlier_document(options, run.document.context);
  if (earlier.limits.empty())
    run.measure_limits();
  else
    run.document.limits = earlier.limits;
  if (options.draws)
    all_draws(run, options, earlier);
  else
    run.each(&Suite::peers, [&](const Operation& operation, const PeerComparison& comparison) {
      if (options.is_asked_for(comparison))
        (options.roots ? measure_roots : measure_cases)(run, operation, comparison, options, earlier);
    });
  run.finish();
}

void add_draws(CLI::App& command, PeersOptions& options) {
  CLI::Option* const draws = whole_in(
      command.add_option("--draws", options.draws,
                         "In place of the cases, for sorts alone: so many problems drawn from the families "
                         "of keys ('tallcache list sort'). A draw takes a fifth of --seconds for each "
                         "variant, or three runs, and 1.5 GB at most: 200 take half an hour a "
                         "comparison"),
      1, 1000000);
  any_word(command.add_option("--draw-seed", options.draw_seed,
                              "Seed of the draws; without it, the first 16 digits of the commit"))
      ->needs(draws);
  whole_in(command.add_option("--draw-max", options.max_n, "The most keys of a draw"), 1, 0xffffffff)
      ->needs(draws)
      ->capture_default_str();
  whole_in(command.add_option("--draw-min", options.min_n, "The least keys of a draw"), 1, 0xffffffff)
      ->needs(draws)
      ->capture_default_str();
  above_zero(
      command.add_option("--bar", options.bar,
                         "A draw whose speed over the best library is below this is measured alone ten "
                         "times, of which the median counts"))
      ->needs(draws)
      ->capture_default_str();
  command.add_flag("--all-cores", options.all_cores, "The draws on all processors, not on one")->needs(draws);
}

}  // namespace

void add_peers(CLI::App& app) {
  const auto [command, options] = add_command(
      app, peers, "peers",
      "The fastest variants beside the libraries that a user would pick instead, over many shapes",
      "Example: tallcache peers transpose --json peers.json");
  add_suite(*command, *options, has_peers);
  command->add_option("--element", options->element,
                      "Only the comparisons of this element type, as bfloat16");
  command->add_option("--variant", options->variant, "Only those of this variant with its peers");
  above_zero(command->add_option("--seconds", options->seconds, "Time to spend on each variant in each case"))
      ->capture_default_str();
  add_backend(*command, *options);
  add_huge_pages(*command, options->pages);
  add_patient(*command, options->patient);
  command->add_flag("--resume", options->resume, "Go on with what the file of --json has")
      ->needs(command->get_option("--json"));
  add_draws(*command, *options);
  whole_in(command->add_option(
               "--roots", options->roots,
               "Each case as so many searches, from vertices that the seed draws, for bfs alone: the "
               "harmonic mean of their speeds, as Graph500's of 64"),
           1, 1000000)
      ->excludes("--draws");
  command->add_flag("--full", options->full,
                    "Sizes of seconds a run, too: 20 minutes and 8 GB, 20 GB on a GPU's host");
}

}  // namespace tallcache
