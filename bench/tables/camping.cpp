#include "bench/tables/camping.hpp"

#include <fmt/format.h>

#include <cmath>

#include "bench/tables/counted_records.hpp"
#include "bench/tables/exercises.hpp"
#include "common/cache/dram.hpp"
#include "common/warp/occupancy.hpp"
#include "gpu/kernel_text.hpp"

namespace tallcache {
namespace {

using cache::AccessKind;
using cache::Space;

constexpr const char* label = "partition camping";
constexpr std::string_view machine = "gt200";
constexpr Index size = 2048;
constexpr int multiprocessors = 30;  // of a GTX 280

struct Kernel {
  std::string_view slide, operation, variant;
  std::size_t shared_bytes;  ///< of a block
};
constexpr std::size_t tile = 32 * 32 * sizeof(float), padded = 32 * 33 * sizeof(float);
constexpr Kernel kernels[] = {
    {"shared_memory_copy", "copy", "through_shared_memory", tile},
    {"fine_grained", "fine_grained", "within_tiles", padded},
    {"coarse_grained", "coarse_grained", "between_tiles", padded},
    {"coalesced", "transpose", "coalesced", tile},
    {"bank_conflict_free", "transpose", "bank_conflict_free", padded},
    {"diagonal", "transpose", "diagonal", padded},
};
constexpr std::string_view baseline = kernels[0].slide;

/// Adds up what goes to each partition while so many blocks, one after another, are there at a time: those of
/// a wave wait for its busiest partition.
class Waves {
 public:
  Waves(const cache::Interleave& dram, std::uint64_t requests_of_wave)
      : dram_(dram), requests_of_wave_(requests_of_wave) {
    for (auto* parts : {&loads_, &stores_}) parts->now.resize(static_cast<std::size_t>(dram.channels));
  }

  void take(const warp::Site& site, const cache::WarpRequest& request) {
    if (site.space != Space::global) return;
    auto& parts = site.kind == AccessKind::load ? loads_ : stores_;
    for (int lane = 0; lane < 32; ++lane)
      if (request.mask >> lane & 1)
        parts.now[static_cast<std::size_t>(dram_.channel(request.address[static_cast<std::size_t>(lane)]))] +=
            static_cast<std::uint64_t>(request.width);
    if (++requests_ % requests_of_wave_ == 0) end_wave();
  }
  void end_wave() {
    std::vector<std::uint64_t> both(loads_.now.size());
    for (std::size_t i = 0; i < both.size(); ++i) both[i] = loads_.now[i] + stores_.now[i];
    together_.add(both);
    for (auto* parts : {&loads_, &stores_}) {
      parts->sum.add(parts->now);
      std::ranges::fill(parts->now, 0);
    }
  }

  /// The bytes of the busiest partitions over those of an even share: 1 to the number of partitions.
  double loads() const { return loads_.sum.ratio(); }
  double stores() const { return stores_.sum.ratio(); }
  double together() const { return together_.ratio(); }

 private:
  struct Sum {
    double busiest = 0, even = 0;
    void add(const std::vector<std::uint64_t>& parts) {
      double bytes = 0;
      for (const std::uint64_t part : parts) bytes += static_cast<double>(part);
      if (bytes == 0) return;
      const double share = bytes / static_cast<double>(parts.size());
      even += share;
      busiest += share * cache::imbalance(parts);
    }
    double ratio() const { return busiest / even; }
  };
  struct Parts {
    std::vector<std::uint64_t> now;
    Sum sum;
  };

  cache::Interleave dram_;
  std::uint64_t requests_of_wave_, requests_ = 0;
  Parts loads_, stores_;
  Sum together_;
};

// Its operation may have no variant in a build without CUDA, whose catalogue does not know it.
const gpu::KernelText& text_of(const Kernel& kernel) {
  for (const gpu::KernelText* text : gpu::kernel_texts())
    if (text->operation->name == kernel.operation && text->operation->element == "float" &&
        text->name == kernel.variant)
      return *text;
  throw Error(fmt::format("no text of {}, {}", kernel.operation, kernel.variant));
}

Record count(const Kernel& kernel) {
  const int blocks =
      multiprocessors *
      warp::block_limits(warp::multiprocessor(machine), {256, 0, kernel.shared_bytes}).blocks();
  constexpr std::uint64_t requests_of_block = 2 * 32;  // a tile's rows, loaded and stored
  Waves waves(cache::warp_machine(machine).dram, static_cast<std::uint64_t>(blocks) * requests_of_block);
  warp::HostDevice device(cache::warp_machine(machine));
  device.recorder().observe(
      [&](const warp::Site& site, const cache::WarpRequest& request) { waves.take(site, request); });
  const Check check = gpu::run_kernel_text(device, text_of(kernel), Shape{{"m", size}, {"n", size}});
  if (!check) throw Error(fmt::format("the text of {}: {}", kernel.variant, check.message()));
  waves.end_wave();

  Record record = measured_record(std::string(kernel.operation), std::string(kernel.variant), "float",
                                  {{"m", size}, {"n", size}});
  const auto put = [&](const char* name, double value) {
    add_count(record, name, value, Origin::model, std::string(machine));
  };
  put("blocks at a time", blocks);
  put("busiest partition over mean, loads", waves.loads());
  put("busiest partition over mean, stores", waves.stores());
  put("busiest partition over mean", waves.together());
  return record;
}

const Record* find_kernel(const std::vector<const Record*>& records, const Kernel& kernel) {
  for (const Record* record : records)
    if (record->operation == kernel.operation && record->variant == kernel.variant) return record;
  return nullptr;
}

// GB/s in the text, looping over the kernel.
double printed(std::string_view kernel) {
  for (const Json& row : slide_table("transpose-gpu-gtx280").at("rows"))
    if (row[0] == kernel) return row[1];
  return no_value;
}

}  // namespace

Row camping_row() {
  return {label, [] {
            std::vector<Record> records;
            for (const Kernel& kernel : kernels) records.push_back(count(kernel));
            return records;
          }};
}

void add_camping(const Inputs& inputs, std::string_view table, Report& report) {
  Grid& grid = report.grids.emplace_back();
  grid.caption = "A GTX 280's 8 partitions of 256 bytes, transpositions of 2048 x 2048 floats";
  grid.columns = {{"kernel", true}, {"text's GB/s"}, {"copy over it"},    {"busiest partition over mean"},
                  {"of loads"},     {"of stores"},   {"blocks at a time"}};
  const auto records = records_of(inputs.document, table, label);
  Finding finding{
      "M17, kernels whose blocks queue up at some partitions are the slow ones: less than half the "
      "copy's rate in the text, more than twice an even share by the model",
      {},
      {},
      {}};
  bool holds = true;
  std::size_t counted = 0;
  for (const Kernel& kernel : kernels) {
    const double slower = printed(baseline) / printed(kernel.slide);
    std::vector<std::string> row{std::string(kernel.slide), figure(printed(kernel.slide)), times(slower)};
    if (const Record* record = find_kernel(records, kernel)) {
      const double busiest = record->value("busiest partition over mean");
      holds = holds && (busiest > 2) == (slower > 2);
      ++counted;
      for (const char* name : {"busiest partition over mean", "busiest partition over mean, loads",
                               "busiest partition over mean, stores", "blocks at a time"})
        row.push_back(figure(record->value(name)));
    }
    row.resize(grid.columns.size(), "-");
    grid.rows.push_back(std::move(row));
  }
  if (counted == std::size(kernels)) {
    finding.holds = holds;
    finding.figures = fmt::format("{} kernels", counted);
  }
  report.findings.push_back(std::move(finding));
}

}  // namespace tallcache
