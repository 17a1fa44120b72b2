#include "bench/studies/explain/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "bench/show/format.hpp"
#include "bench/show/kind.hpp"

namespace tallcache {
namespace {

using cache::AccessKind;
using cache::RequestCounts;
using cache::Space;

constexpr std::array<std::string_view, 4> accesses{"load", "store", "atomic", "copy"};
constexpr std::array<std::string_view, 2> spaces{"global", "shared"};

struct NamedCount {
  const char *name, *unit;
  std::uint64_t RequestCounts::*count;
};
constexpr NamedCount of_any_space[] = {{"requests", "1", &RequestCounts::requests},
                                       {"lanes", "1", &RequestCounts::lanes},
                                       {"lane slots", "1", &RequestCounts::lane_slots},
                                       {"atomic steps", "1", &RequestCounts::atomic_steps}};
constexpr NamedCount of_global[] = {{"bytes", "B", &RequestCounts::bytes},
                                    {"sectors", "1", &RequestCounts::sectors},
                                    {"ideal sectors", "1", &RequestCounts::ideal_sectors}};
constexpr NamedCount of_shared[] = {{"wavefronts", "1", &RequestCounts::wavefronts},
                                    {"ideal wavefronts", "1", &RequestCounts::ideal_wavefronts}};

Json at_place(const Place& where) {
  return {{"file", where.file}, {"line", where.line}, {"column", where.column}};
}

// The parts of a record's quantities that are sites, in their order.
std::vector<Json> sites_of(const Record& record) {
  std::vector<Json> sites;
  for (const Quantity& quantity : record.quantities) {
    if (!quantity.at.contains("file")) continue;
    Json site = quantity.at;
    site.erase("level");
    if (sites.empty() || sites.back() != site) sites.push_back(std::move(site));
  }
  return sites;
}

std::string place_text(const Json& site) {
  return fmt::format("{}:{}:{}", site.at("file").get<std::string>(), site.at("line").get<unsigned>(),
                     site.at("column").get<unsigned>());
}

template <std::size_t n>
std::size_t place_in(const std::array<std::string_view, n>& names, const Json& name) {
  const auto found = std::ranges::find(names, name.get_ref<const std::string&>());
  if (found == names.end()) throw Error("a site of an unknown kind: " + name.dump());
  return static_cast<std::size_t>(found - names.begin());
}

warp::ExplainedSite explained(const Record& record, const Json& at) {
  warp::ExplainedSite site{
      .site = {.where = {at.at("file").get_ref<const std::string&>().c_str(), at.at("line"), at.at("column")},
               .space = static_cast<Space>(place_in(spaces, at.at("space"))),
               .kind = static_cast<AccessKind>(place_in(accesses, at.at("access"))),
               .width = at.at("width")}};
  const auto take = [&](std::span<const NamedCount> counts) {
    for (const NamedCount& count : counts)
      if (const Quantity* quantity = record.find(count.name, at))
        site.counts.*count.count = static_cast<std::uint64_t>(quantity->value);
  };
  take(of_any_space);
  take(of_global);
  take(of_shared);
  if (const Quantity* distance = record.find("lane distance", at)) {
    site.distance.bytes = static_cast<std::int64_t>(distance->value);
    site.distance.share = record.value("lane distance share", at);
  }
  return site;
}

std::string requests_text(const Record& record, const ExplainPart& part, Style style) {
  const cache::WarpMachine& machine = cache::warp_machine(part.machine.value());
  Grid grid{
      .caption = fmt::format("{} {} {} {}, by the model of machine {}: figures of a request",
                             record.operation, record.element, part.size, name_of(record), machine.name),
      .columns = {{"place", true},
                  {"access", true},
                  {"requests"},
                  {"sectors"},
                  {"ideal"},
                  {"wavefronts"},
                  {"ideal"},
                  {"active lanes"}}};
  std::string sentences;
  for (const Json& at : sites_of(record)) {
    const warp::ExplainedSite site = explained(record, at);
    const bool global = site.site.space == Space::global;
    const auto each = [&](bool applies, std::uint64_t all) {
      return applies ? figure(static_cast<double>(all) / static_cast<double>(site.counts.requests)) : "-";
    };
    grid.rows.push_back(
        {place_text(at),
         fmt::format("{} {}", spaces[!global], accesses[static_cast<std::size_t>(site.site.kind)]),
         std::to_string(site.counts.requests), each(global, site.counts.sectors),
         each(global, site.counts.ideal_sectors), each(!global, site.counts.wavefronts),
         each(!global, site.counts.ideal_wavefronts), percent(site.counts.lane_efficiency())});
    sentences += fmt::format("- {}: {}\n", place_text(at), warp::sentence(machine, site));
  }
  return render(grid, style) + "\n" + sentences;
}

// Why a site misses the first level as often as it does.
std::string misses_reason(double rate, double elements, const Record& record, const Json& at) {
  const double misses = record.value("misses", at);
  std::string text;
  if (rate * elements < 0.8)
    text = "most of its lines are there from an earlier access";
  else if (rate * elements <= 1.25)
    text = fmt::format("it takes the {:.4g} elements of a line one after another", elements);
  else if (rate > 0.75)
    text = "nearly every access is to another line";
  else
    text = fmt::format("it takes {:.2g} of the {:.4g} elements of a line while that is cached", 1 / rate,
                       elements);
  for (const char* kind : {"cold", "capacity", "conflict"})
    if (record.value(kind, at) > misses / 2) text += fmt::format("; most misses are {} misses", kind);
  return text;
}

std::string miss_sentence(const Record& record, const Json& site, double line_bytes) {
  Json at = site;
  at["level"] = 1;
  const double count = record.value("accesses", at), misses = record.value("misses", at);
  const double elements = line_bytes / site.at("width").get<double>();
  std::string text = fmt::format("the {} of line {} ", site.at("access").get<std::string>(),
                                 site.at("line").get<unsigned>());
  if (misses == 0) return text + fmt::format("never misses L1 in {:.0f} accesses", count);
  const double rate = misses / count;
  return text + fmt::format("misses L1 in {:.3g} % of {:.0f} accesses: {}", 100 * rate, count,
                            misses_reason(rate, elements, record, at));
}

std::string missing_text(const Record& record, const ExplainPart& part, Style style) {
  const auto& caches = part.caches.value();
  Grid grid{.caption = fmt::format("{} {} {} {}, by the model of its caches", record.operation,
                                   record.element, part.size, name_of(record)),
            .columns = {{"place", true}, {"access", true}, {"accesses"}}};
  for (std::size_t i = 0; i < caches.size(); ++i) {
    grid.caption += fmt::format("; L{} {}", i + 1, cache_text(caches[i]));
    grid.columns.push_back({fmt::format("L{} misses", i + 1)});
  }
  for (const char* kind : {"cold", "capacity", "conflict"})
    grid.columns.push_back({fmt::format("L1 {}", kind)});
  std::string sentences;
  for (const Json& site : sites_of(record)) {
    const auto value = [&](const char* name, std::size_t level) {
      Json at = site;
      at["level"] = level;
      return fmt::format("{:.0f}", record.value(name, at));
    };
    auto& row = grid.rows.emplace_back(std::vector<std::string>{
        place_text(site), site.at("access").get<std::string>(), value("accesses", 1)});
    for (std::size_t i = 0; i < caches.size(); ++i) row.push_back(value("misses", i + 1));
    for (const char* kind : {"cold", "capacity", "conflict"}) row.push_back(value(kind, 1));
    sentences += fmt::format("- {}: {}\n", place_text(site),
                             miss_sentence(record, site, static_cast<double>(caches.at(0).line)));
  }
  return render(grid, style) + "\n" + sentences;
}

std::string full(const Document& document) { return explain_text(document, Style::markdown); }

}  // namespace

void put_site(Record& record, const cache::WarpMachine& machine, const warp::ExplainedSite& explained) {
  const warp::Site& site = explained.site;
  Json at = at_place(site.where);
  at["access"] = accesses[static_cast<std::size_t>(site.kind)];
  at["space"] = spaces[static_cast<std::size_t>(site.space)];
  at["width"] = site.width;
  const auto put = [&](const char* name, const char* unit, double value) {
    record.quantities.push_back({.name = name,
                                 .unit = unit,
                                 .value = value,
                                 .origin = Origin::model,
                                 .detail = std::string(machine.name),
                                 .at = at});
  };
  const auto put_all = [&](std::span<const NamedCount> counts) {
    for (const NamedCount& count : counts)
      put(count.name, count.unit, static_cast<double>(explained.counts.*count.count));
  };
  put_all(of_any_space);
  put_all(site.space == Space::global ? std::span<const NamedCount>(of_global) : of_shared);
  if (explained.distance.share == 0) return;
  put("lane distance", "B", static_cast<double>(explained.distance.bytes));
  put("lane distance share", "1", explained.distance.share);
}

void put_site(Record& record, const cache::SiteLevels& counted) {
  Json at = at_place(counted.site.where);
  at["access"] = accesses[counted.site.store];
  at["width"] = counted.site.bytes;
  for (std::size_t level = 0; level < counted.levels.size(); ++level) {
    at["level"] = level + 1;
    const auto put = [&](const char* name, std::uint64_t value) {
      record.quantities.push_back({.name = name,
                                   .unit = "1",
                                   .value = static_cast<double>(value),
                                   .origin = Origin::model,
                                   .at = at});
    };
    const cache::LevelCounts& counts = counted.levels[level];
    put("accesses", counts.accesses());
    put("misses", counts.misses());
    put("cold", counts.cold);
    put("capacity", counts.capacity);
    put("conflict", counts.conflict);
  }
}

std::string explain_text(const Document& document, Style style) {
  std::string text;
  const auto parts = parts_of<ExplainPart>(document);
  for (std::size_t i = 0; i < parts.size() && i < document.measurements.size(); ++i) {
    const Record& record = document.measurements[i];
    const ExplainPart& part = parts[i];
    if (!text.empty()) text += "\n";
    text += part.machine ? requests_text(record, part, style) : missing_text(record, part, style);
  }
  return text;
}

extern const ReportKind explain_report{.kind = "explain", .title = "explain", .full = full};

}  // namespace tallcache
