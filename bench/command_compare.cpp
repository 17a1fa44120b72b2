// tallcache compare: every variant of an operation on the CPU and on the GPU over a ladder of sizes, the
// GPU's with and without the transfers of its operands.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "bench/candidates.hpp"
#include "bench/commands.hpp"
#include "bench/comparison.hpp"
#include "bench/context.hpp"
#include "bench/machine_json.hpp"
#include "bench/report/gnuplot.hpp"
#include "bench/tables/table.hpp"
#include "common/catalogue.hpp"
#ifdef TALLCACHE_HAS_CUDA
#include "gpu/cuda_executor.hpp"
#endif

namespace tallcache {
namespace {

struct CompareOptions {
  std::vector<std::string> operations;
  std::string element, json, svg;
  bool full = false, smoke = false;
  int device = 0;
  std::uint64_t seed = 1;
};

/// What an operation is compared on: its first size, the others as they follow from it.
struct LadderOfSizes {
  std::string_view operation, element;
  std::vector<Index> smoke, quick, full;
};

const LadderOfSizes& ladder_of(std::string_view operation) {
  static const LadderOfSizes ladders[] = {
      {"matmul",
       "float",
       {48, 64},
       {64, 128, 256, 512, 1024, 2048, 4096},
       {64, 128, 256, 512, 1024, 2048, 4096, 8192}},
      {"transpose",
       "float",
       {48, 64},
       {256, 512, 1024, 2048, 4096, 8192},
       {256, 512, 1024, 2048, 4096, 8192, 16384, 32768}},
      {"counting_sort",
       "uint32",
       {500, 1000},
       {10000, 100000, 1000000, 10000000, 50000000},
       {10000, 100000, 1000000, 10000000, 100000000, 1000000000}},
  };
  std::vector<std::string_view> names;
  for (const LadderOfSizes& ladder : ladders) {
    if (ladder.operation == operation) return ladder;
    names.push_back(ladder.operation);
  }
  throw Error(unknown_name("operation to compare", operation, names));
}

/// Ways of counting the time of the GPU: the kernel alone, and with its operands brought and its result taken
/// back.
enum class Way { kernel, pinned, pageable };
constexpr std::string_view to_string(Way way) {
  return way == Way::kernel ? "kernel" : way == Way::pinned ? "pinned" : "pageable";
}

struct Transfers {
  double pinned = absent, pageable = absent;  ///< seconds, up and down
};

struct Line {
  Measurement measurement;
  double share = absent;     ///< of the machine's measured limit
  double speed_up = absent;  ///< over the same variant on one thread
};

struct Size {
  Problem problem;
  Index n;
  Transfers transfers;
  std::vector<Line> lines;

  double rate(double seconds) const {
    return per_second(problem.operation->rate, problem.operation->cost(problem.shape), seconds);
  }
  double seconds(const Line& line, Way way) const {
    if (!line.measurement.timed()) return absent;
    if (line.measurement.candidate.variant->backend == Backend::cpu)
      return way == Way::kernel ? line.measurement.median_s() : absent;
    return line.measurement.median_s() + (way == Way::kernel   ? 0
                                          : way == Way::pinned ? transfers.pinned
                                                               : transfers.pageable);
  }
  double best(Backend backend, Way way) const {
    double least = absent;
    for (const Line& line : lines)
      if (line.measurement.candidate.variant->backend == backend)
        least = std::fmin(least, seconds(line, way));
    return least;
  }
};

/// Measured limits of both sides, absent where there is none.
struct Roofs {
  Limits cpu;
  Json gpu;  ///< measured_gpu_limits()

  double of_gpu(const std::string& name) const {
    return gpu.contains(name) ? gpu[name].get<double>() : absent;
  }

