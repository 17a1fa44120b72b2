#include "bench/report/peers.hpp"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "bench/report/format.hpp"
#include "bench/report/kind.hpp"
#include "bench/report/limits.hpp"

namespace tallcache {
namespace {

double rate_of(const Record* record) { return record ? record->rate(measured_seconds(record)) : no_value; }

// The first record of this operation and variant in a row.
const Record* record_of(const Document& document, const Json& part, const Json& peer_case,
                        const Json& operation, const Json& variant) {
  for (const Record& record : document.measurements)
    if (peer_case.at("row") == record.row && part.at("backend") == record.backend &&
        operation == record.operation && variant == record.variant)
      return &record;
  return nullptr;
}

// The run of another case of the part that differs from `own` in its input or its number of threads.
const Record* other_case(const Document& document, const Json& part, const Record& own,
                         std::string_view input, int threads) {
  for (const Json& peer_case : part.at("cases")) {
    const Record* other = record_of(document, part, peer_case, part.at("operation"), part.at("variant"));
    if (other && other->shape == own.shape && other->params == own.params && other->input == input &&
        other->threads == threads)
      return other;
  }
  return nullptr;
}

double share_of(const Document& document, const Json& part, const Json& peer_case, const Record& own) {
  const Json& share = part.at("share");
  const std::string of = share.at("of"), first_input = part.at("first_input");
  if (of == "limit") return Roofline(document.limits).share(own);
  if (of == "reference")
    return measured_seconds(
               record_of(document, part, peer_case, share.at("operation"), share.at("variant"))) /
           measured_seconds(&own);
  if (own.input == first_input) return no_value;
  return rate_of(&own) / rate_of(other_case(document, part, own, first_input, own.threads));
}

std::string caption_of(const Json& part) {
  const bool host = part.at("backend") == "cpu";
  return fmt::format("{} {}{}: {} and the best of its peers{}{}:", part.at("operation").get<std::string>(),
                     part.at("element").get<std::string>(),
                     host ? "" : " on the " + backend_title(part.at("backend").get<std::string>()),
                     part.at("variant").get<std::string>(), host ? ", each on as many threads" : "",
                     part.contains("caches") ? ", caches cold" : "");
}

Grid empty_grid(const Document& document, const Json& part) {
  std::vector<const Record*> records;
  for (const Json& peer_case : part.at("cases"))
    records.push_back(record_of(document, part, peer_case, part.at("operation"), part.at("variant")));
  const std::string baseline = part.at("baseline");
  Grid grid{.caption = caption_of(part),
            .columns = {{"case", true},
                        {"threads"},
                        {"ms"},
                        {"+- ms"},
                        {rate_title(records)},
                        {"best peer", true},
                        {"over it"},
                        {part.at("share").at("title")},
                        {"over one core"}},
            .rows = {}};
  if (!baseline.empty()) grid.columns.push_back({"over " + baseline});
  return grid;
}

void add_group(Grid& grid, const Document& document, const Json& part, const Json& first) {
  const std::string name = first.at("group"), threads = std::to_string(first.at("threads").get<int>());
  const PeerGroup group = peer_group(document, part, name);
  const std::string missing = group.absent_count ? fmt::format(", {} not measured", group.absent_count) : "";
  grid.rows.push_back({fmt::format("{}: geometric mean of {}{}", name, group.count, missing), threads, "", "",
                       "", "", times(group.geometric_mean)});
  if (group.count)
    grid.rows.push_back(
        {fmt::format("the least of them, {}", group.min_label), threads, "", "", "", "", times(group.min)});
}

void add_case(Grid& grid, const Document& document, const Json& part, const Json& peer_case) {
  const PeerFigures figures = peer_figures(document, part, peer_case);
  const double seconds = measured_seconds(figures.own);
  std::vector<std::string> row{peer_case.at("label"), std::to_string(peer_case.at("threads").get<int>())};
  if (seconds > 0)
    row.insert(row.end(), {figure(seconds * 1e3), figure(figures.own->seconds_spread() * 1e3),
                           figure(figures.own->rate()), figures.best ? figures.best->variant : "-",
                           times(figures.over_best), percent(figures.share), times(figures.over_one_core),
                           times(figures.over_baseline)});
  else
    row.push_back(reason_of(figures.own));
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

std::string markdown(const Document& document, const Json& part) {
  return render(peers_grid(document, part), Style::markdown);
}
std::string full(const Document& document) { return join_parts(document, markdown); }
std::string summary(const Document& document) { return measured_on(document) + "\n" + full(document); }

}  // namespace

PeerFigures peer_figures(const Document& document, const Json& part, const Json& peer_case) {
  const Json &operation = part.at("operation"), &variant = part.at("variant");
  PeerFigures figures{.own = record_of(document, part, peer_case, operation, variant)};
  const double speed = rate_of(figures.own);
  if (std::isnan(speed)) return figures;
  for (const Record& peer : document.measurements) {
    if (peer_case.at("row") != peer.row || peer.backend != figures.own->backend ||
        operation != peer.operation || variant == peer.variant)
      continue;
    const double over = speed / rate_of(&peer);
    if (part.at("baseline") == peer.variant) figures.over_baseline = over;
    if (!std::isnan(over) && !(over >= figures.over_best)) figures.best = &peer, figures.over_best = over;
  }
  figures.share = share_of(document, part, peer_case, *figures.own);
  if (figures.own->threads > 1)
    figures.over_one_core = speed / rate_of(other_case(document, part, *figures.own, figures.own->input, 1));
  return figures;
}

PeerGroup peer_group(const Document& document, const Json& part, std::string_view name) {
  PeerGroup group;
  double logarithms = 0;
  for (const Json& peer_case : part.at("cases")) {
    if (peer_case.at("group") != name) continue;
    const double over = peer_figures(document, part, peer_case).over_best;
    if (std::isnan(over)) {
      ++group.absent_count;
      continue;
    }
    ++group.count;
    logarithms += std::log(over);
    if (!(over >= group.min)) group.min = over, group.min_label = peer_case.at("label");
  }
  if (group.count) group.geometric_mean = std::exp(logarithms / group.count);
  return group;
}

Grid peers_grid(const Document& document, const Json& part) {
  Grid grid = empty_grid(document, part);
  std::set<std::string> groups;
  for (const Json& peer_case : part.at("cases")) {
    const std::string group = peer_case.at("group");
    if (group.empty())
      add_case(grid, document, part, peer_case);
    else if (groups.insert(group).second)
      add_group(grid, document, part, peer_case);
  }
  for (auto& row : grid.rows) row.resize(grid.columns.size());
  if (part.at("backend") != "cpu") drop_threads(grid);
  return grid;
}

const ReportKind peers_report{.kind = "peers", .full = full, .summary = summary};

}  // namespace tallcache
