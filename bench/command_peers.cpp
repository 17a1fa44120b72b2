// tallcache peers: the fastest variants beside the libraries that a user would pick instead, over the shapes
// and inputs where each must hold.
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <memory>

#include "bench/candidates.hpp"
#include "bench/commands.hpp"
#include "bench/context.hpp"
#include "bench/machine_json.hpp"
#include "bench/peers.hpp"
#include "bench/tables/table.hpp"
#include "common/catalogue.hpp"
#include "common/keys.hpp"

namespace tallcache {
namespace {

struct PeersOptions {
  std::vector<std::string> operations;
  std::string json;
  bool smoke = false, full = false;
  double seconds = 0.5;
  std::uint64_t seed = 1;
  Pages pages = Pages::ordinary;
};

struct PeersCase {
  Shape shape;
  std::string_view input{};
  Params params{};
  bool all_cores = false;
  std::string group{};  ///< printed as one line: its worst case and its mean
};

/// A variant and those that it is held against.
struct Match {
  std::string_view operation, element, variant;
  std::vector<std::string_view> peers;
  std::vector<PeersCase> cases;
};

// Sizes at which a run takes seconds wait for --full.
std::vector<Match> matches(bool full) {
  std::vector<Match> all;
  const auto square = [](Index n) { return Shape{{"m", n}, {"n", n}, {"k", n}}; };
  const auto plane = [](Index n) { return Shape{{"m", n}, {"n", n}}; };
  for (const std::string_view element : {"double", "float"}) {
    Match products{"matmul", element, "recursive_packed", {"openblas_best", "blis_best"}, {}};
    for (Index n = 8; n <= 256; n += 8)
      products.cases.push_back({.shape = square(n), .group = "n = 8 to 256 in steps of 8"});
    for (const bool all_cores : {false, true}) {
      for (const Index n : {1024, 2048})
        products.cases.push_back({.shape = square(n), .all_cores = all_cores});
      if (full) products.cases.push_back({.shape = square(4096), .all_cores = all_cores});
    }
    products.cases.push_back({.shape = {{"m", 687}, {"n", 1107}, {"k", 837}}});
    products.cases.push_back({.shape = {{"m", 100000}, {"n", 64}, {"k", 64}}});
    products.cases.push_back({.shape = {{"m", 64}, {"n", 64}, {"k", 100000}}});
    if (full) products.cases.push_back({.shape = {{"m", 4000}, {"n", 4000}, {"k", 8000}}});
    all.push_back(std::move(products));
  }
  for (const std::string_view element : {"float", "double"}) {
    Match transpositions{"transpose", element, "recursive_streaming", {"omatcopy", "tiled"}, {}};
    // Small outputs are read again from where plain stores leave them.
    for (const Index n : {256, 512, 1024, 2048})
      transpositions.cases.push_back({.shape = plane(n), .params = {{"stream", 0}}});
    for (const Index n : {1024, 2048, 4096, 8000, 8191, 8192, 8193})
      transpositions.cases.push_back({.shape = plane(n)});
    if (full) {
      transpositions.cases.push_back({.shape = plane(16384)});
      transpositions.cases.push_back({.shape = {{"m", 10007}, {"n", 30011}}});
    }
    transpositions.cases.push_back({.shape = plane(8192), .all_cores = true});
    all.push_back(std::move(transpositions));
  }
  for (const bool payload : {false, true}) {
    Match sorts{"counting_sort",
                payload ? "uint32_pair" : "uint32",
                "bucketed_streaming",
                payload
                    ? std::vector<std::string_view>{"lsd_radix", "vqsort_pairs", "classical"}
                    : std::vector<std::string_view>{"vqsort", "tbb_parallel_sort", "lsd_radix", "classical"},
                {}};
    std::vector<Index> sizes{10000000};
    if (!payload || full) sizes.push_back(60000000);
    for (const Index n : sizes) sorts.cases.push_back({.shape = {{"n", n}, {"range", n}}});
    for (const std::string_view input : key_inputs)
      if (input != key_inputs[0])
        sorts.cases.push_back({.shape = {{"n", sizes[0]}, {"range", sizes[0]}}, .input = input});
    for (const Index n : sizes) sorts.cases.push_back({.shape = {{"n", n}, {"range", n}}, .all_cores = true});
    all.push_back(std::move(sorts));
    if (payload || !full) continue;
    // The others take minutes a run.
    Match many{"counting_sort", "uint32", "bucketed_streaming", {"vqsort"}, {}};
    for (const Index n : {200000000, 600000000}) many.cases.push_back({.shape = {{"n", n}, {"range", n}}});
    all.push_back(std::move(many));
  }
  return all;
}

// One of each kind of case, of a size that only shows that it runs.
void make_smoke(Match& match) {
  std::vector<PeersCase> few;
  for (PeersCase& c : match.cases) {
    Shape small;
    for (const auto& [name, size] : c.shape) small.set(name, name == "k" ? 33 : 65);
    c.shape = small;
    if (std::ranges::none_of(few, [&](const PeersCase& other) {
          return other.input == c.input && other.all_cores == c.all_cores && other.group == c.group &&
                 other.params == c.params;
        }))
      few.push_back(std::move(c));
  }
  match.cases = std::move(few);
}

double rate_of(const Json& record, const std::string& rate) {
  return record.contains("median_s") ? record.at(rate).get<double>() : absent;
}

// memcpy of as many bytes in the same rows, measured next.
double copy_seconds(const Match& match, const Problem& problem, int threads, const Protocol& protocol) {
  const Operation& copy = find_operation("copy", match.element);
  const Variant& memcpy = find_variant(copy, "memcpy", Backend::cpu);
  const Candidate candidate{&memcpy, complete_params(memcpy, {}), threads};
  const auto measured = measure_each({.operation = &copy,
                                      .shape = complete_shape(copy, problem.shape),
                                      .seed = problem.seed,
                                      .pages = problem.pages},
                                     std::span(&candidate, 1), protocol);
  return measured[0].timed() ? measured[0].median_s() : absent;
}

Json measure_match(const Match& match, const PeersOptions& options, const Limits& limits) {
  const Operation& operation = find_operation(match.operation, match.element);
  const bool arithmetic = operation.rate == Rate::gflop_per_s;
  Json json{{"operation", operation.name},
            {"element", operation.element},
            {"variant", match.variant},
            {"rate", to_string(operation.rate)},
            {"cases", Json::array()}};
  const std::string rate = json["rate"];
  std::map<std::string, double> before;  // rates on one core with the operation's first input, by shape
  for (const PeersCase& c : match.cases) {
    const int threads = c.all_cores ? usable_threads() : 1;
    if (c.all_cores && threads == 1) continue;
    const Problem problem{.operation = &operation,
                          .shape = complete_shape(operation, c.shape),
                          .input = c.input,
                          .seed = options.seed,
                          .pages = options.pages};
    const Variant& own = find_variant(operation, match.variant, Backend::cpu);
    std::vector<Candidate> list{{&own, complete_params(own, c.params), threads}};
    for (const std::string_view name : match.peers) {
      const Variant& peer = find_variant(operation, name, Backend::cpu);
      list.push_back({&peer, complete_params(peer, {}), peer.parallel ? threads : 1});
    }
    const Protocol protocol{
        .least_rounds = 3, .most_rounds = 25, .seconds = options.seconds * (c.group.empty() ? 1 : 0.2)};
    const auto measured = measure_each(problem, list, protocol);
    Json line{{"shape", to_json(problem.shape)},
              {"input", c.input.empty() ? std::string(operation.inputs[0]) : std::string(c.input)},
              {"threads", threads},
              {"group", c.group},
              {"records", Json::array()}};
    if (!c.params.empty()) line["params"] = to_json(c.params);
    for (const Measurement& m : measured) line["records"].push_back(to_json(problem, m));
    const double speed = rate_of(line["records"][0], rate);
    if (!std::isnan(speed)) {
      const std::string shape = to_json(problem.shape).dump();
      for (std::size_t i = 1; i < measured.size(); ++i) {
        const double ratio = speed / rate_of(line["records"][i], rate);
        if (std::isnan(ratio)) continue;
        line["over"][std::string(match.peers[i - 1])] = ratio;
        if (line.contains("best_peer") && ratio >= line["over_best_peer"].get<double>()) continue;
        line["best_peer"] = match.peers[i - 1];
        line["over_best_peer"] = ratio;
      }
      if (arithmetic) line["of_limit"] = speed / limits.gflop_per_s(operation.element, threads);
      if (operation.name == "transpose")
        if (const double seconds = copy_seconds(match, problem, threads, protocol); !std::isnan(seconds))
          line["of_limit"] = seconds / measured[0].median_s();
      if (!c.all_cores && c.input.empty())
        before[shape] = speed;
      else if (before.contains(shape))
        line[c.all_cores ? "over_one_core" : "of_uniform"] = speed / before[shape];
    }
    json["cases"].push_back(std::move(line));
  }
  return json;
}

void peers(const PeersOptions& options) {
  std::vector<Match> chosen;
  std::vector<std::string_view> names;
  for (Match& match : matches(options.full)) {
    names.push_back(match.operation);
    if (options.smoke) make_smoke(match);
    if (options.operations.empty() || std::ranges::count(options.operations, match.operation))
      chosen.push_back(std::move(match));
  }
  for (const std::string& name : options.operations)
    if (!std::ranges::count(names, name)) throw Error(unknown_name("operation with peers", name, names));
  require_writable(options.json);
  FILE* const out = options.json == "-" ? stderr : stdout;

  const Limits limits =
      measure_limits(this_machine(), options.smoke ? LimitsProtocol::smoke() : LimitsProtocol::quick());
  Json document{{"context", machine_context()}, {"limits", nlohmann::json(limits)}, {"peers", Json::array()}};
  for (const Match& match : chosen) {
    document["peers"].push_back(measure_match(match, options, limits));
    fmt::print(out, "{}\n", render(peers_grid(document["peers"].back()), Style::terminal));
    std::fflush(out);
    if (!options.json.empty() && options.json != "-") write_json(options.json, document);
  }
  if (options.json == "-") write_json(options.json, document);
  for (const Json& match : document["peers"])
    for (const Json& line : match["cases"])
      for (const Json& record : line["records"]) require_right(record);
}

// "m = n = k = 1024"; "zipf_1.0, n = range = 10000000"; "m = n = 256, stream = 0".
std::string case_label(const Json& line) {
  const Json& shape = line.at("shape");
  std::map<Index, std::string> names;  // of each size
  std::vector<Index> order;
  for (const auto& [name, size] : shape.items()) {
    if (name == "pad") continue;
    std::string& of_size = names[size.get<Index>()];
    if (of_size.empty()) order.push_back(size.get<Index>());
    of_size += (of_size.empty() ? "" : " = ") + name;
  }
  std::string text;
  for (const Index size : order)
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", names[size], size);
  const Json params = line.value("params", Json::object());
  for (const auto& [name, value] : params.items()) text += fmt::format(", {} = {}", name, value.get<Index>());
  const std::string input = line.at("input");
  return input == key_inputs[0] || !shape.contains("range") ? text : input + ", " + text;
}

}  // namespace

Grid peers_grid(const Json& match) {
  const std::string rate = match.at("rate"), operation = match.at("operation");
  const bool sort = operation == "counting_sort";
  Grid grid{
      .caption = fmt::format("{} {}: {} and the best of its peers, each on as many threads:", operation,
                             match.at("element").get<std::string>(), match.at("variant").get<std::string>()),
      .columns = {{"case", true},
                  {"threads"},
                  {"ms"},
                  {"+- ms"},
                  {rate},
                  {"best peer", true},
                  {"over it"},
                  {sort                       ? "of uniform keys' speed"
                   : operation == "transpose" ? "of memcpy's speed"
                                              : "of the FMA peak"},
                  {"over one core"}},
      .rows = {}};
  if (sort) grid.columns.push_back({"over classical"});
  struct Group {
    double product = 1, least = 0;
    int count = 0;
    std::string worst;
  };
  std::map<std::string, Group> groups;
  for (const Json& line : match.at("cases"))
    if (const std::string name = line.at("group"); !name.empty() && line.contains("over_best_peer")) {
      Group& group = groups[name];
      const double ratio = line["over_best_peer"];
      group.product *= ratio;
      if (group.count++ == 0 || ratio < group.least) group.least = ratio, group.worst = case_label(line);
    }
  const auto percent = [](const Json& line, const char* key) {
    return line.contains(key) ? fmt::format("{:.0f} %", line[key].get<double>() * 100) : std::string("-");
  };
  for (const Json& line : match.at("cases")) {
    const std::string name = line.at("group"), threads = std::to_string(line.at("threads").get<int>());
    if (!name.empty()) {
      const auto group = groups.extract(name);
      if (group.empty()) continue;
      const Group& g = group.mapped();
      grid.rows.push_back({fmt::format("{}: geometric mean of {}", name, g.count), threads, "", "", "", "",
                           times(std::pow(g.product, 1.0 / g.count))});
      grid.rows.push_back(
          {fmt::format("the least of them, {}", g.worst), threads, "", "", "", "", times(g.least)});
      continue;
    }
    const Json& own = line.at("records").at(0);
    if (!own.contains("median_s")) {
      grid.rows.push_back({case_label(line), threads, own.value("problem", "not measured")});
      continue;
    }
    grid.rows.push_back({case_label(line), threads, figure(own["median_s"].get<double>() * 1e3),
                         figure(own.at("mad_s").get<double>() * 1e3), figure(own.at(rate).get<double>()),
                         line.value("best_peer", "-"), times(line.value("over_best_peer", absent)),
                         percent(line, sort ? "of_uniform" : "of_limit"),
                         times(line.value("over_one_core", absent))});
    if (sort)
      grid.rows.back().push_back(times(line.value("over", Json::object()).value("classical", absent)));
  }
  for (auto& row : grid.rows) row.resize(grid.columns.size());
  return grid;
}

void add_peers(CLI::App& app) {
  auto options = std::make_shared<PeersOptions>();
  CLI::App* command = app.add_subcommand(
      "peers", "The fastest variants beside the libraries that a user would pick instead, over many shapes");
  command->add_option("OPERATION", options->operations,
                      "matmul, transpose, counting_sort; all of them by default");
  command->add_option("--seconds", options->seconds, "Time to spend on each variant in each case")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  add_huge_pages(*command, options->pages);
  command->add_flag("--full", options->full, "Sizes of seconds a run, too: 20 minutes and 8 GB");
  command->add_flag("--smoke", options->smoke)->group("");
  command->add_option("--seed", options->seed, "Seed of the input data")->capture_default_str();
  command->add_option("--json", options->json, "Write the measurements to FILE ('-': standard output)")
      ->type_name("FILE");
  command->footer("Example: tallcache peers transpose --json peers.json");
  command->callback([options] { peers(*options); });
}

}  // namespace tallcache
