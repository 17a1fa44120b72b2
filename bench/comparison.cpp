#include "bench/comparison.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>
#include <vector>

#include "bench/report/gnuplot.hpp"
#include "bench/tables/table.hpp"

namespace tallcache {
namespace {

std::string unit_of(const Json& comparison) { return comparison.at("rate"); }

std::string label(const Json& comparison, Index n) {
  return fmt::format("{} = {}", comparison.at("size").get<std::string>(), n);
}

std::string name_of(const Json& record) {
  const int threads = record.at("threads");
  return fmt::format("{} {}{}", record.at("backend").get<std::string>(),
                     record.at("variant").get<std::string>(),
                     threads > 1 ? fmt::format(", {} threads", threads) : "");
}

bool on_gpu(const Json& record) { return record.at("backend") == "gpu"; }

// The records of a comparison at size `n`, or at all of its sizes, in the order in which they were measured.
std::vector<const Json*> records(const Json& document, const Json& comparison, Index n = -1) {
  const std::string size = comparison.at("size");
  std::vector<const Json*> list;
  for (const Json& record : document.at("measurements"))
    if (record.at("operation") == comparison.at("operation") &&
        record.at("element") == comparison.at("element") && (n < 0 || record.at("shape").at(size) == n))
      list.push_back(&record);
  return list;
}

// The rate of the kernel alone, or with transfers by way of "pinned" or "pageable"; NaN where it has none.
double rate(const Json& comparison, const Json& record, const std::string& way = "kernel") {
  if (!record.contains("median_s")) return absent;
  if (way == "kernel") return record.at(unit_of(comparison));
  if (!record.contains("with_transfers") || !record["with_transfers"].contains(way)) return absent;
  return record["with_transfers"][way].at(unit_of(comparison));
}

std::string percent(const Json& record) {
  return record.contains("share_of_limit")
             ? fmt::format("{:.1f} %", record["share_of_limit"].get<double>() * 100)
             : "-";
}

}  // namespace

Grid comparison_grid(const Json& document, const Json& comparison) {
  const std::string unit = unit_of(comparison);
  Grid grid{.caption = fmt::format("{} {}, {}", comparison.at("operation").get<std::string>(),
                                   comparison.at("element").get<std::string>(), unit),
            .columns = {{"size", true},
                        {"variant", true},
                        {"ms"},
                        {"+- ms"},
                        {unit},
                        {"of the limit"},
                        {"with pinned transfers"},
                        {"pageable"},
                        {"over one thread"}},
            .rows = {}};
  for (const Index n : comparison.at("sizes")) {
    std::string size = label(comparison, n);
    for (const Json* record : records(document, comparison, n)) {
      if (!record->contains("median_s")) {
        grid.rows.push_back({std::exchange(size, ""), name_of(*record), record->value("problem", ""), "", "",
                             "", "", "", ""});
        continue;
      }
      grid.rows.push_back(
          {std::exchange(size, ""), name_of(*record), figure(record->at("median_s").get<double>() * 1e3),
           figure(record->at("mad_s").get<double>() * 1e3), figure(rate(comparison, *record)),
           percent(*record), figure(rate(comparison, *record, "pinned")),
           figure(rate(comparison, *record, "pageable")), times(record->value("speed_up", absent))});
    }
  }
  return grid;
}

std::string crossover_sentence(const Json& document, const Json& comparison) {
  bool measured = false;
  for (const Json* record : records(document, comparison))
    measured |= on_gpu(*record) && record->contains("median_s");
  const auto from = [&](const char* way) {
    if (!measured) return std::string("not measured");
    const Json& n = comparison.at("gpu_ahead_from").at(way);
    return n.is_null() ? "not up to " + label(comparison, comparison.at("sizes").back())
                       : label(comparison, n);
  };
  return fmt::format(
      "The GPU is ahead of the CPU from: kernel alone {}; with pinned transfers {}; pageable {}.",
      from("kernel"), from("pinned"), from("pageable"));
}

Grid comparison_summary(const Json& document, const Json& comparison) {
  Grid grid{.caption = fmt::format("{} {}, {}:", comparison.at("operation").get<std::string>(),
                                   comparison.at("element").get<std::string>(), unit_of(comparison)),
            .columns = {{"size", true},
                        {"CPU, one core"},
                        {"all cores"},
                        {"library, all cores"},
                        {"GPU"},
                        {"library, GPU"},
                        {"GPU with pinned transfers"}},
            .rows = {}};
  for (const Index n : comparison.at("sizes")) {
    const auto best = [&](auto&& takes_part, const char* way = "kernel") {
      const Json* fastest = nullptr;
      for (const Json* record : records(document, comparison, n)) {
        const double speed = takes_part(*record) ? rate(comparison, *record, way) : absent;
        if (!std::isnan(speed) && (!fastest || speed > rate(comparison, *fastest, way))) fastest = record;
      }
      return fastest ? fmt::format("{} ({})", figure(rate(comparison, *fastest, way)),
                                   fastest->at("variant").get<std::string>())
                     : std::string("-");
    };
    const auto peer = [](const Json& r) { return r.at("peer").get<bool>(); };
    grid.rows.push_back({label(comparison, n),
                         best([&](const Json& r) { return !on_gpu(r) && !peer(r) && r.at("threads") == 1; }),
                         best([&](const Json& r) { return !on_gpu(r) && !peer(r) && r.at("threads") > 1; }),
                         best([&](const Json& r) { return !on_gpu(r) && peer(r); }),
                         best([&](const Json& r) { return on_gpu(r) && !peer(r); }),
                         best([&](const Json& r) { return on_gpu(r) && peer(r); }), best(on_gpu, "pinned")});
  }
  return grid;
}

std::string comparison_plot(const Json& document, const Json& comparison) {
  std::string text(logarithmic_axes), plots;
  text += fmt::format("set title {} offset 0,1\n",
                      quoted(fmt::format("{} {}: solid the kernel alone, dotted with pinned transfers",
                                         comparison.at("operation").get<std::string>(),
                                         comparison.at("element").get<std::string>())));
  text += fmt::format("set xlabel '{}'\nset ylabel '{}'\nset format x '%.0s%c'\n",
                      comparison.at("size").get<std::string>(), unit_of(comparison));
  const std::string size = comparison.at("size");
  const auto all = records(document, comparison);
  const auto first = records(document, comparison, comparison.at("sizes").front());
  int series = 0;
  for (std::size_t l = 0; l < first.size(); ++l) {
    const std::string name = name_of(*first[l]);
    for (const char* way : {"kernel", "pinned"}) {
      std::string points;
      for (const Json* record : all)
        if (const double speed = rate(comparison, *record, way);
            name_of(*record) == name && !std::isnan(speed))
          points += fmt::format("{} {}\n", record->at("shape").at(size).get<Index>(), speed);
      if (points.empty()) continue;
      const bool kernel = way == std::string_view("kernel");
      text += fmt::format("$s{} << E\n{}E\n", series, points);
      plots +=
          fmt::format("{}$s{} with linespoints pt {} ps 0.5 lw 1.5 dt {} lc rgb '{}' {}", series ? ", " : "",
                      series, on_gpu(*first[l]) ? 7 : 4, kernel ? 1 : 3,
                      plot_colours[l % plot_colours.size()], kernel ? "title " + quoted(name) : "notitle");
      ++series;
    }
  }
  if (!series) throw Error("nothing was measured, so there is nothing to plot");
  return text + "plot " + plots + "\n";
}

}  // namespace tallcache
