// Coalescing: PMPP's foo_kernel, figures 6.2 and 6.3 and block sizes, the four rules of half-warps, and the
// transactions of a load, by the request model.
#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "bench/tables/coalescing.hpp"
#include "bench/tables/counted_records.hpp"
#include "bench/tables/exercises.hpp"
#include "bench/tables/list.hpp"
#include "bench/tables/memory_curves.hpp"
#include "common/warp/host_device.hpp"
#include "gpu/exercises/foo.hpp"

namespace tallcache::slide_tables::coalescing_exercise {
namespace {

using cache::AccessKind;
using cache::Space;

constexpr std::string_view id = "coalescing-exercise", machine = "h200", label = "foo_kernel",
                           verdicts_label = "verdicts", block_sizes_label = "block sizes";

constexpr Remark remarks[] = {
    {"block sizes of the tiled product without uncoalesced accesses",
     "A row of a tile fills whole sectors of 32 bytes at every multiple of 8; only at 32 it fills a line of "
     "128 bytes"},
    {"LD.E R2, [R6]: addresses of half a warp",
     "0x00FB6AEB, of threads 3 and 7, is no multiple of 4: a misprint of ...E8 or ...EC"},
    {"naive transpose, a half-warp's store, capability 1.2", "",
     "Each lane writes a row apart, a segment each"},
};

// An access of the exercise: the `number`-th of its kind and space in the kernel's text.
struct Access {
  Space space;
  AccessKind kind;
  std::size_t number;
};

// a to i, in the order of the exercise.
constexpr Access accesses[] = {
    {Space::global, AccessKind::load, 0},  {Space::shared, AccessKind::store, 0},
    {Space::global, AccessKind::load, 1},  {Space::global, AccessKind::load, 2},
    {Space::shared, AccessKind::store, 1}, {Space::shared, AccessKind::load, 0},
    {Space::global, AccessKind::store, 0}, {Space::shared, AccessKind::load, 1},
    {Space::global, AccessKind::store, 1},
};
constexpr const char* letters = "abcdefghi";

cache::RequestCounts counts_of(const std::vector<warp::SiteCounts>& sites, const Access& access) {
  std::size_t number = 0;
  for (const warp::SiteCounts& site : sites)
    if (site.site.space == access.space && site.site.kind == access.kind && number++ == access.number)
      return site.counts;
  throw Error(fmt::format("the kernel's text has no access number {} of its kind", access.number));
}

// Runs the kernel's own text on the model of a machine, in 32 blocks of 256 threads.
std::vector<Record> count() {
  constexpr Index blocks = 32, threads = 256, n = blocks * threads;
  warp::HostDevice device(cache::warp_machine(machine));
  std::vector<float> memory[5];
  VectorView<float, warp::Counted> views[5];
  const Index sizes[] = {n, 4 * n, 4 * n, n + 8, 8 * n};
  for (int i = 0; i < 5; ++i) {
    memory[i].assign(static_cast<std::size_t>(sizes[i]), 1);
    views[i] = VectorView<float>{memory[i].data(), sizes[i]}.with(device.access(memory[i].data()));
  }
  device.launch({{blocks}, {threads}}, gpu::exercises::Foo{}, views[0], views[1], views[2], views[3],
                views[4]);

  Record record =
      measured_record("foo_kernel", "as_printed", "float", {{"blocks", blocks}, {"threads", threads}});
  const auto sites = device.sites();
  for (std::size_t i = 0; i < std::size(accesses); ++i) {
    const cache::RequestCounts counts = counts_of(sites, accesses[i]);
    const Json at{{"access", std::string(1, letters[i])}};
    const auto put = [&](const char* name, std::uint64_t value) {
      add_count(record, name, static_cast<double>(value), Origin::model, std::string(machine), at);
    };
    put("requests", counts.requests);
    put("sectors", counts.sectors);
    put("ideal sectors", counts.ideal_sectors);
    put("wavefronts", counts.wavefronts);
    put("ideal wavefronts", counts.ideal_wavefronts);
  }
  return {record};
}

std::vector<Row> rows(Scale, std::uint64_t) {
  return {{std::string(label), [] { return count(); }},
          {std::string(verdicts_label), [] { return coalescing::count_verdicts(id); }},
          {std::string(block_sizes_label), [] { return coalescing::count_block_sizes(); }},
          exercises_row([] { return coalescing::answer(id); }),
          stride_row()};
}

// The cost of a request of the access, and its minimum.
struct PerRequest {
  double sectors, ideal, wavefronts;

