#include "bench/tables/memory_curves.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "bench/show/format.hpp"
#include "bench/tables/counted_records.hpp"
#include "common/backend.hpp"
#include "common/measure/memory_probes.hpp"
#include "common/measure/statistics.hpp"

namespace tallcache {
namespace {

constexpr std::string_view latency_label = "latencies", in_flight_label = "bandwidth over bytes in flight",
                           stride_label = "bandwidth over stride",
                           occupancy_label = "bandwidth over occupancy";

const Backend& device_backend() {
  for (const Backend* backend : backends())
    if (backend->memory_probes) return *backend;
  throw Error("needs a GPU; this build has none", Status::unavailable);
}

/// What was measured of a device's memory, as a record of curves over one axis.
class Curves {
 public:
  Curves(std::string variant, std::string axis, std::string unit)
      : record_(measured_record("memory", std::move(variant), "", Json::object())),
        axis_{std::move(axis), std::move(unit), {}} {
    record_.backend = device_backend().name;
  }
  void put(double x, std::initializer_list<double> values) {
    axis_.points.push_back(x);
    values_.emplace_back(values);
  }
  Record record(std::initializer_list<Quantity> curves) {
    std::size_t i = 0;
    for (Quantity curve : curves) {
      curve.over = axis_;
      for (const auto& values : values_) curve.values.push_back(values.at(i));
      record_.quantities.push_back(std::move(curve));
      ++i;
    }
    return std::move(record_);
  }
  Record& operator*() { return record_; }

