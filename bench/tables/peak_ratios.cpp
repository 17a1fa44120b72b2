#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/machine_json.hpp"
#include "bench/tables/list.hpp"

namespace tallcache {
namespace {

Report report(const Inputs& inputs) {
  Report report;
  Grid& grid = report.grids.emplace_back();
  grid.columns = {{"processor", true}, {"GFLOP/s"}, {"GB/s"}, {"operations a byte"}, {"operations a word"}};
  double least_word = absent;  // of the slide's CPU
  for (const Json& row : inputs.slide.at("rows")) {
    const std::string name = row[0];
    grid.rows.push_back({name + " (slide)", figure(row[1]), figure(row[2]), figure(row[3]), figure(row[4])});
    if (name.starts_with("E5")) least_word = std::fmin(least_word, row[4].get<double>());
  }
  const Limits limits = nlohmann::json(inputs.results.document().at("limits")).get<Limits>();
  const auto peaks = balances(limits);
  const auto threads = [](const Balance& peak) {
    return peak.threads == 1 ? std::string("1 core") : fmt::format("{} cores", peak.threads);
  };
  double fewest = absent;
  std::string figures;
  for (const Balance& peak : peaks) {
    const std::string name = fmt::format("this machine, {}, {}", peak.element, threads(peak));
    grid.rows.push_back({name, figure(peak.gflop_per_s), figure(peak.gb_per_s), figure(peak.flops_per_byte),
                         figure(peak.flops_per_word)});
    fewest = std::fmin(fewest, peak.flops_per_word);
    figures += fmt::format("{}{}, {}: {} operations a word", figures.empty() ? "" : "; ", peak.element,
                           threads(peak), figure(peak.flops_per_word));
  }
  const Json& document = inputs.results.document();
  const Json gpu =
      document.contains("gpu_limits") ? document["gpu_limits"] : Json{{"absent", "not measured"}};
  if (gpu.contains("absent")) {
    report.notes.push_back("No GPU: " + gpu["absent"].get<std::string>() + ".");
  } else {
    for (const auto& [element, bytes] : {std::pair{"float", 4}, {"double", 8}}) {
      const double rate = gpu[fmt::format("{}_gflop_per_s", element)], bandwidth = gpu["gb_per_s"];
      grid.rows.push_back({fmt::format("this machine's GPU, {}", element), figure(rate), figure(bandwidth),
                           figure(rate / bandwidth), figure(rate / bandwidth * bytes)});
      const std::string of_slide = bytes == 4 ? "K40 single" : "K40 double";
      for (const Json& row : inputs.slide.at("rows"))
        if (row[0] == of_slide)
          report.ratios.push_back({fmt::format("{}, GPU", element), "operations a word", row[4],
                                   rate / bandwidth * bytes, false});
    }
  }
  report.notes.push_back(
      "The slide's peaks are as printed, this machine's are measured, the best of several rounds.");
  if (peaks.empty()) report.notes.push_back("Not measured here: " + limits.bandwidths_absent + ".");
  Finding finding{
      fmt::format("a word has to be used {} times or more, or memory is the limit", figure(least_word)),
      {},
      figures,
      "the limits were not measured"};
  if (!std::isnan(fewest)) {
    finding.holds = fewest >= least_word;
    finding.why = *finding.holds
                      ? "Arithmetic has grown at least as fast as bandwidth since the slide's processor"
                      : "This machine's cores have more bandwidth for each operation than the slide's";
  }
  report.findings.push_back(std::move(finding));
  for (const Json& row : inputs.slide.at("rows")) {
    const std::string processor = row[0];
    if (!processor.starts_with("E5")) continue;
    const std::string element = processor.ends_with("single") ? "float" : "double";
    const auto same = [&](const Balance& peak) { return peak.element == element && peak.threads > 1; };
    if (const auto peak = std::ranges::find_if(peaks, same); peak != peaks.end())
      report.ratios.push_back(
          {element + ", all cores", "operations a word", row[4], peak->flops_per_word, false});
  }
  return report;
}

}  // namespace

const Table peak_ratios_table{"peak-ratios", "peak arithmetic against peak bandwidth, processors",
                              [](Scale, std::uint64_t) { return std::vector<Row>{}; }, report, true};

}  // namespace tallcache
