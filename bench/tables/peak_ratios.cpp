#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "bench/results/limits.hpp"
#include "bench/tables/list.hpp"

namespace tallcache::slide_tables::peak_ratios {
namespace {

std::string threads_of(const Balance& peak) {
  return peak.threads == 1 ? "1 core" : fmt::format("{} cores", peak.threads);
}

// Adds the slide's processors. Returns the minimum operations per word of its CPUs.
double add_slide(const Json& slide, Grid& grid) {
  double min = no_value;
  for (const Json& row : slide.at("rows")) {
    const std::string name = row[0];
    grid.rows.push_back({name + " (slide)", figure(row[1]), figure(row[2]), figure(row[3]), figure(row[4])});
    if (name.starts_with("E5")) min = std::fmin(min, row[4].get<double>());
  }
  return min;
}

void add_gpu(const Inputs& inputs, Report& report) {
  const Roofline roofline(inputs.document.limits);
  const double bandwidth = roofline.gb_per_s("gpu", 1);
  for (const auto& [element, bytes, of_slide] :
       {std::tuple{"float", 4, "K40 single"}, {"double", 8, "K40 double"}}) {
    const double rate = roofline.gflop_per_s("gpu", element, 1);
    if (std::isnan(rate / bandwidth)) continue;
    report.grids[0].rows.push_back({fmt::format("this machine's GPU, {}", element), figure(rate),
                                    figure(bandwidth), figure(rate / bandwidth),
                                    figure(rate / bandwidth * bytes)});
    for (const Json& row : inputs.slide.at("rows"))
      if (row[0] == of_slide)
        report.ratios.push_back(
            {fmt::format("{}, GPU", element), "operations a word", row[4], rate / bandwidth * bytes, false});
  }
  for (const Record& record : inputs.document.limits)
    if (record.backend == "gpu" && !record.outcome.measured())
      report.notes.push_back("No GPU: " + record.outcome.reason + ".");
}

Finding finds_words(std::span<const Balance> peaks, double min_uses) {
  Finding finding{
      fmt::format("a word has to be used {} times or more, or memory is the limit", figure(min_uses)),
      {},
      "",
      "The limits were not measured"};
  double min = no_value;
  for (const Balance& peak : peaks) {
    min = std::fmin(min, peak.flops_per_word);
    finding.figures += fmt::format("{}{}, {}: {} operations a word", finding.figures.empty() ? "" : "; ",
                                   peak.element, threads_of(peak), figure(peak.flops_per_word));
  }
  if (std::isnan(min)) return finding;
  finding.holds = min >= min_uses;
  finding.why = *finding.holds
                    ? "Arithmetic has grown at least as fast as bandwidth since the slide's processor"
                    : "This machine's cores have more bandwidth for each operation than the slide's";
  return finding;
}

Report report(const Inputs& inputs) {
  Report report;
  Grid& grid = report.grids.emplace_back();
  grid.columns = {{"processor", true}, {"GFLOP/s"}, {"GB/s"}, {"operations a byte"}, {"operations a word"}};
  const double min_uses = add_slide(inputs.slide, grid);
  const Limits limits = limits_from(inputs.document.limits);
  const auto peaks = balances(limits);
  for (const Balance& peak : peaks)
    grid.rows.push_back({fmt::format("this machine, {}, {}", peak.element, threads_of(peak)),
                         figure(peak.gflop_per_s), figure(peak.gb_per_s), figure(peak.flops_per_byte),
                         figure(peak.flops_per_word)});
  add_gpu(inputs, report);
  report.notes.push_back(
      "The slide's peaks are as printed, this machine's are measured, the best of several rounds.");
  if (peaks.empty())
    report.notes.push_back(fmt::format("Not measured here{}{}.", limits.bandwidths_absent.empty() ? "" : ": ",
                                       limits.bandwidths_absent));
  report.findings = {finds_words(peaks, min_uses)};
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

const Table table{"peak-ratios", "peak arithmetic against peak bandwidth, processors",
                  [](Scale, std::uint64_t) { return std::vector<Row>{}; }, report, true};

}  // namespace tallcache::slide_tables::peak_ratios
