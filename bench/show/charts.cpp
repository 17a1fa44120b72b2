#include "bench/show/charts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "bench/results/limits.hpp"
#include "bench/show/format.hpp"

namespace tallcache {
namespace {

constexpr std::array family_names{"textbook", "ours", "library", "theory"};

struct Text {
  std::string_view backend, folder, name;
};

constexpr std::array textbook_texts{
#define TALLCACHE_VARIANT(...)
#define TALLCACHE_PEER(...)
#define TALLCACHE_TEXTBOOK(folder, name) Text{"cpu", #folder, #name},
#include "cpu/variants.def"
#undef TALLCACHE_TEXTBOOK
#define TALLCACHE_TEXTBOOK(folder, name) Text{"gpu", #folder, #name},
#include "gpu/variants.def"
#undef TALLCACHE_TEXTBOOK
#undef TALLCACHE_VARIANT
#undef TALLCACHE_PEER
};

// A folder may hold operations of longer names, as lu holds lu_pivot.
bool is_textbook(const Record& record) {
  return std::ranges::any_of(textbook_texts, [&](const Text& text) {
    return text.backend == record.backend && text.name == record.variant &&
           record.operation.starts_with(text.folder);
  });
}

std::string cores(const std::string& backend, int threads) {
  if (backend != "cpu") return backend_title(backend);
  return threads == 1 ? "one core" : "all cores";
}

// "2048" where all sizes are equal, else "600x1x600".
std::string compact(const Json& shape) {
  std::set<Index> different;
  std::string text;
  for (const auto& [name, size] : shape.items()) {
    if (size == 0) continue;  // a distance of rows that is the width
    different.insert(size.get<Index>());
    text += fmt::format("{}{}", text.empty() ? "" : "x", size.get<Index>());
  }
  return different.size() == 1 ? std::to_string(*different.begin()) : text;
}

// The roof of one core, of all, or of a device, from a tenth of the ridge on.
void add_roof(Chart& chart, const Roofline& roofline, const std::string& backend, const std::string& element,
              int threads, double min, double max) {
  const double peak = roofline.gflop_per_s(backend, element, threads),
               bandwidth = roofline.gb_per_s(backend, threads);
  if (std::isnan(peak) || std::isnan(bandwidth)) return;
  const double ridge = peak / bandwidth;
  Series roof{.name = fmt::format("roof, {}", cores(backend, threads)),
              .family = Family::theory,
              .drawn = Drawn::bound};
  for (const double x : std::set<double>{std::min(min, ridge / 10), ridge, std::max(max, ridge * 4)})
    roof.points.push_back({x, std::min(peak, x * bandwidth)});
  chart.series.push_back(std::move(roof));
}

}  // namespace

Family family_of(const Record& record) {
  return record.peer ? Family::library : is_textbook(record) ? Family::textbook : Family::ours;
}

ChartPoint rate_point(const Record& record, double x) {
  const double seconds = measured_seconds(&record), spread = record.seconds_spread();
  return {x, record.rate(seconds), record.rate(seconds + spread),
          spread < seconds ? record.rate(seconds - spread) : no_value};
}

Ranking::Item rate_item(const Record& record) {
  const ChartPoint point = rate_point(record, 0);
  return {.name = name_of(record),
          .family = family_of(record),
          .value = point.y,
          .low = point.low,
          .high = point.high};
}

void Rooflines::add(const Document& document) {
  std::string machine = document.context.at("cpu");
  for (const Json& gpu : document.context.value("gpus", Json::array()))
    machine += " and " + gpu.at("name").get<std::string>();
  for (const Record& limit : document.limits)
    if (limit.operation == "multiply_add") {
      auto& limits = limits_[{machine, limit.backend, limit.element}];
      if (limits.empty()) limits = document.limits;
    }
  for (const Record& record : document.measurements) {
    const Quantity* work = record.find("work");
    const double intensity = work ? work->value / record.value("traffic") : no_value;
    if (!(measured_seconds(&record) > 0) || !(intensity > 0) || work->unit != "flop") continue;
    Point point{.at = rate_point(record, intensity),
                .family = family_of(record),
                .operation = record.operation,
                .sizes = compact(record.shape)};
    point.at.name = fmt::format("{} {}, {}", record.operation, name_of(record), sizes_text(record.shape));
    point.at.label = record.variant + " " + point.sizes;
    Point& best =
        points_[{machine, record.backend, record.element}].try_emplace(point.at.name, point).first->second;
    if (point.at.y > best.at.y) best = point;
  }
}

std::map<std::string, std::vector<Chart>> Rooflines::charts() const {
  std::map<std::string, std::vector<Chart>> charts;
  for (const auto& [key, limits] : limits_) {
    const auto& [machine, backend, element] = key;
    const auto found = points_.find(key);
    if (found == points_.end()) continue;
    Chart chart{.title = "", .x = "flops per byte of minimum traffic", .y = "GFLOP/s", .half = true};
    std::map<Family, Series> by_family;
    std::map<std::string, const Point*> best;  // of a problem
    std::set<std::string> operations;
    double min = no_value, max = no_value;
    for (const auto& [name, point] : found->second) {
      min = std::fmin(min, point.at.x), max = std::fmax(max, point.at.x);
      operations.insert(point.operation);
      const Point*& one = best[point.problem()];
      if (!one || point.at.y > one->at.y) one = &point;
    }
    for (const auto& [name, point] : found->second) {
      Series& series = by_family[point.family];
      series.family = point.family, series.drawn = Drawn::points,
      series.name = family_names[static_cast<std::size_t>(point.family)];
      series.points.push_back(point.at);
      if (best.at(point.problem()) != &point) series.points.back().label.clear();
    }
    chart.title = fmt::format("{}, {} on the {}: every timed variant, the fastest of each size by name",
                              fmt::join(operations, ", "), element, backend_title(backend));
    const Roofline roofline(limits);
    for (const int threads : {1, 2})
      if (threads == 1 || backend == "cpu") add_roof(chart, roofline, backend, element, threads, min, max);
    if (chart.series.empty()) continue;
    for (auto& [family, series] : by_family) chart.series.push_back(std::move(series));
    charts[machine].push_back(std::move(chart));
  }
  return charts;
}

std::vector<Chart> errors_beside_speeds(const Document& document) {
  std::map<std::string, std::pair<Chart, std::map<Family, Series>>> charts;
  for (const Record& record : document.measurements) {
    const auto error = std::ranges::find(record.quantities, Origin::reference, &Quantity::origin);
    if (error == record.quantities.end() || !(error->value > 0) || std::isnan(record.rate())) continue;
    const std::string problem =
        fmt::format("{} {}, {}", record.operation, record.element, sizes_text(record.shape));
    auto& [chart, by_family] = charts[problem];
    chart.title = "Error beside speed: " + problem;
    chart.x = fmt::format("{}{}", error->name, error->unit == "1" ? "" : ", " + error->unit);
    chart.y = record.rate_unit();
    Series& series = by_family[family_of(record)];
    series.family = family_of(record), series.drawn = Drawn::points;
    ChartPoint& point = series.points.emplace_back(rate_point(record, error->value));
    point.name = name_of(record), point.label = record.variant;
  }
  std::vector<Chart> list;
  for (auto& [problem, made] : charts) {
    auto& [chart, by_family] = made;
    std::size_t points = 0;
    for (auto& [family, series] : by_family) {
      series.name = family_names[static_cast<std::size_t>(family)];
      points += series.points.size();
      chart.series.push_back(std::move(series));
    }
    chart.wide = points > 8;
    list.push_back(std::move(chart));
  }
  return list;
}

}  // namespace tallcache
