// Channels and banks of DRAM: a bus's bandwidth, R + 1 banks, interleaving, and partition camping.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "bench/tables/camping.hpp"
#include "bench/tables/counted_records.hpp"
#include "bench/tables/exercises.hpp"
#include "bench/tables/list.hpp"
#include "common/cache/dram.hpp"
#include "common/warp/host_device.hpp"
#include "gpu/matmul/shared_tiles.hpp"
#include "gpu/transpose/diagonal.hpp"

namespace tallcache::slide_tables::dram_channels {
namespace {

constexpr std::string_view id = "dram-channels", banks_label = "banks", timeline_label = "timeline";
constexpr int largest_ratio = 32, drawn_ratio = 4, drawn_bursts = 20;

constexpr Remark remarks[] = {
    {"figure 6.11, phase 0, block 1,0", "M[19] is misprinted for M[9], as the block beside it has it"},
    {"figure 6.11, the first phase: channels in use", "",
     "The notes call it phase 1; the figure numbers from 0, and its phase 1 uses channels 1 and 3"},
};

// The elements of M, a 4 x 4 matrix, that each block of a product in tiles of 2 x 2 loads in each phase: the
// kernel's own text on PMPP's toy memory.
struct Load {
  int block, phase;
  std::vector<double> elements;
};
std::vector<Load> tile_loads() {
  constexpr Index n = 4;
  alignas(256) float m[n * n]{}, other[n * n]{}, product[n * n]{};
  warp::HostDevice device(cache::warp_machine("pmpp_toy"));
  std::vector<Load> loads;
  device.recorder().observe([&](const warp::Site& site, const cache::WarpRequest& request) {
    const auto first = reinterpret_cast<std::uintptr_t>(m);
    if (site.kind != cache::AccessKind::load || request.address[0] - first >= sizeof m) return;
    Load load{static_cast<int>(loads.size() / 2), static_cast<int>(loads.size() % 2), {}};
    for (std::size_t lane = 0; lane < 4; ++lane)
      load.elements.push_back(static_cast<double>((request.address[lane] - first) / sizeof(float)));
    loads.push_back(std::move(load));
  });
  const auto view = [&](float* data) { return MatrixView<float>{data, n, n, n}.with(device.access()); };
  gpu::matmul::multiply_tiles<2, 1>(device, view(product), view(m),
                                    gpu::matmul::StraightTile<2, decltype(view(other))>{view(other)});
  return loads;
}

void answer_interleaving(Answers& answers) {
  const cache::Interleave& toy = cache::warp_machine("pmpp_toy").dram;
  const auto put = [&](const std::string& exercise, auto value, std::string_view model = "pmpp_toy") {
    answers.put(exercise, value, Origin::model, model);
  };
  answers.put("a 64-bit DDR bus at 1 GHz", cache::bus_bandwidth(64, 2, 1e9) * 1e-9, Origin::formula,
              "bits / 8 x transfers a cycle x clock");
  for (int channel = 0; channel < toy.channels; ++channel)
    for (int bank = 0; bank < toy.banks; ++bank) {
      std::vector<double> elements;
      for (std::uint64_t i = 0; i < 16; ++i)
        if (toy.channel(i * sizeof(float)) == channel && toy.bank(i * sizeof(float)) == bank)
          elements.push_back(static_cast<double>(i));
      put(fmt::format("channel {}, bank {}: elements of M", channel, bank), elements);
    }
  std::set<double> channels;
  std::set<std::pair<double, int>> banks;
  for (const Load& load : tile_loads()) {
    put(fmt::format("figure 6.11, phase {}, block {},{}", load.phase, load.block / 2, load.block % 2),
        load.elements, "the kernel's text");
    if (load.phase) continue;
    for (const double element : load.elements) {
      const auto address = static_cast<std::uint64_t>(element) * sizeof(float);
      channels.insert(toy.channel(address));
      banks.insert({toy.channel(address), toy.bank(address)});
    }
  }
  put("figure 6.11, the first phase: channels in use", std::vector<double>(channels.begin(), channels.end()));
  put("figure 6.11, the first phase: banks in use of each",
      static_cast<double>(banks.size()) / static_cast<double>(channels.size()));
  put("figure 6.11, the first phase: share of the channels",
      100.0 * static_cast<double>(channels.size()) / toy.channels);
}

// The distinct partitions of `rows` addresses that are `stride` bytes apart.
std::size_t partitions_of(const cache::Interleave& dram, std::uint64_t stride, std::uint64_t rows) {
  std::set<int> partitions;
  for (std::uint64_t row = 0; row < rows; ++row) partitions.insert(dram.channel(row * stride));
  return partitions.size();
}

void answer_partitions(Answers& answers) {
  const auto put = [&](const char* exercise, double value, std::string_view model = "gt200") {
    answers.put(exercise, value, Origin::model, model);
  };
  const cache::Interleave& dram = cache::warp_machine("gt200").dram;
  std::uint64_t stride = sizeof(float);
  while (partitions_of(dram, stride, 2048) > 1) stride += sizeof(float);
  put("8 partitions of 256 bytes: the stride of one partition", static_cast<double>(stride));
  put("the same, floats", static_cast<double>(stride / sizeof(float)));
  std::size_t max = 0;
  for (std::uint64_t k = 1; k <= 16; ++k)
    max = std::max(max, partitions_of(dram, 512 * k * sizeof(float), 2048));
  put("a column of a matrix of 512 k columns, k to 16: partitions", static_cast<double>(max));
}

// A thread of block `number`, as an order of tiles asks for it.
struct OfBlock {
  unsigned number;
  Dim block() const { return {number, 0, 0}; }
};

/// The part of a picture that the slides fill in: a row of tiles, and which columns of it.
struct Filled {
  Index row, first, count;
};

// The numbers of the blocks that take, or with `turned` write, the tiles of a picture, row by row.
template <class Order>
std::vector<double> blocks_at(Index tiles, std::span<const Filled> picture, bool turned) {
  const gpu::Tiling tiling(tiles, tiles, 1, 1);
  std::vector<double> block_of(static_cast<std::size_t>(tiles * tiles));
  for (unsigned number = 0; number < block_of.size(); ++number) {
    const gpu::Tile at = Order::tile(OfBlock{number}, tiling);
    block_of[static_cast<std::size_t>(turned ? at.col * tiles + at.row : at.row * tiles + at.col)] = number;
  }
  std::vector<double> blocks;
  for (const Filled& filled : picture)
    for (Index j = 0; j < filled.count; ++j)
      blocks.push_back(block_of[static_cast<std::size_t>(filled.row * tiles + filled.first + j)]);
  return blocks;
}

void answer_block_orders(Answers& answers) {
  using gpu::transpose::Cartesian;
  using gpu::transpose::Diagonal;
  constexpr Index tiles = 2048 / 32;
  constexpr Filled whole[] = {{0, 0, 4}, {1, 0, 4}, {2, 0, 4}, {3, 0, 4}};
  constexpr Filled rows[] = {{0, 0, 6}, {1, 0, 6}, {2, 0, 3}};
  constexpr Filled columns[] = {{0, 0, 3}, {1, 0, 3}, {2, 0, 3}, {3, 0, 2}, {4, 0, 2}, {5, 0, 2}};
  constexpr Filled diagonals[] = {{0, 0, 3}, {1, 1, 3}, {2, 2, 3}, {3, 3, 2}, {4, 4, 2}, {5, 5, 1}};
  constexpr Filled turned[] = {{0, 0, 1}, {1, 0, 2}, {2, 0, 3}, {3, 1, 3}, {4, 2, 3}, {5, 4, 2}};
  const auto put = [&](const char* exercise, std::vector<double> blocks) {
    answers.put(exercise, std::move(blocks), Origin::model, "the kernels' text");
  };
  put("diagonal order of 4 x 4 tiles: blocks", blocks_at<Diagonal>(4, whole, false));
  put("2048 x 2048, Cartesian, idata: blocks", blocks_at<Cartesian>(tiles, rows, false));
  put("2048 x 2048, Cartesian, odata: blocks", blocks_at<Cartesian>(tiles, columns, true));
  put("2048 x 2048, diagonal, idata: blocks", blocks_at<Diagonal>(tiles, diagonals, false));
  put("2048 x 2048, diagonal, odata: blocks", blocks_at<Diagonal>(tiles, turned, true));
}

std::vector<Record> answer() {
  Answers answers(id);
  answer_interleaving(answers);
  answer_partitions(answers);
  answer_block_orders(answers);
  return {answers.record()};
}

// By R, the latency of a bank's cells over a transfer.
std::vector<Record> count_banks() {
  Record record = measured_record("dram_bursts", "banks_in_turn", "", Json::object());
  Quantity fewest{.name = "fewest banks",
                  .unit = "1",
                  .origin = Origin::model,
                  .detail = "bursts in turn, each as early as its bank and the bus are free",
                  .over = {"R", "transfers", {}}};
  for (int ratio = 1; ratio <= largest_ratio; ++ratio) {
    fewest.over.points.push_back(ratio);
    fewest.values.push_back(cache::fewest_banks(ratio));
  }
  record.quantities.push_back(std::move(fewest));
  return {record};
}

// The first bursts of one bank, of two, and of R + 1.
std::vector<Record> count_timeline() {
  Record record = measured_record("dram_bursts", "timeline", "", {{"R", drawn_ratio}});
  for (const int banks : {1, 2, drawn_ratio + 1}) {
    const cache::DramChannel channel{banks, drawn_ratio};
    const Json at{{"banks", banks}};
    const auto curve = [&](const char* name, auto time) {
      Quantity quantity{.name = name,
                        .unit = "cycles",
                        .origin = Origin::model,
                        .detail = "bursts in turn",
                        .at = at,
                        .over = {"burst", "1", {}}};
      for (const cache::Burst& burst : cache::bursts(channel, drawn_bursts)) {
        quantity.over.points.push_back(static_cast<double>(quantity.values.size()));
        quantity.values.push_back(static_cast<double>(time(burst)));
      }
      record.quantities.push_back(std::move(quantity));
    };
    curve("start", [](const cache::Burst& burst) { return burst.start; });
    curve("transfer", [](const cache::Burst& burst) { return burst.begin; });
    add_count(record, "bus in use", cache::bus_use(channel), Origin::model, "bursts in turn", at);
  }
  return {record};
}

std::vector<Row> rows(Scale, std::uint64_t) {
  return {exercises_row(answer),
          {std::string(banks_label), count_banks},
          {std::string(timeline_label), count_timeline},
          camping_row()};
}

// "....T....T": a bank's cells are sensed while it shows points, and the bus transfers where it shows T.
std::string drawn(const Quantity& start, const Quantity& transfer, std::size_t bank, std::size_t banks) {
  constexpr std::size_t cycles = 20;
  std::string line(cycles, ' ');
  for (std::size_t i = bank; i < start.values.size(); i += banks) {
    const auto from = static_cast<std::size_t>(start.values[i]),
               at = static_cast<std::size_t>(transfer.values[i]);
    for (std::size_t cycle = from; cycle < std::min(at, cycles); ++cycle)
      line[cycle] = cycle < from + drawn_ratio ? '.' : '-';
    if (at < cycles) line[at] = 'T';
  }
  return line;
}

void add_timeline(const Inputs& inputs, Report& report) {
  Grid& grid = report.grids.emplace_back();
  grid.caption = fmt::format(
      "Banks on one bus at R = {}: cells are sensed at points, a bank waits at -, the bus transfers at T",
      drawn_ratio);
  grid.columns = {{"banks"}, {"bank"}, {"time", true}, {"bus in use"}};
  for (const Record* record : records_of(inputs.document, id, timeline_label))
    for (const std::size_t banks : {1, 2, drawn_ratio + 1}) {
      const Json at{{"banks", banks}};
      const Quantity *start = record->find("start", at), *transfer = record->find("transfer", at);
      if (!start || !transfer) continue;
      for (std::size_t bank = 0; bank < banks; ++bank)
        grid.rows.push_back({bank ? "" : std::to_string(banks), std::to_string(bank),
                             drawn(*start, *transfer, bank, banks),
                             bank ? "" : fmt::format("{:.0f} %", 100 * record->value("bus in use", at))});
    }
}

Finding finds_banks(const Inputs& inputs) {
  Finding finding{"P4, at a ratio R of latency to transfer a bus needs at least R + 1 banks", {}, {}, {}};
  const auto records = records_of(inputs.document, id, banks_label);
  const Quantity* fewest = records.empty() ? nullptr : records[0]->find("fewest banks");
  if (!fewest) return finding;
  finding.holds = true;
  for (std::size_t i = 0; i < fewest->values.size(); ++i) {
    if (fewest->values[i] == fewest->over.points[i] + 1) continue;
    finding.holds = false;
    finding.figures =
        fmt::format("R = {}: {} banks", digits(fewest->over.points[i]), digits(fewest->values[i]));
  }
  if (*finding.holds) {
    finding.figures = fmt::format("R = 1 to {}", fewest->values.size());
    finding.why = "A bank is busy for R + 1 transfers with each burst, its own transfer among them";
  }
  return finding;
}

void draw_banks(const Inputs& inputs, Report& report) {
  const auto records = records_of(inputs.document, id, banks_label);
  const Quantity* fewest = records.empty() ? nullptr : records[0]->find("fewest banks");
  if (!fewest) return;
  Series series{.name = "fewest banks", .family = Family::textbook};
  for (std::size_t i = 0; i < fewest->values.size(); ++i)
    series.points.push_back({fewest->over.points[i], fewest->values[i]});
  report.charts.push_back({.title = "Banks that keep a bus in use",
                           .x = "R, latency over transfer",
                           .y = "banks, model",
                           .series = {std::move(series)}});
}

Report report(const Inputs& inputs) {
  Report report;
  add_exercises(inputs, id, remarks, {}, report);
  add_timeline(inputs, report);
  report.findings.push_back(finds_banks(inputs));
  draw_banks(inputs, report);
  add_camping(inputs, id, report);
  report.notes.push_back("Whether the memory of this machine's GPU camps is not measured here.");
  return report;
}

}  // namespace

const Table table{id, "channels, banks and interleaving of DRAM, and partition camping, by models", rows,
                  report};

}  // namespace tallcache::slide_tables::dram_channels
