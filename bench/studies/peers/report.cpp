#include "bench/studies/peers/peers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "bench/results/limits.hpp"
#include "bench/show/device_memory.hpp"
#include "bench/show/format.hpp"
#include "bench/show/kind.hpp"
#include "common/measure/statistics.hpp"

namespace tallcache {
namespace {

double rate_of(const Record* record) { return record ? record->rate(measured_seconds(record)) : no_value; }

// The first record of this operation, variant and launch mode in a row.
const Record* record_of(const Document& document, const PeersPlan& plan, const PlannedCase& peer_case,
                        std::string_view operation, std::string_view variant, LaunchMode launch) {
  for (const Record& record : document.measurements)
    if (peer_case.row == record.row && plan.backend == record.backend && operation == record.operation &&
        variant == record.variant && record.launch() == launch)
      return &record;
  return nullptr;
}

// The run of another case of the plan that differs from `own` in its input or its number of threads.
const Record* other_case(const Document& document, const PeersPlan& plan, const Record& own,
                         std::string_view input, int threads) {
  for (const PlannedCase& peer_case : plan.cases) {
    const Record* other = record_of(document, plan, peer_case, plan.operation, plan.variant, own.launch());
    if (other && other->shape == own.shape && other->params == own.params && other->input == input &&
        other->threads == threads)
      return other;
  }
  return nullptr;
}

double share_of(const Document& document, const PeersPlan& plan, const PlannedCase& peer_case,
                const Record& own) {
  const PlannedShare& share = plan.share;
  if (share.of == "limit") {
    const Roofline roofline(document.limits);
    if (share.operation)
      return share.operations.value() * roofline.share_of(*share.operation, own, share.element.value());
    return share.products.value_or(1) * roofline.share(own, share.element.value_or(own.element));
  }
  if (share.of == "reference")
    return measured_seconds(record_of(document, plan, peer_case, share.operation.value(),
                                      share.variant.value(), own.launch())) /
           measured_seconds(&own);
  if (own.input == plan.first_input) return no_value;
  return rate_of(&own) / rate_of(other_case(document, plan, own, plan.first_input, own.threads));
}

// The class of the part's variant, by its records; in a document without one it was not measured.
ErrorClass class_of(const Document& document, const PeersPlan& plan) {
  for (const Record& record : document.measurements)
    if (plan.operation == record.operation && plan.element == record.element &&
        plan.backend == record.backend && plan.variant == record.variant)
      return record.error_class;
  return ErrorClass::standard;
}

// The best rival in a case, its error class where that is another than the variant's, and how many were not
// measured.
std::string best_name(const PeerFigures& figures, Rivals rivals) {
  const Rival& rival = figures.of(rivals);
  if (!rival.best) return "-";
  const bool same = rival.best->error_class == figures.own->error_class;
  return fmt::format("{}{}{}", rival.best->variant,
                     same ? "" : fmt::format(" ({})", name_of(rival.best->error_class)),
                     rival.absent_count ? fmt::format(", {} not measured", rival.absent_count) : "");
}

std::string title_of(Rivals rivals) {
  return rivals == Rivals::libraries ? "best library" : "best other variant";
}

constexpr std::string_view over_variant_title = "over that variant", weaker_title = "of a weaker class";

bool has_column(const Grid& grid, std::string_view title) {
  return std::ranges::find(grid.columns, title, &Column::title) != grid.columns.end();
}

std::vector<const Record*> all_records(const Document& document, const PeersPlan& plan) {
  std::vector<const Record*> list;
  for (const Record& record : document.measurements)
    for (const PlannedCase& peer_case : plan.cases)
      if (peer_case.row == record.row && plan.operation == record.operation) list.push_back(&record);
  return list;
}

// Whether libraries are measured, and variants of the suite's own beside.
bool has_other_variants(const Document& document, const PeersPlan& plan) {
  return main_rivals(document, plan) == Rivals::libraries &&
         std::ranges::any_of(all_records(document, plan),
                             [&](const Record* r) { return !r->peer && r->variant != plan.variant; });
}

// "; vqsort runs as AVX2": the builds and kernels that the libraries chose, without the plans for each size.
std::string libraries_of(const Document& document, const PeersPlan& plan) {
  std::string text;
  std::set<std::pair<std::string, std::string>> said;
  for (const PlannedCase& peer_case : plan.cases)
    for (const Record& record : document.measurements) {
      if (peer_case.row != record.row || record.runs_as.empty()) continue;
      const std::string build = record.runs_as.substr(0, record.runs_as.find("; "));
      if (said.emplace(record.variant, build).second)
        text += fmt::format("; {} runs as {}", record.variant, build);
    }
  return text;
}

// Which draws they are, and how many were measured again.
std::string draws_text(const Document& document, const PeersPlan& plan) {
  if (!plan.draws) return {};
  const auto& [seed, count, max_n, bar, min_n] = *plan.draws;
  return fmt::format("; {} draws of seed {}, of {} {} keys; {} were below {} and count as measured alone",
                     count, seed, min_n ? fmt::format("{} to", *min_n) : "up to", max_n,
                     peer_group(document, plan, draws_group, Rivals::libraries).again_count, bar);
}

std::string caption_of(const Document& document, const PeersPlan& plan) {
  const bool host = plan.backend == "cpu";
  return fmt::format("{} {}{}: {} and the {}{}{}{}{}:", plan.operation, plan.element,
                     host ? "" : " on the " + backend_title(plan.backend),
                     with_class(plan.variant, class_of(document, plan)),
                     title_of(main_rivals(document, plan)), host ? ", each on as many threads" : "",
                     plan.caches ? ", caches cold" : "", draws_text(document, plan),
                     libraries_of(document, plan));
}

Grid empty_grid(const Document& document, const PeersPlan& plan) {
  std::vector<const Record*> records;
  for (const PlannedCase& peer_case : plan.cases)
    records.push_back(record_of(document, plan, peer_case, plan.operation, plan.variant, LaunchMode::plain));
  Grid grid{.caption = caption_of(document, plan),
            .columns = {{"case", true},
                        {"threads"},
                        {"median"},
                        {"+-"},
                        {rate_title(records)},
                        {title_of(main_rivals(document, plan)), true},
                        {"over it"},
                        {plan.share.title},
                        {"over one core"}}};
  if (!plan.baseline.empty()) grid.columns.push_back({"over " + plan.baseline});
  if (has_other_variants(document, plan))
    grid.columns.insert(grid.columns.end(),
                        {{title_of(Rivals::variants), true}, {std::string(over_variant_title)}});
  const ErrorClass own = class_of(document, plan);
  if (std::ranges::any_of(all_records(document, plan), [&](const Record* r) { return r->error_class > own; }))
    grid.columns.insert(grid.columns.end(), {{std::string(weaker_title), true}, {"over that"}});
  if (has_memory_counts(records)) add_memory_columns(grid);
  return grid;
}

// "", or what a line says of a case's second records.
std::string suffix(LaunchMode launch) { return launch == LaunchMode::graph ? ", graph" : ""; }

void add_group(Grid& grid, const Document& document, const PeersPlan& plan, const PlannedCase& first,
               LaunchMode launch) {
  const std::string &name = first.group, threads = std::to_string(first.threads);
  const PeerGroup group = peer_group(document, plan, name, main_rivals(document, plan), launch);
  const PeerGroup beside = peer_group(document, plan, name, Rivals::variants, launch);
  if (launch == LaunchMode::graph && group.count + group.absent_count == 0) return;
  const auto add_row = [&](std::string label, double over, double over_variant, std::string rate = {}) {
    std::vector<std::string>& row = grid.rows.emplace_back(
        std::vector<std::string>{std::move(label), threads, "", "", std::move(rate), "", times(over)});
    row.resize(grid.columns.size());
    const auto at = std::ranges::find(grid.columns, over_variant_title, &Column::title);
    if (at != grid.columns.end())
      row[static_cast<std::size_t>(at - grid.columns.begin())] = times(over_variant);
  };
  const std::string missing = group.absent_count ? fmt::format(", {} not measured", group.absent_count) : "";
  add_row(
      fmt::format("{}{}: {} mean of {}{}{}", name.empty() ? "all of these" : name, suffix(launch),
                  plan.roots ? "harmonic" : "geometric", group.count, plan.roots ? " roots" : "", missing),
      group.geometric_mean, beside.geometric_mean, plan.roots ? figure(group.rate) : "");
  if (!group.count) return;
  if (plan.draws) add_row("their fifth percentile", group.fifth_percentile, beside.fifth_percentile);
  add_row(fmt::format("the least of them, {}", group.min_label), group.min, no_value);
}

void add_case(Grid& grid, const Document& document, const PeersPlan& plan, const PlannedCase& peer_case,
              LaunchMode launch) {
  const PeerFigures figures = peer_figures(document, plan, peer_case, launch);
  if (launch == LaunchMode::graph && !figures.own) return;
  const Rivals rivals = main_rivals(document, plan);
  const double seconds = measured_seconds(figures.own);
  std::vector<std::string> row{peer_case.label + suffix(launch), std::to_string(peer_case.threads)};
  if (seconds > 0)
    row.insert(row.end(),
               {duration(seconds), duration(figures.own->seconds_spread()), figure(figures.own->rate()),
                best_name(figures, rivals), times(figures.of(rivals).over), percent(figures.share),
                times(figures.over_one_core)});
  else
    row.push_back(reason_of(figures.own));
  if (seconds > 0 && !plan.baseline.empty()) row.push_back(times(figures.over_baseline));
  if (seconds > 0 && has_column(grid, over_variant_title))
    row.insert(row.end(), {best_name(figures, Rivals::variants), times(figures.variant.over)});
  if (seconds > 0 && has_column(grid, weaker_title))
    row.insert(row.end(), {figures.weaker ? variant_name(*figures.weaker) : "-", times(figures.over_weaker)});
  if (seconds > 0 && row.size() < grid.columns.size()) add_memory_cells(row, figures.own);
  grid.rows.push_back(std::move(row));
}

// A device's variants have no number of threads.
void drop_threads(Grid& grid) {
  for (std::size_t c = grid.columns.size(); c-- > 0;)
    if (grid.columns[c].title == "threads" || grid.columns[c].title == "over one core") {
      grid.columns.erase(grid.columns.begin() + static_cast<std::ptrdiff_t>(c));
      for (auto& row : grid.rows) row.erase(row.begin() + static_cast<std::ptrdiff_t>(c));
    }
}

std::string text(const Document& document, const PeersPlan& plan, Style style) {
  const std::string notes = class_notes(all_records(document, plan));
  return render(peers_grid(document, plan), style) + (notes.empty() ? "" : "\n" + notes + "\n");
}
std::string full(const Document& document) { return join_parts(document, text); }

// A case's speed over its best rival, from the spreads of both; or the mean of a group and its least.
void add_items(Ranking& ranking, const Document& document, const PeersPlan& plan,
               const PlannedCase& peer_case, LaunchMode launch) {
  const std::string& group = peer_case.group;
  const int threads = peer_case.threads;
  const std::string cores =
      plan.backend != "cpu" ? "" : fmt::format(", {} core{}", threads, threads == 1 ? "" : "s");
  const Rivals rivals = main_rivals(document, plan);
  Ranking::Item item{.name = peer_case.label + suffix(launch) + cores, .family = Family::ours};
  if (group.empty()) {
    const PeerFigures figures = peer_figures(document, plan, peer_case, launch);
    const Rival& rival = figures.of(rivals);
    item.value = rival.over;
    if (std::isnan(item.value)) return;
    const double spread = std::hypot(figures.own->seconds_spread() / figures.own->seconds(),
                                     rival.best->seconds_spread() / rival.best->seconds());
    item.low = item.value / (1 + spread), item.high = item.value * (1 + spread);
    item.note = "over " + best_name(figures, rivals);
  } else {
    const PeerGroup figures = peer_group(document, plan, group, rivals, launch);
    item.name = group + suffix(launch) + cores;
    item.value = figures.geometric_mean, item.low = figures.min;
    item.note = fmt::format("geometric mean of {}, from the least on", figures.count);
  }
  if (!std::isnan(item.value)) ranking.items.push_back(std::move(item));
}

template <class Visit>
void for_each_line(const PeersPlan& plan, Visit&& visit) {
  std::set<std::string> groups;
  for (const PlannedCase& peer_case : plan.cases)
    if (peer_case.group.empty() || groups.insert(peer_case.group).second)
      for (const LaunchMode launch : {LaunchMode::plain, LaunchMode::graph}) visit(peer_case, launch);
}

Blocks page(const Document& document) {
  Blocks blocks;
  for (const PeersPlan& plan : parts_of<PeersPlan>(document)) {
    Ranking ranking{.title = caption_of(document, plan),
                    .x = "speed over the " + title_of(main_rivals(document, plan)),
                    .value_name = "ratio"};
    ranking.reference = 1;
    // How its peers run stands above the table.
    ranking.title.resize(std::min(ranking.title.size(), ranking.title.find(';')));
    ranking.title = as_title(ranking.title);
    for_each_line(plan, [&](const PlannedCase& peer_case, LaunchMode launch) {
      add_items(ranking, document, plan, peer_case, launch);
    });
    if (!ranking.items.empty()) blocks.emplace_back(std::move(ranking));
    blocks.emplace_back(peers_grid(document, plan));
  }
  return blocks;
}

// Takes a rival into account, over which the variant's speed is `over`.
void meet(Rival& rival, const Record& peer, double over) {
  if (std::isnan(over))
    rival.absent_count += peer.outcome.status != Status::unsupported;
  else if (!rival.best || peer.error_class > rival.best->error_class ||
           (peer.error_class == rival.best->error_class && over < rival.over))
    rival.best = &peer, rival.over = over;
}

}  // namespace

Rivals main_rivals(const Document& document, const PeersPlan& plan) {
  for (const Record& record : document.measurements)
    if (record.peer && measured_seconds(&record) > 0 && plan.operation == record.operation &&
        std::ranges::find(plan.cases, record.row, &PlannedCase::row) != plan.cases.end())
      return Rivals::libraries;
  return Rivals::variants;
}

PeerFigures peer_figures(const Document& document, const PeersPlan& plan, const PlannedCase& peer_case,
                         LaunchMode launch) {
  PeerFigures figures{.own = record_of(document, plan, peer_case, plan.operation, plan.variant, launch)};
  const double speed = rate_of(figures.own);
  if (std::isnan(speed)) return figures;
  for (const Record& peer : document.measurements) {
    if (peer_case.row != peer.row || peer.backend != figures.own->backend ||
        plan.operation != peer.operation || plan.variant == peer.variant || peer.launch() != launch)
      continue;
    const double over = speed / rate_of(&peer);
    if (plan.baseline == peer.variant) figures.over_baseline = over;
    if (std::isnan(over) || peer.error_class <= figures.own->error_class)
      meet(peer.peer ? figures.library : figures.variant, peer, over);
    else if (!(over >= figures.over_weaker))
      figures.weaker = &peer, figures.over_weaker = over;
  }
  figures.share = share_of(document, plan, peer_case, *figures.own);
  if (figures.own->threads > 1)
    figures.over_one_core = speed / rate_of(other_case(document, plan, *figures.own, figures.own->input, 1));
  return figures;
}

std::string again_row(const PlannedCase& peer_case, int number) {
  return fmt::format("{}, alone {}", peer_case.row, number);
}

double over_best(const Document& document, const PeersPlan& plan, const PlannedCase& peer_case, Rivals rivals,
                 LaunchMode launch) {
  if (!peer_case.again) return peer_figures(document, plan, peer_case, launch).of(rivals).over;
  std::vector<double> ratios;
  for (int number = 1; number <= *peer_case.again; ++number) {
    PlannedCase alone = peer_case;
    alone.row = again_row(peer_case, number);
    const double ratio = peer_figures(document, plan, alone, launch).of(rivals).over;
    if (!std::isnan(ratio)) ratios.push_back(ratio);
  }
  return ratios.empty() ? no_value : median(ratios);
}

PeerGroup peer_group(const Document& document, const PeersPlan& plan, std::string_view name, Rivals rivals,
                     LaunchMode launch) {
  PeerGroup group;
  std::vector<double> speeds;
  double logarithms = 0, times_of_one = 0;
  for (const PlannedCase& peer_case : plan.cases) {
    if (peer_case.group != name) continue;
    const PeerFigures figures = peer_figures(document, plan, peer_case, launch);
    if (launch == LaunchMode::graph && !figures.own) continue;
    const double over = over_best(document, plan, peer_case, rivals, launch);
    if (std::isnan(over)) {
      ++group.absent_count;
      continue;
    }
    speeds.push_back(over);
    group.again_count += peer_case.again.has_value();
    logarithms += std::log(over);
    times_of_one += 1 / rate_of(figures.own);
    if (!(over >= group.min)) group.min = over, group.min_label = peer_case.label;
  }
  group.count = static_cast<int>(speeds.size());
  if (speeds.empty()) return group;
  group.geometric_mean = std::exp(logarithms / group.count);
  group.rate = group.count / times_of_one;
  const auto fifth = speeds.begin() + group.count / 20;
  std::ranges::nth_element(speeds, fifth);
  group.fifth_percentile = *fifth;
  return group;
}

Grid peers_grid(const Document& document, const PeersPlan& plan) {
  Grid grid = empty_grid(document, plan);
  for_each_line(plan, [&](const PlannedCase& peer_case, LaunchMode launch) {
    const bool single = peer_case.group.empty();
    (single ? add_case : add_group)(grid, document, plan, peer_case, launch);
  });
  if (plan.mean.value_or(false))
    for (const LaunchMode launch : {LaunchMode::plain, LaunchMode::graph})
      add_group(grid, document, plan, {.label = "", .row = "", .threads = 1, .group = ""}, launch);
  for (auto& row : grid.rows) row.resize(grid.columns.size());
  if (plan.backend != "cpu") drop_threads(grid);
  return grid;
}

extern const ReportKind peers_report{
    .kind = "peers", .title = "Beside the libraries", .full = full, .summary = full, .page = page};

}  // namespace tallcache
