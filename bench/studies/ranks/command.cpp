// tallcache ranks: a program beyond one machine: over MPI ranks, counted, or with clocks on a fat tree.
#include "bench/studies/ranks/ranks.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cmath>

#include "bench/measure/candidates.hpp"
#include "bench/measure/context.hpp"
#include "bench/measure/misses.hpp"
#include "bench/measure/options.hpp"
#include "bench/measure/output.hpp"
#include "bench/studies/ranks/bounds.hpp"
#include "bench/studies/ranks/fabric_file.hpp"
#include "bench/studies/ranks/over_ranks.hpp"
#include "common/catalogue.hpp"
#include "ranks/clocks.hpp"
#include "ranks/distribution.hpp"

namespace tallcache {
namespace {

// A document on more numbers of ranks than these does not tell of every rank.
constexpr std::size_t most_by_rank = 8;

ranks::MatmulOptions plan_options(const RanksOptions& options, const ranks::Fabric& fabric) {
  ranks::MatmulOptions plan{.idle = !options.all_ranks, .fabric = fabric};
  if (!options.memory.empty()) plan.memory = parse_bytes(options.memory);
  return plan;
}

// Weak scaling keeps the multiply-adds of a rank: the sizes are those of one rank. Throws Error where those
// of all are too large to be listed.
ranks::MatmulShape scaled(const ranks::MatmulShape& shape, Index ranks, bool weak) {
  if (!weak) return shape;
  const double factor = std::cbrt(static_cast<double>(ranks));
  const auto size = [&](Index one) {
    const double all = static_cast<double>(one) * factor;
    if (!(all < 0x1p53)) throw Error(fmt::format("--weak: {} on each of {} ranks is too large", one, ranks));
    return static_cast<Index>(std::llround(all));
  };
  const Shape all{{"m", size(shape.m)}, {"n", size(shape.n)}, {"k", size(shape.k)}};
  complete_shape(find_operation("matmul", "double"), all);
  return {all["m"], all["n"], all["k"]};
}

// `each`: of every rank, where there are few of them.
void add_counts(Record& record, const ranks::Plan& plan, const ranks::MatmulShape& shape, bool each) {
  const ranks::Counts counts = count(plan);
  add_words(record, plan, shape, static_cast<double>(counts.max_words),
            static_cast<double>(counts.max_messages), Origin::model);
  if (each && plan.ranks() <= most_told) {
    for (Index rank = 0; rank < plan.ranks(); ++rank)
      add_levels(record, rank, count_rank(plan, rank), Origin::model);
    return;
  }
  for (std::size_t level = 0; level < counts.levels.size(); ++level)
    record.quantities.push_back({.name = "words",
                                 .unit = "1",
                                 .value = static_cast<double>(counts.levels[level].max_words),
                                 .origin = Origin::model,
                                 .detail = "of the rank with the most",
                                 .at = {{"level", level + 1}}});
}

void add_clocks(Record& record, const ranks::Clocks& clocks) {
  const auto put = [&](double seconds, Json at) {
    record.quantities.push_back({.name = "time",
                                 .unit = "s",
                                 .value = seconds,
                                 .origin = Origin::model,
                                 .detail = "clocks on a fat tree",
                                 .at = std::move(at)});
  };
  put(clocks.seconds, Json::object());
  put(clocks.leaf_seconds, {{"phase", "leaf"}});
}

Record model_matmul(const RanksOptions& options, Index ranks, const ranks::Fabric& fabric) {
  const ranks::MatmulShape shape = scaled(matmul_shape(options), ranks, options.weak);
  const ranks::Plan plan = choose_matmul(shape, ranks, plan_options(options, fabric));
  Record record = ranks_record("matmul", "recursive", to_json(shape), ranks, 1);
  record.params = {{"grid", plan_text(plan, ranks)}};
  add_counts(record, plan, shape, options.ranks.size() <= most_by_rank);
  if (!options.fabric.empty()) {
    add_clocks(record, run_clocks(plan, fabric, ranks::matmul_flop));
    record.quantities.push_back({.name = "work",
                                 .unit = "flop",
                                 .value = 2.0 * static_cast<double>(shape.m) * static_cast<double>(shape.n) *
                                          static_cast<double>(shape.k),
                                 .origin = Origin::formula});
  }
  return record;
}

// Of a transposition every element that changes its rank is a word.
Record model_transpose(const RanksOptions& options, Index ranks) {
  if (ranks > most_transposing_ranks)
    throw Error(
        fmt::format("--ranks: {}; a transposition is counted on up to {}", ranks, most_transposing_ranks));
  const Shape shape = parse_shape(find_operation("transpose", "double"),
                                  options.shape.empty() ? "m=8192,n=8192" : options.shape);
  const Index m = shape["m"], n = shape["n"];
  const std::string layout = options.layout.empty() ? "rows" : options.layout;
  const auto from = ranks::named_distribution(layout, m, n, ranks);
  const auto to = ranks::named_distribution(layout, n, m, ranks).transposed();
  std::vector<ranks::Traffic> moved(static_cast<std::size_t>(ranks));
  std::vector<std::vector<char>> partners(moved.size(), std::vector<char>(moved.size()));
  for (const ranks::Rectangle& own : to.all())
    from.in(own.box, [&](const ranks::Rectangle& there) {
      if (there.rank == own.rank) return;
      const auto receiver = static_cast<std::size_t>(own.rank), sender = static_cast<std::size_t>(there.rank);
      moved[receiver].words_received += there.box.size();
      moved[sender].words_sent += there.box.size();
      moved[receiver].messages_received += !std::exchange(partners[receiver][sender], 1);
    });
  Record record = ranks_record("transpose", "redistribution", {{"m", m}, {"n", n}}, ranks, 1);
  record.conditions["layout"] = layout;
  ranks::Traffic most;
  for (const ranks::Traffic& one : moved) {
    most.words_received = std::max(most.words_received, one.words_received);
    most.messages_received = std::max(most.messages_received, one.messages_received);
  }
  for (const auto& [name, value] :
       {std::pair{"words", most.words_received}, {"messages", most.messages_received}})
    record.quantities.push_back({.name = name,
                                 .unit = "1",
                                 .value = static_cast<double>(value),
                                 .origin = Origin::model,
                                 .detail = "of the rank with the most"});
  for (Index rank = 0; rank < ranks && ranks <= most_told; ++rank)
    add_levels(record, rank, {&moved[static_cast<std::size_t>(rank)], 1}, Origin::model);
  return record;
}

void model(const RanksOptions& options) {
  if (options.operation == "transpose" && !options.fabric.empty())
    throw Error("--simulate: the clocks follow matmul; a transposition is counted or run");
  if (options.operation == "matmul" && !options.layout.empty())
    throw Error("--layout is of a run: --count and --simulate follow the recursion's own layout");
  const ranks::Fabric fabric = options.fabric.empty() ? ranks::Fabric{} : read_fabric(options.fabric);
  if (!options.memory.empty()) parse_bytes(options.memory);
  const Output output(options.json);
  Document document{.kind = "ranks", .context = machine_context()};
  RanksPlan plan{.operation = options.operation,
                 .mode = options.fabric.empty() ? "count" : "simulate",
                 .scaling = options.weak ? "weak" : "strong"};
  if (!options.fabric.empty()) plan.fabric = to_json(fabric);
  document.plan.push_back(plan);
  const std::vector<Index> all = options.ranks.empty() ? std::vector<Index>{32} : options.ranks;
  measure_and_show(
      [&] {
        for (const Index ranks : all) {
          stop_if_interrupted();
          document.put(options.operation == "transpose" ? model_transpose(options, ranks)
                                                        : model_matmul(options, ranks, fabric));
        }
      },
      [&] { output.part(document, ranks_text(document)); });
  output.finish(document);
}

void run_ranks(const RanksOptions& options) {
  if (options.operation != "matmul" && options.operation != "transpose")
    throw Error(unknown_name("operation over ranks", options.operation,
                             std::vector<std::string_view>{"matmul", "transpose"}));
  if (options.table) return table_of_bounds(options);
  if (options.count || !options.fabric.empty()) return model(options);
  if (!options.ranks.empty())
    throw Error("--ranks is for --count and --simulate; mpirun -n gives a run its ranks");
  run_over_ranks(options);
}

}  // namespace

void add_ranks(CLI::App& app) {
  const auto [command, options] =
      add_command(app, run_ranks, "ranks",
                  "A product or a transposition over MPI ranks: run under mpirun, counted, or simulated",
                  "Example: mpirun -n 4 tallcache ranks matmul --shape m=2048 --json ranks.json\n"
                  "         tallcache ranks matmul --shape m=8192 --count --ranks 2,4,8,16,32");
  command->add_option("operation", options->operation, "matmul or transpose")->capture_default_str();
  command->add_option("--shape", options->shape, "Sizes, as m=1024,n=512,k=256; others are as m")
      ->type_name("SIZES");
  command->add_option("--layout", options->layout,
                      "Of the caller's matrices: recursive, rows, columns, blocks[:PxQ], cyclic[:PxQ[xNB]]");
  command->add_option("--memory", options->memory, "Bytes that a rank may use, such as 4G")
      ->type_name("BYTES");
  whole_in(
      command->add_option("--threads", options->threads, "Of a rank; the processors that it is bound to"), 1,
      most_threads);
  whole_in(command->add_option("--repetitions", options->repetitions, "Timed runs"), 1, 1000);
  add_seed(*command, options->seed);
  command->add_flag("--all-ranks", options->all_ranks, "Leave no rank idle, even where that is faster");
  command->add_flag("--own-leaves", options->own_leaves,
                    "Ranks of a machine that are ahead compute nothing for those that are behind");
  command->add_flag("--peers", options->peers, "Also SUMMA, and the libraries: ScaLAPACK, FFTW over MPI");
  auto* count =
      command->add_flag("--count", options->count, "Count words and messages; no MPI, up to 1000000 ranks");
  auto* simulate = command->add_option("--simulate", options->fabric,
                                       "Clocks on the fat tree of a JSON file, or of cluster or host");
  simulate->type_name("FABRIC");
  whole_in(command->add_option("--ranks", options->ranks,
                               "With --count or --simulate: numbers of ranks, such as 2,4,8; those of a "
                               "transposition end at 10000"),
           1, most_ranks)
      ->delimiter(',');
  command->add_flag("--weak", options->weak,
                    "Weak scaling: the sizes are of one rank and grow with the ranks");
  command->add_flag("--table", options->table, "Words over the bound for P = 2 to 10^6 and four shapes")
      ->excludes(count)
      ->excludes(simulate);
  add_json(*command, options->json);
}

}  // namespace tallcache