 private:
  Record record_;
  Axis axis_;
  std::vector<std::vector<double>> values_;
};

Quantity timed(const char* name, const char* unit) { return {.name = name, .unit = unit}; }

constexpr std::size_t kib = 1024, mib = 1024 * kib, gib = 1024 * mib;
constexpr std::size_t footprints[] = {4 * kib,   16 * kib,  64 * kib, 128 * kib, 256 * kib, 512 * kib,
                                      mib,       4 * mib,   8 * mib,  16 * mib,  32 * mib,  64 * mib,
                                      128 * mib, 512 * mib, 1 * gib,  2 * gib,   4 * gib};
constexpr int chases = 3;

/// The median run of several by its cycles, and the distance of the outer ones in per cent of it.
struct Repeated {
  ProbeResult result;
  double percent;
};
Repeated repeated(MemoryProbes& probes, MemoryProbe what, std::size_t size) {
  std::vector<ProbeResult> runs;
  for (int i = 0; i < chases; ++i) runs.push_back(probes.run(what, size));
  std::ranges::sort(runs, {}, &ProbeResult::cycles);
  const ProbeResult& middle = runs[chases / 2];
  return {middle, 100 * (runs.back().cycles - runs.front().cycles) / middle.cycles};
}

/// Memories of one size, which stand before global memory.
struct SmallMemory {
  MemoryProbe probe;
  const char *key, *name, *size;
};
constexpr std::array small_memories{
    SmallMemory{MemoryProbe::registers, "registers", "registers", ""},
    SmallMemory{MemoryProbe::shared, "shared", "shared memory", "1 KiB"},
    SmallMemory{MemoryProbe::constant, "constant", "constant memory, cached", "1 KiB"},
    SmallMemory{MemoryProbe::local, "local", "local memory", "1 KiB"}};

Json at_memory(const SmallMemory& memory) { return {{"memory", memory.key}}; }

std::vector<Record> measure_latencies() {
  const auto probes = device_backend().memory_probes(0);
  Curves curves("dependent loads", "footprint", "B");
  for (const std::size_t footprint : footprints) {
    const auto [result, percent] = repeated(*probes, MemoryProbe::latency, footprint);
    curves.put(static_cast<double>(footprint), {result.cycles, result.seconds / result.loads * 1e9, percent});
  }
  for (const SmallMemory& memory : small_memories) {
    const auto [result, percent] = repeated(*probes, memory.probe, 0);
    const auto put = [&](const char* name, const char* unit, double value) {
      (*curves).quantities.push_back({.name = name, .unit = unit, .value = value, .at = at_memory(memory)});
    };
    put("latency", "cycles", result.cycles);
    put("time of a load", "ns", result.seconds / result.loads * 1e9);
    put("distance of runs", "%", percent);
  }
  return {curves.record(
      {timed("latency", "cycles"), timed("time of a load", "ns"), timed("distance of runs", "%")})};
}

double gb_per_s(const ProbeResult& result) { return result.bytes / result.seconds * 1e-9; }

std::vector<Record> measure_in_flight() {
  const auto probes = device_backend().memory_probes(0);
  Curves curves("copies into shared memory", "bytes in flight on a multiprocessor", "B");
  for (const std::size_t kibs : {1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 128, 192})
    curves.put(static_cast<double>(kibs * kib),
               {gb_per_s(probes->run(MemoryProbe::bytes_in_flight, kibs * kib))});
  return {curves.record({timed("bandwidth", "GB/s")})};
}

std::vector<Record> measure_strides() {
  const auto probes = device_backend().memory_probes(0);
  Curves curves("strided loads", "stride", "elements");
  for (const std::size_t stride : {1, 2, 3, 4, 6, 8, 9, 12, 16, 17, 24, 32})
    curves.put(static_cast<double>(stride), {gb_per_s(probes->run(MemoryProbe::stride, stride))});
  return {curves.record({timed("bandwidth", "GB/s")})};
}

// Nothing else that a block of 256 threads takes limits how many there are at a time.
std::vector<Record> measure_occupancies() {
  const Backend& backend = device_backend();
  const auto probes = backend.memory_probes(0);
  constexpr std::string_view achieved = "achieved occupancy";
  Curves curves("resident blocks", "occupancy by the resources", "%");
  std::string absent;
  for (const std::size_t shared :
       {0, 30 * 1024, 36 * 1024, 44 * 1024, 55 * 1024, 74 * 1024, 112 * 1024, 224 * 1024}) {
    const ProbeResult result = probes->run(MemoryProbe::occupancy, shared);
    double counted = no_value;
    for (const DeviceCount& count :
         backend.count(0, {[&] { probes->run(MemoryProbe::occupancy, shared); }}, {&achieved, 1}))
      if (count.quantity == achieved) {
        if (count.value)
          counted = *count.value;
        else
          absent = count.value.absent;
      }
    curves.put(100.0 * result.blocks * result.threads_of_block / result.max_threads,
               {gb_per_s(result), counted});
  }
  Quantity counts{.name = std::string(achieved), .unit = "%", .origin = Origin::event};
  if (absent.empty()) return {curves.record({timed("bandwidth", "GB/s"), counts})};
  Record record = curves.record({timed("bandwidth", "GB/s")});
  counts.reason = absent;
  record.quantities.push_back(std::move(counts));
  return {record};
}

/// The curve of that name; a note says why there is none.
const Quantity* find_curve(const Inputs& inputs, std::string_view table, std::string_view label,
                           std::string_view name, Report& report) {
  const auto records = records_of(inputs.document, table, label);
  if (!records.empty())
    for (const Quantity& quantity : records.front()->quantities)
      if (quantity.name == name && !quantity.over.points.empty()) return &quantity;
  report.notes.push_back(fmt::format("{}: {}", label, why_absent(inputs.document, table, label)));
  return nullptr;
}

Series line(std::string name, const Quantity& curve, Family family = Family::ours) {
  Series series{.name = std::move(name), .family = family};
  for (std::size_t i = 0; i < curve.values.size(); ++i)
    series.points.push_back({curve.over.points[i], curve.values[i]});
  return series;
}

/// The value at a point of the axis.
double at(const Quantity& curve, double x) {
  for (std::size_t i = 0; i < curve.values.size(); ++i)
    if (curve.over.points[i] == x) return curve.values[i];
  return no_value;
}

struct Level {
  const char* name;
  std::size_t footprint;  ///< well inside it, and beyond the level above
};
constexpr std::array levels{Level{"L1", 16 * kib}, Level{"L2", 4 * mib}, Level{"DRAM", 1 * gib}};

std::string bytes_text(double bytes) {
  if (bytes >= gib) return fmt::format("{} GiB", bytes / gib);
  return bytes >= mib ? fmt::format("{} MiB", bytes / mib) : fmt::format("{} KiB", bytes / kib);
}

}  // namespace

Row latency_row() { return {std::string(latency_label), measure_latencies}; }
Row in_flight_row() { return {std::string(in_flight_label), measure_in_flight}; }
Row stride_row() { return {std::string(stride_label), measure_strides}; }
Row occupancy_row() { return {std::string(occupancy_label), measure_occupancies}; }

double measured_cycles(const Inputs& inputs, std::string_view table, std::string_view memory) {
  const auto records = records_of(inputs.document, table, latency_label);
  if (records.empty()) return no_value;
  for (const SmallMemory& small : small_memories)
    if (memory == small.name) return records.front()->value("latency", at_memory(small));
  if (memory != "global memory") return no_value;
  for (const Quantity& quantity : records.front()->quantities)
    if (quantity.name == "latency" && !quantity.over.points.empty())
      return at(quantity, static_cast<double>(levels.back().footprint));
  return no_value;
}

void add_latencies(const Inputs& inputs, std::string_view table, Report& report) {
  const Quantity* cycles = find_curve(inputs, table, latency_label, "latency", report);
  if (!cycles) return;
  const Record& record = *records_of(inputs.document, table, latency_label).front();
  const auto curve = [&](std::string_view name) -> const Quantity& {
    return *std::ranges::find_if(record.quantities, [&](const Quantity& quantity) {
      return quantity.name == name && !quantity.over.points.empty();
    });
  };
  const Quantity &times = curve("time of a load"), &distances = curve("distance of runs");
  Grid grid{.caption = "Latency of a dependent load on this machine's GPU",
            .columns = {{"memory", true}, {"footprint"}, {"cycles"}, {"ns"}, {"between runs, %"}}};
  for (const SmallMemory& memory : small_memories)
    if (const Json where = at_memory(memory); record.find("latency", where))
      grid.rows.push_back({memory.name, memory.size, figure(record.value("latency", where)),
                           figure(record.value("time of a load", where)),
                           figure(record.value("distance of runs", where))});
  for (std::size_t i = 0; i < cycles->values.size(); ++i) {
    const double footprint = cycles->over.points[i];
    const auto level = std::ranges::find(levels, static_cast<std::size_t>(footprint), &Level::footprint);
    grid.rows.push_back({level != levels.end() ? level->name : "", bytes_text(footprint),
                         figure(cycles->values[i]), figure(times.values[i]), figure(distances.values[i])});
  }
  report.grids.push_back(std::move(grid));
  Chart chart{.title = "Latency over footprint", .x = "footprint, bytes", .y = "cycles of a load"};
  chart.series.push_back(line("global memory", *cycles));
  for (const Level& level : levels) chart.marks.push_back({level.name, static_cast<double>(level.footprint)});
  report.charts.push_back(std::move(chart));
}

void add_in_flight(const Inputs& inputs, std::string_view table, Report& report) {
  const Quantity* curve = find_curve(inputs, table, in_flight_label, "bandwidth", report);
  if (!curve) return;
  const double best = *std::ranges::max_element(curve->values);
  Grid grid{.caption = "Bandwidth of DRAM over the bytes in flight on each multiprocessor",
            .columns = {{"bytes in flight"}, {"GB/s"}, {"of the best"}}};
  double knee = no_value;
  for (std::size_t i = 0; i < curve->values.size(); ++i) {
    const double share = curve->values[i] / best;
    if (std::isnan(knee) && share >= 0.9) knee = curve->over.points[i];
    grid.rows.push_back({bytes_text(curve->over.points[i]), figure(curve->values[i]), percent(share)});
  }
  report.grids.push_back(std::move(grid));
  report.notes.push_back(fmt::format("The knee: {} in flight on a multiprocessor give 90 % of the bandwidth.",
                                     bytes_text(knee)));
  Chart chart{
      .title = "Bandwidth over bytes in flight", .x = "bytes in flight on a multiprocessor", .y = "GB/s"};
  chart.series.push_back(line("copies of 16 bytes", *curve));
  chart.marks.push_back({"90 %", knee});
  report.charts.push_back(std::move(chart));
}

void add_strides(const Inputs& inputs, std::string_view table, Report& report) {
  const Quantity* curve = find_curve(inputs, table, stride_label, "bandwidth", report);
  if (!curve) return;
  Grid grid{.caption = "Bandwidth over the distance of neighbouring lanes' elements, measured",
            .columns = {{"stride"}, {"GB/s asked for"}, {"sectors a request, model"}}};
  for (std::size_t i = 0; i < curve->values.size(); ++i) {
    const double stride = curve->over.points[i];
    grid.rows.push_back({figure(stride), figure(curve->values[i]), figure(std::fmin(32, 4 * stride))});
  }
  report.grids.push_back(std::move(grid));
  Chart chart{.title = "Bandwidth over stride", .x = "stride, elements of 4 bytes", .y = "GB/s asked for"};
  chart.series.push_back(line("loads of 4 bytes", *curve));
  report.charts.push_back(std::move(chart));
}

void add_occupancies(const Inputs& inputs, std::string_view table, Report& report) {
  const Quantity* curve = find_curve(inputs, table, occupancy_label, "bandwidth", report);
  if (!curve) return;
  const Record& record = *records_of(inputs.document, table, occupancy_label).front();
  const Quantity* counted = record.find("achieved occupancy");
  Grid grid{.caption = "Occupancy of blocks that stay, and the bandwidth of their loads of 4 bytes, measured",
            .columns = {{"by the resources, %"}, {"achieved, %"}, {"GB/s"}}};
  double farthest = 0;
  for (std::size_t i = 0; i < curve->values.size(); ++i) {
    const double achieved = counted && i < counted->values.size() ? counted->values[i] : no_value;
    const double distance = std::abs(achieved - curve->over.points[i]);
    if (!std::isnan(farthest) && !(distance <= farthest)) farthest = distance;
    grid.rows.push_back({figure(curve->over.points[i]), figure(achieved), figure(curve->values[i])});
  }
  report.grids.push_back(std::move(grid));
  if (counted && !counted->values.empty())
    report.findings.push_back({"Achieved occupancy of persistent grids is within 2 points of the calculated",
                               farthest <= 2,
                               fmt::format("at most {} points", figure(farthest)),
                               {}});
  else if (counted)
    report.notes.push_back("achieved occupancy: " + counted->reason);
  Chart chart{.title = "Bandwidth over occupancy", .x = "occupancy by the resources, %", .y = "GB/s"};
  chart.series.push_back(line("a load of 4 bytes a thread", *curve));
  report.charts.push_back(std::move(chart));
}

}  // namespace tallcache