  double share(const Size& size, const Measurement& m) const {
    if (!m.timed()) return absent;
    const Cost cost = size.problem.operation->cost(size.problem.shape);
    const bool arithmetic = size.problem.operation->rate == Rate::gflop_per_s;
    const double rate = (arithmetic ? cost.flops : cost.bytes) / m.median_s() * 1e-9;
    const std::string_view element = size.problem.operation->element;
    if (m.candidate.variant->backend == Backend::gpu)
      return rate / of_gpu(arithmetic ? fmt::format("{}_gflop_per_s", element) : "gb_per_s");
    const int threads = m.candidate.threads;
    return rate / (arithmetic ? cpu.gflop_per_s(element, threads) : cpu.gb_per_s(threads));
  }
};

Roofs measured_roofs(const CompareOptions& options) {
  Roofs roofs;
  roofs.cpu =
      measure_limits(this_machine(), options.smoke ? LimitsProtocol::smoke() : LimitsProtocol::quick());
  roofs.gpu = measured_gpu_limits(options.device);
  return roofs;
}

Transfers measured_transfers([[maybe_unused]] const Problem& problem, [[maybe_unused]] int device) {
  Transfers transfers;
#ifdef TALLCACHE_HAS_CUDA
  std::size_t up = 0, down = 0;
  for (const BufferSpec& spec : problem.operation->buffers(problem.shape)) {
    if (spec.role != Role::output) up += spec.bytes;
    if (spec.role != Role::input) down += spec.bytes;
  }
  const auto total = [&](HostPages pages) {
    const TransferSeconds seconds = transfer_seconds(up, down, pages, device);
    return seconds.upload + seconds.download;
  };
  try {
    transfers.pinned = total(HostPages::pinned);
    transfers.pageable = total(HostPages::pageable);
  } catch (const Error&) {
    // As above.
  }
#endif
  return transfers;
}

/// The CPU's variants on one thread, and on all cores those that can use them; the GPU's once.
std::vector<Candidate> everyone(const Operation& operation) {
  std::vector<Candidate> list;
  const int threads = usable_threads();
  for (const Variant* variant : variants_of(operation)) {
    list.push_back({.variant = variant});
    if (variant->parallel && threads > 1) list.push_back({.variant = variant, .threads = threads});
  }
  return list;
}

std::string name_of(const Candidate& candidate) {
  return fmt::format("{} {}{}", to_string(candidate.variant->backend), candidate.variant->name,
                     candidate.threads > 1 ? fmt::format(", {} threads", candidate.threads) : "");
}

/// Measures everyone at one size. Who took `seconds_each` or longer for a smaller one, and would take five
/// times as long now, sits out: a triple loop over 4096 takes minutes.
Size measure_size(const CompareOptions& options, const Problem& problem, Index n, const Size* smaller,
                  double seconds_each, const Roofs& roofs) {
  Size size{
      .problem = problem, .n = n, .transfers = measured_transfers(problem, options.device), .lines = {}};
  std::vector<Candidate> runs;
  std::map<std::string, std::string> sits_out;
  for (const Candidate& candidate : everyone(*problem.operation)) {
    const std::string name = name_of(candidate);
    if (smaller) {
      const auto before = std::ranges::find_if(
          smaller->lines, [&](const Line& line) { return name_of(line.measurement.candidate) == name; });
      const auto work = [](const Size& s) {
        const Cost cost = s.problem.operation->cost(s.problem.shape);
        return std::max(cost.flops, cost.bytes);
      };
      if (before->measurement.outcome.status == Status::left_out)
        sits_out[name] = before->measurement.outcome.reason;
      else if (const double expected = before->measurement.median_s() * work(size) / work(*smaller);
               expected > 5 * seconds_each)
        sits_out[name] = fmt::format("left out from n = {}: it would take about {:.2g} s", n, expected);
    }
    if (!sits_out.contains(name)) runs.push_back(candidate);
  }
  const auto measured = measure_each(
      problem, runs, {.least_rounds = 3, .most_rounds = 9, .seconds = seconds_each}, options.device);
  std::map<std::string, double> serial;
  auto next = measured.begin();
  for (const Candidate& candidate : everyone(*problem.operation)) {
    Line& line = size.lines.emplace_back();
    if (const auto out = sits_out.find(name_of(candidate)); out != sits_out.end())
      line.measurement = {.candidate = candidate, .outcome = {Status::left_out, out->second}};
    else
      line.measurement = *next++;
    line.share = roofs.share(size, line.measurement);
    if (!line.measurement.timed() || candidate.variant->backend == Backend::gpu) continue;
    if (candidate.threads == 1) serial[std::string(candidate.variant->name)] = line.measurement.median_s();
    if (const auto one = serial.find(std::string(candidate.variant->name));
        candidate.threads > 1 && one != serial.end())
      line.speed_up = one->second / line.measurement.median_s();
  }
  return size;
}

/// The least size from which on the GPU's best is ahead of the CPU's best at every size measured.
std::optional<Index> crossover(std::span<const Size> sizes, Way way) {
  std::optional<Index> from;
  for (const Size& size : sizes) {
    const double cpu = size.best(Backend::cpu, Way::kernel), gpu = size.best(Backend::gpu, way);
    if (!(gpu < cpu))
      from.reset();
    else if (!from)
      from = size.n;
  }
  return from;
}

Json to_json(std::span<const Size> sizes, Json& measurements) {
  const Operation& compared = *sizes.front().problem.operation;
  Json operation{{"operation", compared.name},
                 {"element", compared.element},
                 {"rate", to_string(compared.rate)},
                 {"size", compared.dims.front().name}};
  for (Way way : {Way::kernel, Way::pinned, Way::pageable}) {
    const auto from = crossover(sizes, way);
    operation["gpu_ahead_from"][std::string(to_string(way))] = from ? Json(*from) : Json(nullptr);
  }
  for (const Size& size : sizes) {
    operation["sizes"].push_back(size.n);
    if (!std::isnan(size.transfers.pinned))
      operation["transfers"].push_back(
          {{"n", size.n}, {"pinned_s", size.transfers.pinned}, {"pageable_s", size.transfers.pageable}});
    for (const Line& line : size.lines) {
      Json json = tallcache::to_json(size.problem, line.measurement);
      json["peer"] = line.measurement.candidate.variant->peer;
      if (!std::isnan(line.share)) json["share_of_limit"] = line.share;
      if (!std::isnan(line.speed_up)) json["speed_up"] = line.speed_up;
      for (Way way : {Way::pinned, Way::pageable})
        if (const double seconds = size.seconds(line, way); !std::isnan(seconds))
          json["with_transfers"][std::string(to_string(way))] = {
              {"seconds", seconds}, {std::string(to_string(compared.rate)), size.rate(seconds)}};
      measurements.push_back(std::move(json));
    }
  }
  return operation;
}

void compare(const CompareOptions& options) {
  std::vector<std::string> names = options.operations;
  if (names.empty()) names = {"matmul", "transpose", "counting_sort"};
  for (const std::string& name : names) find_operation(name, options.element), ladder_of(name);
  require_writable(options.json);
  if (!options.svg.empty()) require_gnuplot();
  FILE* const out = options.json == "-" ? stderr : stdout;
  const double seconds_each = options.smoke ? 0.01 : options.full ? 1 : 0.2;

  Json document{{"context", machine_context(options.device)},
                {"measurements", Json::array()},
                {"comparisons", Json::array()}};
  document["context"]["mode"] = options.smoke ? "smoke" : options.full ? "full" : "quick";
  const Roofs roofs = measured_roofs(options);
  document["limits"] = nlohmann::json(roofs.cpu);
  document["gpu_limits"] = roofs.gpu;
  std::string wrong;
  for (const std::string& name : names) {
    const LadderOfSizes& ladder = ladder_of(name);
    const Operation& operation =
        find_operation(name, options.element.empty() ? ladder.element : std::string_view(options.element));
    std::vector<Size> sizes;
    for (Index n : options.smoke ? ladder.smoke : options.full ? ladder.full : ladder.quick) {
      const Problem problem{
          &operation, complete_shape(operation, {{operation.dims.front().name, n}}), {}, options.seed};
      fmt::print(stderr, "{} {} n = {} ...\n", name, operation.element, n);
      sizes.push_back(
          measure_size(options, problem, n, sizes.empty() ? nullptr : &sizes.back(), seconds_each, roofs));
      for (const Line& line : sizes.back().lines)
        if (line.measurement.outcome.status == Status::wrong)
          wrong += fmt::format("{}{} at n = {}", wrong.empty() ? "" : ", ",
                               name_of(line.measurement.candidate), n);
    }
    const Json comparison = to_json(sizes, document["measurements"]);
    document["comparisons"].push_back(comparison);
    fmt::print(out, "\n{}{}\n", render(comparison_grid(document, comparison), Style::terminal),
               crossover_sentence(document, comparison));
    std::fflush(out);
    // Whole after every operation: what is measured stays when the next one fails.
    if (!options.json.empty() && options.json != "-") write_json(options.json, document);
    if (!options.svg.empty())
      draw(fmt::format("{}-{}.svg", options.svg, name), comparison_plot(document, comparison));
  }
  if (options.json == "-") write_json(options.json, document);
  if (!wrong.empty()) throw Error("wrong results, which have no time: " + wrong);
  require_device(options.device);
}

}  // namespace

void add_compare(CLI::App& app) {
  auto options = std::make_shared<CompareOptions>();
  CLI::App* command = app.add_subcommand(
      "compare", "CPU against GPU over a ladder of sizes, kernel alone and with transfers");
  command->add_option("OPERATION", options->operations,
                      "matmul, transpose, counting_sort; all of them by default");
  command->add_option("--element", options->element, "Element type, as double");
  auto* full = command->add_flag("--full", options->full, "Larger sizes and longer rounds");
  command->add_flag("--smoke", options->smoke)->group("")->excludes(full);
  command->add_option("--device", options->device, "Number of the GPU to use")->capture_default_str();
  command->add_option("--seed", options->seed, "Seed of the input data")->capture_default_str();
  command->add_option("--json", options->json, "Write the measurements to FILE ('-': standard output)")
      ->type_name("FILE");
  command->add_option("--svg", options->svg, "Plot each operation into PREFIX-<operation>.svg (gnuplot)")
      ->type_name("PREFIX");
  command->footer("Example: tallcache compare matmul transpose --json compare.json --svg compare");
  command->callback([options] { compare(*options); });
}

}  // namespace tallcache
