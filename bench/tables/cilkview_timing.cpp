#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "bench/tables/cilkview.hpp"
#include "bench/tables/counted_records.hpp"
#include "bench/tables/list.hpp"
#include "common/fork/one_tbb.hpp"

namespace tallcache::slide_tables::cilkview_timing {
namespace {

constexpr std::string_view id = "cilkview-timing";
constexpr const char* programs[] = {"original", "interchanged"};

/// The columns of the slide for a number of threads.
struct Threads {
  int count;
  std::size_t seconds, speedup;
};
constexpr Threads slide_threads[] = {{1, 1, 0}, {2, 2, 3}, {4, 4, 5}};

CilkviewArray run(const std::string& program, int threads, Index iterations) {
  CilkviewArray arr{};
  const auto body = cilkview_body(arr);
  const auto with = [&](const auto& fork) {
    if (program == "original")
      cilkview_original(fork, iterations, body);
    else
      cilkview_interchanged(fork, iterations, body);
  };
  if (threads == 1)
    with(Serial{});
  else
    in_arena(threads, [&] { with(OneTbb{threads}); });
  return arr;
}

// One record for each number of threads. The runs are interleaved, and each is compared with the
// elision's result.
std::vector<Record> time_program(const std::string& program, Index iterations, int rounds) {
  std::vector<Record> records;
  for (const Threads& threads : slide_threads) {
    if (threads.count > usable_threads()) continue;
    Record& record =
        records.emplace_back(measured_record("cilkview", program, "long", {{"iterations", iterations}}));
    record.threads = threads.count;
    record.quantities.push_back({.name = "time", .unit = "s"});
  }
  const CilkviewArray expected = run("original", 1, iterations);
  for (int round = 0; round < rounds; ++round)
    for (Record& record : records) {
      const auto start = std::chrono::steady_clock::now();
      const CilkviewArray arr = run(program, record.threads, iterations);
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
      if (arr != expected)
        throw Error(fmt::format("wrong result: {} on {}", program, record.threads), Status::wrong);
      record.quantities[0].samples.push_back(taken.count());
    }
  for (Record& record : records) {
    Quantity& time = record.quantities[0];
    time.value = median(time.samples);
    time.spread = median_absolute_deviation(time.samples);
  }
  return records;
}

std::vector<Row> rows(Scale scale, std::uint64_t) {
  const Index iterations = scale == Scale::full ? cilkview_iterations : scale == Scale::quick ? 100000 : 100;
  const int rounds = scale == Scale::smoke ? 1 : 5;
  std::vector<Row> rows;
  for (const char* program : programs)
    rows.push_back({program, [=] { return time_program(program, iterations, rounds); }});
  return rows;
}

const Record* record_of(const Inputs& inputs, const std::string& program, int threads) {
  for (const Record* record : records_of(inputs.document, id, program))
    if (record->threads == threads) return record;
  return nullptr;
}

// The speed-up over one thread; NaN when either was not measured.
double speedup_of(const Inputs& inputs, const std::string& program, int threads) {
  const Record *one = record_of(inputs, program, 1), *many = record_of(inputs, program, threads);
  return one && many ? one->seconds() / many->seconds() : no_value;
}

Finding finds_speedup(const Inputs& inputs, const std::string& program, bool speeds_up) {
  Finding finding{
      speeds_up ? "the interchanged loops speed up" : "the original slows down on more cores", {}, "", ""};
  for (const Json& row : inputs.slide.at("rows")) {
    if (row[0] != program) continue;
    for (const Threads& threads : slide_threads) {
      const double speedup = speedup_of(inputs, program, threads.count);
      if (threads.count == 1 || std::isnan(speedup)) continue;
      finding.figures += fmt::format("{}{:.3f} on {} (slide {})", finding.figures.empty() ? "" : ", ",
                                     speedup, threads.count, figure(row[threads.speedup]));
      finding.holds = finding.holds.value_or(true) && (speeds_up ? speedup > 1 : speedup < 1);
    }
  }
  if (!finding.holds) finding.why = "Needs a measurement on 2 cores";
  return finding;
}

// The slide runs a million iterations: the factor over those that were run.
double scale_of(const Record& record) {
  return static_cast<double>(cilkview_iterations) / record.shape.at("iterations").get<double>();
}

std::vector<std::string> cells_of(const Inputs& inputs, const Json& row, const Threads& threads) {
  const std::string program = row[0];
  const bool several = threads.count > 1;
  std::vector<std::string> cells{several ? "" : program, figure(threads.count), figure(row[threads.seconds])};
  const std::string slide = several ? figure(row[threads.speedup]) : "-";
  const Record* record = record_of(inputs, program, threads.count);
  if (!record) {
    const bool others = record_of(inputs, program, 1);
    cells.insert(cells.end(), {others ? fmt::format("needs {} cores", threads.count)
                                      : why_absent(inputs.document, id, program),
                               "", slide, ""});
    return cells;
  }
  const double scale = scale_of(*record);
  cells.insert(cells.end(),
               {figure(record->seconds() * scale), figure(record->seconds_spread() * scale), slide,
                several ? fmt::format("{:.3f}", speedup_of(inputs, program, threads.count)) : "-"});
  return cells;
}

Report report(const Inputs& inputs) {
  Report report;
  Grid& grid = report.grids.emplace_back();
  grid.columns = {{"version", true}, {"cores"},          {"slide s"},      {"here s"},
                  {"+- MAD"},        {"speed-up slide"}, {"speed-up here"}};
  for (const Json& row : inputs.slide.at("rows"))
    for (const Threads& threads : slide_threads) {
      grid.rows.push_back(cells_of(inputs, row, threads));
      const double speedup = speedup_of(inputs, row[0], threads.count);
      if (threads.count > 1 && !std::isnan(speedup))
        report.ratios.push_back({row[0], fmt::format("speed-up on {} cores", threads.count),
                                 row[threads.speedup], speedup, false});
    }
  report.notes.push_back(
      "On one core: the serial elision. Medians of interleaved runs, whose results are compared with the "
      "elision's.");
  if (const Record* record = record_of(inputs, programs[0], 1); record && scale_of(*record) != 1)
    report.notes.push_back(fmt::format("{} iterations, their times multiplied by {:g}; {} with --full.",
                                       record->shape["iterations"].get<Index>(), scale_of(*record),
                                       cilkview_iterations));
  report.findings = {finds_speedup(inputs, programs[0], false), finds_speedup(inputs, programs[1], true)};
  return report;
}

}  // namespace

const Table table{id, "the same two programs timed, serial and on 2 and 4 cores", rows, report};

}  // namespace tallcache::slide_tables::cilkview_timing
