#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/results/profile.hpp"
#include "bench/tables/cilkview.hpp"
#include "bench/tables/counted_records.hpp"
#include "bench/tables/list.hpp"
#include "common/fork/work_span.hpp"

namespace tallcache::slide_tables::cilkview_profile {
namespace {

/// The slide's clock: a strand costs the instructions that it is charged.
struct Instructions {
  static constexpr double per_strand = 0;
  static double now() { return charged; }
  static void charge(double instructions) { charged += instructions; }

 private:
  static constinit inline thread_local double charged = 0;
};

/// The cost of a fork and of the bodies of the four parallel iterations, in instructions.
struct Costs {
  double fork, body, last_body;
};

/// A fork policy whose forks cost what Cilk's did.
template <class Fork>
struct Charging {
  Fork& policy;
  double fork;

  template <class F, class G>
  void operator()(F&& f, G&& g) const {
    Instructions::charge(fork);
    policy(f, g);
  }
  template <class Body>
  void loop(Index begin, Index end, Index step, Body&& body) const {
    loop_by_halves(*this, begin, end, step, 1, body);
  }
};

constexpr std::string_view id = "cilkview-profile";
constexpr const char* names[] = {"original", "interchanged"};  // the slide's columns

/// NaN where a profile was not measured.
constexpr Profile no_profile{.work = no_value, .span = no_value, .burdened_span = no_value};

struct Program {
  const char* name;
  Profile slide{}, charged = no_profile, here = no_profile;
};

double slide_figure(const Json& slide, std::string_view row, std::string_view program) {
  const Json& columns = slide.at("columns");
  const auto column = std::ranges::find(columns, Json(program)) - columns.begin();
  for (const Json& line : slide.at("rows"))
    if (line[0] == row) return line[static_cast<std::size_t>(column)];
  throw Error(fmt::format("the slide has no row '{}'", row));
}

Profile slide_profile(const Json& slide, const char* program) {
  const auto figure = [&](const char* row) { return slide_figure(slide, row, program); };
  const double strands = std::round(figure("work_instructions") / figure("instructions_per_strand"));
  return {.work = figure("work_instructions"),
          .span = figure("span_instructions"),
          .burdened_span = figure("burdened_span_instructions"),
          .spawns = static_cast<std::uint64_t>(figure("spawns")),
          .strands = static_cast<std::uint64_t>(strands),
          .strands_on_span = static_cast<std::uint64_t>(figure("strands_along_span"))};
}

// The work of the original is n (3 forks + 4 bodies), of the interchanged program 3 forks + 4n bodies. The
// largest body is the last one, as the slide's burdens are all on its span.
Costs costs_of(const Profile& original, const Profile& interchanged) {
  constexpr double n = cilkview_iterations;
  const double fork = (original.work - interchanged.work) / (3 * (n - 1));
  const double last = (interchanged.span - 2 * fork) / n;
  return {fork, ((interchanged.work - 3 * fork) / n - last) / 3, last};
}

Costs slide_costs() {
  const Json& slide = slide_table(id);
  return costs_of(slide_profile(slide, names[0]), slide_profile(slide, names[1]));
}

// Profiles both programs. `profile(program)` gets a callable of a fork policy and a body.
template <class ProfileOf>
std::vector<Record> profile_both(Index iterations, ProfileOf&& profile) {
  std::vector<Record> records;
  for (const char* name : names)
    records.push_back(measured_record("cilkview", name, "long", {{"iterations", iterations}}));
  profile(records[0], [=](auto& fork, const auto& work) { cilkview_original(fork, iterations, work); });
  profile(records[1], [=](auto& fork, const auto& work) { cilkview_interchanged(fork, iterations, work); });
  return records;
}

std::vector<Record> profile_charged() {
  return profile_both(cilkview_iterations, [costs = slide_costs()](Record& record, const auto& program) {
    WorkSpan<Instructions> policy({.burden = cilkview_burden});
    const Profile profile = policy.profile([&] {
      const Charging<WorkSpan<Instructions>> fork{policy, costs.fork};
      program(fork, [&costs](Index, Index i) {
        Instructions::charge(i == cilkview_count - 1 ? costs.last_body : costs.body);
      });
    });
    put_profile(record, profile, "instruction", Origin::model,
                "charged what the slide's forks and bodies cost");
  });
}

std::vector<Record> profile_here(Index iterations) {
  return profile_both(iterations, [](Record& record, const auto& program) {
    WorkSpan<Nanoseconds> fork({.burden = measured_burden()});
    CilkviewArray arr{};
    const Profile profile = fork.profile([&] { program(fork, cilkview_body(arr)); });
    if (std::ranges::find(arr, 0) != arr.end())
      throw Error("wrong result: a body did not run", Status::wrong);
    put_profile(record, profile, "ns", Origin::clock, "work/span profiler on one thread");
    record.quantities.push_back(
        {.name = "burden", .unit = "ns", .value = measured_burden(), .detail = "of a steal"});
  });
}

constexpr const char *charged_label = "charged", *here_label = "in nanoseconds";

std::vector<Row> rows(Scale scale, std::uint64_t) {
  // An iteration takes 5 us, including its clocks.
  const Index iterations = scale == Scale::full ? cilkview_iterations : scale == Scale::quick ? 100000 : 100;
  return {{charged_label, profile_charged}, {here_label, [=] { return profile_here(iterations); }}};
}

std::vector<Program> programs_of(const Inputs& inputs) {
  std::vector<Program> programs;
  for (const char* name : names) programs.push_back({name, slide_profile(inputs.slide, name)});
  for (const auto& [label, profile] :
       {std::pair{charged_label, &Program::charged}, {here_label, &Program::here}})
    for (const Record* record : records_of(inputs.document, id, label))
      for (Program& program : programs)
        if (record->variant == program.name) program.*profile = profile_of(*record);
  return programs;
}

bool measured(std::span<const Program> programs, Profile Program::*profile) {
  return std::ranges::none_of(programs, [&](const Program& p) { return std::isnan((p.*profile).work); });
}

std::string range(const SpeedupRange& r) { return fmt::format("{:.2f} - {:.2f}", r.low, r.high); }

// The slide's ranges, as printed.
SpeedupRange slide_range(const Json& slide, const std::string& program, std::size_t i) {
  const Json& estimates = slide.at("speedup_estimates");
  return {estimates.at(program + "_low")[i], estimates.at(program + "_high")[i]};
}

/// A line of the parallelism profile.
struct ProfileLine {
  const char* quantity;
  double (*value)(const Profile&);
  int digits = 0;
};
constexpr ProfileLine profile_lines[] = {
    {"work", [](const Profile& p) { return p.work; }},
    {"span", [](const Profile& p) { return p.span; }},
    {"burdened span", [](const Profile& p) { return p.burdened_span; }},
    {"parallelism", [](const Profile& p) { return p.parallelism(); }, 2},
    {"burdened parallelism", [](const Profile& p) { return p.burdened_parallelism(); }, 2},
    {"spawns", [](const Profile& p) { return static_cast<double>(p.spawns); }},
    {"average of a strand", [](const Profile& p) { return p.work / static_cast<double>(p.strands); }},
    {"strands along the span", [](const Profile& p) { return static_cast<double>(p.strands_on_span); }},
    {"average of a strand on it",
     [](const Profile& p) { return p.span / static_cast<double>(p.strands_on_span); }},
};

Grid profile_grid(std::span<const Program> programs, const std::string& iterations) {
  Grid grid;
  grid.caption = "Parallelism profile";
  grid.columns = {{"quantity", true}};
  for (const Program& p : programs)
    for (const std::string& what : {std::string("slide"), std::string("charged"), "here ns" + iterations})
      grid.columns.push_back({fmt::format("{}: {}", p.name, what)});
  for (const ProfileLine& line : profile_lines) {
    auto& row = grid.rows.emplace_back(std::vector<std::string>{line.quantity});
    for (const Program& p : programs)
      for (const Profile* profile : {&p.slide, &p.charged, &p.here})
        row.push_back(std::isnan(profile->work) ? "-"
                                                : fmt::format("{:.{}f}", line.value(*profile), line.digits));
  }
  return grid;
}

Grid estimates_grid(const Json& slide, const Program& program) {
  Grid grid{.caption = fmt::format("Speed-up estimate, {}", program.name),
            .columns = {{"processors"}, {"slide"}, {"from its figures"}, {"charged"}, {"here ns"}}};
  const Json& processors = slide.at("speedup_estimates").at("processors");
  for (std::size_t i = 0; i < processors.size(); ++i) {
    const double count = processors[i];
    auto& row = grid.rows.emplace_back(std::vector<std::string>{figure(count)});
    row.push_back(range(slide_range(slide, program.name, i)));
    for (const Profile* profile : {&program.slide, &program.charged, &program.here})
      row.push_back(std::isnan(profile->work) ? "-" : range(speedup_range(*profile, count)));
  }
  return grid;
}

// All ten ranges, as printed, and the number of lower ends that the formula as the slides print it, without 1
// - 1 / P, gives.
Finding finds_estimates(const Json& slide, std::span<const Program> programs) {
  int ranges = 0, same = 0, as_printed = 0;
  const Json& processors = slide.at("speedup_estimates").at("processors");
  for (const Program& p : programs)
    for (std::size_t i = 0; i < processors.size(); ++i) {
      const double count = processors[i];
      const SpeedupRange slides = slide_range(slide, p.name, i);
      ++ranges;
      same += range(speedup_range(p.slide, count)) == range(slides);
      const double low = p.slide.work / (p.slide.work / count + 1.7 * p.slide.burdened_span);
      as_printed += fmt::format("{:.2f}", low) == fmt::format("{:.2f}", slides.low);
    }
  return {
      "speed-up at least T_1 / (T_1 / P + 1.7 burdened span), at most min(P, parallelism)", same == ranges,
      fmt::format("{} of {} ranges come out to the digit from the slide's own work, span and burdened span, "
                  "with 1.7 (1 - 1/P)",
                  same, ranges),
      fmt::format("Without 1 - 1/P, as the slides print it, {} of {} lower ends do", as_printed, ranges)};
}

Finding finds_composition(std::span<const Program> programs, const Costs& costs) {
  Finding finding{"interchanging the loops raises the parallelism from 3.06 to 3.99", {}, "", "Not counted"};
  if (!measured(programs, &Program::charged)) return finding;
  double apart = 0;
  std::string figures;
  bool same = true;
  for (const Program& p : programs) {
    apart = std::max(
        {apart, std::abs(p.charged.work / p.slide.work - 1), std::abs(p.charged.span / p.slide.span - 1)});
    same = same &&
           fmt::format("{:.2f}", p.charged.parallelism()) == fmt::format("{:.2f}", p.slide.parallelism());
    figures +=
        fmt::format("{}: {:.2f} (slide {:.2f}); ", p.name, p.charged.parallelism(), p.slide.parallelism());
  }
  return {finding.text, same && apart < 1e-6,
          figures + fmt::format("work and span at most {:.1g} of them off", apart),
          fmt::format("Charged {:.1f} instructions a fork, {:.1f} a body and {:.1f} the last of four",
                      costs.fork, costs.body, costs.last_body)};
}

// The slide truncates its averages and does not round them. The strands follow from this.
Finding finds_counts(const Json& slide, std::span<const Program> programs) {
  Finding finding{
      "spawns, strands along the span, and what a strand costs on average", {}, "", "Not counted"};
  if (!measured(programs, &Program::charged)) return finding;
  bool same = true;
  std::string figures;
  for (const Program& p : programs) {
    const double average = std::trunc(p.charged.work / static_cast<double>(p.charged.strands));
    same = same && p.charged.spawns == p.slide.spawns &&
           p.charged.strands_on_span == p.slide.strands_on_span &&
           std::abs(average - slide_figure(slide, "instructions_per_strand", p.name)) <= 1;
    figures += fmt::format("{}{}: {} spawns, {} strands, {} along the span", figures.empty() ? "" : "; ",
                           p.name, p.charged.spawns, p.charged.strands, p.charged.strands_on_span);
  }
  return {finding.text, same, figures, ""};
}

Finding finds_burden(std::span<const Program> programs, const Record* record) {
  Finding finding{"burdened, the original has no parallelism left, and the interchanged one all of it",
                  {},
                  "",
                  "Not measured"};
  if (!measured(programs, &Program::here)) return finding;
  const Profile &here = programs[0].here, &fixed = programs[1].here;
  finding.holds =
      here.burdened_parallelism() < 1 && fixed.burdened_parallelism() > 0.95 * fixed.parallelism();
  finding.figures = fmt::format(
      "in nanoseconds here {:.2f} of {:.2f} and {:.2f} of {:.2f} (slide 0.20 and 3.99)",
      here.burdened_parallelism(), here.parallelism(), fixed.burdened_parallelism(), fixed.parallelism());
  finding.why =
      fmt::format("Four bodies are {:.0f} ns, two steals {:.0f} ns",
                  here.work / record->shape.at("iterations").get<double>(), 2 * record->value("burden"));
  return finding;
}

Report report(const Inputs& inputs) {
  const std::vector<Program> programs = programs_of(inputs);
  const Costs costs = costs_of(programs[0].slide, programs[1].slide);
  const auto records = records_of(inputs.document, id, here_label);
  const Record* here = records.empty() ? nullptr : records.front();
  Report report;
  report.grids = {profile_grid(
      programs, here ? fmt::format(", {} iterations", here->shape.at("iterations").get<Index>()) : "")};
  for (const Program& program : programs) report.grids.push_back(estimates_grid(inputs.slide, program));
  report.notes = {fmt::format(
      "Charged: the two programs under this profiler, {} iterations, in instructions. The slide's "
      "work of both gives {:.1f} for a fork and {:.1f} for the four bodies together, its span of the "
      "interchanged one {:.1f} for the largest body; its span of the original is then free to "
      "disagree. Burden 15000; the slide's own figures come to 14902 a continuation.",
      cilkview_iterations, costs.fork, 3 * costs.body + costs.last_body, costs.last_body)};
  if (here)
    report.notes.push_back(fmt::format(
        "Here: the slide's do_work in nanoseconds on one thread, burden {:.0f} ns as measured. What a "
        "fork itself costs lies between strands and is not in their time, but reading the clock is, "
        "some 20 ns a strand.",
        here->value("burden")));
  report.findings = {finds_composition(programs, costs), finds_counts(inputs.slide, programs),
                     finds_estimates(inputs.slide, programs), finds_burden(programs, here)};
  if (measured(programs, &Program::charged))
    for (const Program& p : programs)
      report.ratios.push_back({p.name, "parallelism", p.slide.parallelism(), p.charged.parallelism(), false});
  return report;
}

}  // namespace

const Table table{id, "work and span of a parallel loop inside a serial one, and interchanged", rows, report};

}  // namespace tallcache::slide_tables::cilkview_profile
