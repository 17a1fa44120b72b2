// The worked examples of blocks, registers and shared memory on a multiprocessor, and the exact cliffs.
#include "common/warp/occupancy.hpp"

#include <fmt/format.h>

#include "bench/tables/counted_records.hpp"
#include "bench/tables/exercises.hpp"
#include "bench/tables/list.hpp"
#include "bench/tables/memory_curves.hpp"
#include "gpu/matmul/traffic.hpp"

namespace tallcache::slide_tables::occupancy {
namespace {

using warp::BlockLimits;
using warp::BlockNeeds;
using warp::Multiprocessor;

constexpr std::string_view id = "occupancy", cliffs_label = "cliffs", machines_label = "machines";

constexpr Remark remarks[] = {
    {"8 blocks, 1536 threads, 16 KB; blocks of 256 threads and 2 KB: blocks", "",
     "The threads are the limit: of shared memory there is room for 8"},
    {"48 KB; tile 16: blocks", "", "By shared memory alone: a limit of threads leaves fewer, see below"},
    {"48 KB; tile 32: blocks", "", "By shared memory alone: a limit of threads leaves fewer, see below"},
    {"768 threads; blocks of 256: blocks", "",
     "768 threads are the limit of the G80; a GT200 holds 1024, which is 4 such blocks"},
    {"768 threads, 16384 registers: registers a thread at full occupancy", "",
     "With the limit of 768 threads; a GT200's 1024 threads have fewer each, see below"},
};

// The most of something, from 0 to `most`, with which at least `blocks` blocks are there; -1 when there is
// none. Fewer are there with more of it.
template <class Needs>
int most_with(const Multiprocessor& machine, int blocks, int max, Needs needs) {
  int low = -1, high = max + 1;
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    (warp::block_limits(machine, needs(middle)).blocks() >= blocks ? low : high) = middle;
  }
  return low;
}

int most_registers(const Multiprocessor& machine, int threads, int blocks) {
  return most_with(machine, blocks, machine.registers_of_thread, [&](int registers) {
    return BlockNeeds{threads, registers, 0};
  });
}

int max_bytes(const Multiprocessor& machine, int threads, int blocks) {
  return most_with(machine, blocks, static_cast<int>(machine.shared_bytes_of_block), [&](int bytes) {
    return BlockNeeds{threads, 0, static_cast<std::size_t>(bytes)};
  });
}

int blocks_of(std::string_view machine, const BlockNeeds& block) {
  return warp::block_limits(warp::multiprocessor(machine), block).blocks();
}

// Hong's two tiles in each block's shared memory.
constexpr BlockNeeds tiles_of(int side) {
  return {side * side, 0,
          2 * static_cast<std::size_t>(side) * static_cast<std::size_t>(side) * sizeof(float)};
}

void answer_hong(Answers& answers) {
  const auto put = [&](std::string_view exercise, double value) {
    answers.put(exercise, value, Origin::model, "hong");
  };
  const Multiprocessor& hong = warp::multiprocessor("hong");
  put("1536 threads, 16384 registers: registers a thread for all", most_registers(hong, 512, 3));
  const int blocks = blocks_of("hong", {512, 11, 0});
  put("1536 threads, 16384 registers; 11 registers, blocks of 512: blocks", blocks);
  put("1536 threads, 16384 registers; 11 registers, blocks of 512: threads", 512 * blocks);
  const int of_3kb = blocks_of("hong", {hong.warp_lanes, 0, 3072}),
            of_2kb = blocks_of("hong", {256, 0, 2048});
  put("8 blocks, 1536 threads, 16 KB; blocks of 3 KB: blocks", of_3kb);
  put("8 blocks, 1536 threads, 16 KB; blocks of 3 KB: shared memory in use", 3 * of_3kb);
  put("8 blocks, 1536 threads, 16 KB; blocks of 256 threads and 2 KB: blocks", of_2kb);
  put("8 blocks, 1536 threads, 16 KB; blocks of 256 threads and 2 KB: shared memory in use", 2 * of_2kb);
  for (const int side : {16, 32}) {
    const BlockNeeds block = tiles_of(side);
    const int resident = blocks_of("hong_48kb", block);
    const std::string tile = fmt::format("48 KB; tile {}: ", side);
    put(tile + "shared memory of a block", static_cast<double>(block.shared_bytes) / 1024);
    put(tile + "blocks", resident);
    put(tile + "pending loads, 2 a thread", resident * 2 * block.threads / 1024.0);
  }
}

void answer_moreno_maza(Answers& answers) {
  const auto put = [&](std::string_view exercise, double value, std::string_view model = "moreno_maza") {
    answers.put(exercise, value, Origin::model, model);
  };
  const Multiprocessor& machine = warp::multiprocessor("moreno_maza");
  const BlockNeeds block{256};
  const BlockLimits limits = warp::block_limits(machine, block);
  put("a 1024 x 1024 matrix in tiles of 16 x 16: blocks", 1024.0 / 16 * 1024 / 16, "the grid");
  put("768 threads; blocks of 256: blocks", limits.blocks());
  put("768 threads; blocks of 256: occupancy", 100 * warp::occupancy(machine, limits, block.threads));
  const gpu::matmul::Traffic traffic = gpu::matmul::shared_tiles(16, 1);
  put("a block in one step: reads", traffic.loads, "the kernel's text");
  put("a block in one step: operations", traffic.operations, "the kernel's text");
  put("768 threads, 16384 registers: registers a thread at full occupancy",
      most_registers(machine, block.threads, limits.blocks()));
  put("16 KB, 8 blocks: shared memory of a block",
      max_bytes(machine, machine.threads / machine.blocks, machine.blocks) / 1024.0);
}

std::vector<Record> answer() {
  Answers answers(id);
  answer_hong(answers);
  answer_moreno_maza(answers);
  return {answers.record()};
}

// The blocks of the examples on machines that have been built, and on 48 KB with today's threads.
struct Example {
  std::string_view what;
  BlockNeeds block;
};
constexpr Example examples[] = {
    {"512 threads, 11 registers", {512, 11, 0}},   {"256 threads, 2 KB", {256, 0, 2048}},
    {"256 threads, 21 registers", {256, 21, 0}},   {"tile 16: 256 threads, 2 KB", tiles_of(16)},
    {"tile 32: 1024 threads, 8 KB", tiles_of(32)},
};
constexpr std::string_view real[] = {"g80", "gt200", "fermi", "hong_48kb_2048", "cc90"};

std::vector<Record> count_machines() {
  Record record = measured_record("occupancy", "model", "", Json::object());
  for (const std::string_view name : real)
    for (const Example& example : examples) {
      const BlockLimits limits = warp::block_limits(warp::multiprocessor(name), example.block);
      const Json at{{"machine", name}, {"block", example.what}};
      const auto put = [&](const char* what, int blocks) {
        if (blocks != BlockLimits::without_limit)
          add_count(record, what, blocks, Origin::model, std::string(name), at);
      };
      put("blocks by threads", limits.by_threads);
      put("blocks by slots", limits.by_blocks);
      put("blocks by registers", limits.by_registers);
      put("blocks by shared memory", limits.by_shared_memory);
    }
  return {record};
}

// The most that a block may take for so many blocks at a time: one more, and a block is lost.
struct Cliff {
  std::string_view machine;
  int threads;
};
constexpr Cliff cliffs[] = {
    {"hong", 512}, {"moreno_maza", 256}, {"gt200", 256}, {"cc90", 256}, {"cc90", 1024}};

std::vector<Record> count_cliffs() {
  Record record = measured_record("occupancy", "cliffs", "", Json::object());
  for (const Cliff& cliff : cliffs) {
    const Multiprocessor& machine = warp::multiprocessor(cliff.machine);
    const Json at{{"machine", cliff.machine}, {"threads", cliff.threads}};
    const auto curve = [&](const char* name, const char* unit, auto max) {
      Quantity quantity{.name = name,
                        .unit = unit,
                        .origin = Origin::model,
                        .detail = std::string(cliff.machine),
                        .at = at,
                        .over = {"blocks", "1", {}}};
      for (int blocks = blocks_of(cliff.machine, {cliff.threads}); blocks > 0; --blocks) {
        quantity.over.points.push_back(blocks);
        quantity.values.push_back(max(machine, cliff.threads, blocks));
      }
      record.quantities.push_back(std::move(quantity));
    };
    curve("most registers", "registers", most_registers);
    curve("most shared memory", "B", max_bytes);
  }
  return {record};
}

std::vector<Row> rows(Scale, std::uint64_t) {
  return {exercises_row(answer),
          {std::string(machines_label), count_machines},
          {std::string(cliffs_label), count_cliffs},
          occupancy_row()};
}

// "3 blocks, by shared memory": the least of what each resource has room for.
std::string resident(const Record& record, const Json& at) {
  const auto room = [&](const char* what) {
    const Quantity* quantity = record.find(what, at);
    return quantity ? static_cast<int>(quantity->value) : BlockLimits::without_limit;
  };
  const BlockLimits limits{room("blocks by threads"), room("blocks by slots"), room("blocks by registers"),
                           room("blocks by shared memory")};
  return fmt::format("{}, by {}", limits.blocks(), to_string(limits.limit()));
}

void add_machines(const Inputs& inputs, Report& report) {
  Grid& grid = report.grids.emplace_back();
  grid.caption = "Blocks at a time, and the resource that is the limit, on machines as they were built";
  grid.columns = {{"block", true}};
  for (const std::string_view name : real) grid.columns.push_back({std::string(name), true});
  const auto records = records_of(inputs.document, id, machines_label);
  for (const Example& example : examples) {
    auto& row = grid.rows.emplace_back(std::vector<std::string>{std::string(example.what)});
    for (const std::string_view name : real)
      row.push_back(records.empty() ? "-"
                                    : resident(*records[0], {{"machine", name}, {"block", example.what}}));
  }
}

void add_cliffs(const Inputs& inputs, Report& report) {
  Grid& grid = report.grids.emplace_back();
  grid.caption = "The most that a block may take for so many blocks at a time";
  grid.columns = {
      {"machine", true}, {"threads a block"}, {"blocks"}, {"registers a thread"}, {"shared bytes a block"}};
  for (const Record* record : records_of(inputs.document, id, cliffs_label))
    for (const Cliff& cliff : cliffs) {
      const Json at{{"machine", cliff.machine}, {"threads", cliff.threads}};
      const Quantity *registers = record->find("most registers", at),
                     *bytes = record->find("most shared memory", at);
      if (!registers || !bytes) continue;
      for (std::size_t i = 0; i < std::min(registers->values.size(), bytes->values.size()); ++i)
        grid.rows.push_back({i ? "" : std::string(cliff.machine), i ? "" : std::to_string(cliff.threads),
                             digits(registers->over.points[i]), digits(registers->values[i]),
                             digits(bytes->values[i])});
    }
}

Report report(const Inputs& inputs) {
  Report report;
  add_exercises(inputs, id, remarks, {}, report);
  add_machines(inputs, report);
  add_cliffs(inputs, report);
  add_occupancies(inputs, id, report);
  report.notes.push_back(
      "Machines: 'hong' and 'moreno_maza' have the limits that the texts name and no others, g80, gt200 and "
      "fermi those of compute capability 1.0, 1.3 and 2.0, cc90 those of 9.0.");
  return report;
}

}  // namespace

const Table table{id, "blocks that a multiprocessor holds: the texts' examples and their exact cliffs", rows,
                  report};

}  // namespace tallcache::slide_tables::occupancy