  PerRequest(const Record& record, char letter) {
    const Json at{{"access", std::string(1, letter)}};
    const double requests = record.value("requests", at);
    sectors = record.value("sectors", at) / requests;
    ideal = record.value("ideal sectors", at) / requests;
    wavefronts = record.value("wavefronts", at) / requests;
  }
  // For neighbouring lanes in neighbouring words: the sectors that the bytes fill, and one more where they
  // start within a sector.
  bool coalesced() const { return sectors <= ideal + 1; }
};

std::string verdict(const Access& access, const PerRequest& each) {
  if (access.space == Space::shared) return "shared memory: not applicable";
  return each.coalesced() ? "coalesced" : "uncoalesced";
}

Finding finds_answer(const std::string& text, const std::string& answer, const std::string& here,
                     const Access& access, const PerRequest& each) {
  Finding finding{fmt::format("{}: {}", text, answer), answer.starts_with(here), {}, {}};
  finding.figures =
      access.space == Space::global
          ? fmt::format("{} sectors a request, {} would do", figure(each.sectors), figure(each.ideal))
          : fmt::format("{} wavefronts a request", figure(each.wavefronts));
  if (access.space == Space::shared && each.wavefronts > 1)
    finding.why = "It is no question of coalescing, and its banks conflict all the same";
  return finding;
}

void add_foo(const Inputs& inputs, Report& report) {
  Grid& grid = report.grids.emplace_back();
  grid.columns = {{"access", true},      {"text's answer", true}, {"model", true},
                  {"sectors a request"}, {"of them needed"},      {"shared wavefronts a request"}};
  const auto records = records_of(inputs.document, id, label);
  for (std::size_t i = 0; i < std::size(accesses); ++i) {
    const std::string text =
        fmt::format("{}. {}", letters[i], inputs.slide.at("rows")[i][0].get<std::string>());
    const std::string answer = inputs.slide.at("rows")[i][1];
    if (records.empty()) {
      grid.rows.push_back({text, answer, why_absent(inputs.document, id, label), "-", "-", "-"});
      continue;
    }
    const PerRequest each(*records.front(), letters[i]);
    const std::string here = verdict(accesses[i], each);
    const bool global = accesses[i].space == Space::global;
    grid.rows.push_back({text, answer, here, global ? figure(each.sectors) : "-",
                         global ? figure(each.ideal) : "-", global ? "-" : figure(each.wavefronts)});
    report.findings.push_back(finds_answer(text, answer, here, accesses[i], each));
  }
  report.notes.push_back(
      "The model runs the kernel's own text, lane by lane, and counts what each warp asks for: sectors of 32 "
      "bytes, before any cache. Caches can serve the sectors of c that a warp takes again at the next j.");
}

// The text's word for an access, and whether the model makes as few transactions of it as would do.
void add_verdicts(const Inputs& inputs, Report& report) {
  Grid& grid = report.grids.emplace_back();
  grid.columns = {{"row", true},   {"access", true},           {"text's answer", true},
                  {"model", true}, {"transactions a request"}, {"of them needed"}};
  const auto records = records_of(inputs.document, id, verdicts_label);
  for (const Json& row : inputs.slide.at("verdicts")) {
    const std::string access = row.at(1), answer = row.at(2);
    const Json at{{"access", access}};
    if (records.empty() || !records.front()->find("transactions", at)) {
      grid.rows.push_back(
          {row.at(0), access, answer, why_absent(inputs.document, id, verdicts_label), "-", "-"});
      continue;
    }
    const double transactions = records.front()->value("transactions", at),
                 ideal = records.front()->value("ideal transactions", at);
    const std::string here = transactions == ideal ? "coalesced" : "uncoalesced";
    grid.rows.push_back({row.at(0), access, answer, here, figure(transactions), figure(ideal)});
    report.findings.push_back(
        {fmt::format("{}, {}: {}", row.at(0).get<std::string>(), access, answer),
         here == answer,
         fmt::format("{} transactions, {} would do", figure(transactions), figure(ideal)),
         {}});
  }
  report.notes.push_back(
      "Figures 6.2 and 6.3: the products' own text on today's machine. Capability 1.0: a half-warp that "
      "breaks a rule makes a transaction for each lane; 1.2 makes segments of its addresses.");
}

void add_block_sizes(const Inputs& inputs, Report& report) {
  const auto records = records_of(inputs.document, id, block_sizes_label);
  const Quantity* sectors = records.empty() ? nullptr : records.front()->find("sectors a request");
  const Quantity* ideal = records.empty() ? nullptr : records.front()->find("ideal sectors a request");
  if (!sectors || !ideal) return;
  Grid& grid = report.grids.emplace_back();
  grid.caption = "The loads of the tiled product by its block's size, by the model of its text";
  grid.columns = {{"block"}, {"sectors a request"}, {"of them needed"}};
  for (std::size_t i = 0; i < sectors->values.size() && i < ideal->values.size(); ++i)
    grid.rows.push_back({fmt::format("{0} x {0}", digits(sectors->over.points[i])),
                         figure(sectors->values[i]), figure(ideal->values[i])});
}

Report report(const Inputs& inputs) {
  Report report;
  add_foo(inputs, report);
  add_verdicts(inputs, report);
  add_exercises(inputs, id, remarks, {}, report);
  add_block_sizes(inputs, report);
  add_strides(inputs, id, report);
  return report;
}

}  // namespace

const Table table{id,
                  "coalescing: PMPP's foo_kernel, the rules of half-warps, best and worst loads, by a model",
                  rows, report};

}  // namespace tallcache::slide_tables::coalescing_exercise
