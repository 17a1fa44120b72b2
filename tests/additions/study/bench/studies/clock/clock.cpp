// tallcache clock: the least time that the clock of every measurement can tell from none, and its report.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "bench/measure/context.hpp"
#include "bench/measure/options.hpp"
#include "bench/measure/output.hpp"
#include "bench/show/grid.hpp"
#include "bench/show/kind.hpp"

namespace tallcache {
namespace {

double least_step() {
  using Clock = std::chrono::steady_clock;
  double least = 1;
  for (int i = 0; i < 1000; ++i) {
    const auto start = Clock::now();
    auto end = Clock::now();
    while (end == start) end = Clock::now();
    least = std::min(least, std::chrono::duration<double>(end - start).count());
  }
  return least;
}

std::string full(const Document& document) {
  Grid grid{.caption = "The clock:", .columns = {{"clock", true}, {"least step, ns"}}};
  for (const Record& record : document.measurements)
    grid.rows.push_back({record.variant, figure(record.value("time") * 1e9)});
  return render(grid, Style::markdown);
}

void run(const std::string& json) {
  const Output output(json);
  Document document{.kind = "clock", .context = machine_context()};
  Record record;
  record.operation = "clock";
  record.variant = "steady_clock";
  record.backend = "cpu";
  record.outcome.status = Status::measured;
  record.quantities.push_back({.name = "time", .unit = "s", .value = least_step()});
  document.put(std::move(record));
  output.part(document, full(document));
  output.finish(document);
}

}  // namespace

void add_clock(CLI::App& app) {
  const auto [command, json] = add_command(app, run, "clock", "The least time that the clock tells from none",
                                           "Example: tallcache clock --json clock.json");
  add_json(*command, *json);
}

extern const ReportKind clock_report;
const ReportKind clock_report{.kind = "clock", .title = "The clock", .full = full};

}  // namespace tallcache
