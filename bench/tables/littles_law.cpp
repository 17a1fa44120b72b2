// Little's law: what has to be in flight is latency times bandwidth, of planes and of memories.
#include <fmt/format.h>

#include "bench/tables/counted_records.hpp"
#include "bench/tables/exercises.hpp"
#include "bench/tables/list.hpp"
#include "bench/tables/memory_curves.hpp"
#include "common/warp/occupancy.hpp"

namespace tallcache::slide_tables::littles_law {
namespace {

constexpr std::string_view id = "littles-law", memories_label = "bytes in flight";

constexpr std::string_view latencies[] = {"registers: latency", "shared memory: latency",
                                          "global memory: latency", "local memory: latency",
                                          "constant memory, cached: latency"};

constexpr Remark remarks[] = {
    {"15.7 EB in 1.87 h", "The hours are rounded, as the slide's ~ says: at 1.88 h it is 2.32"},
    {"planes in flight at 1.87 h, one every 2 minutes", "", "A 57th is under way for a tenth of the time"},
};

constexpr double packet_eb = 15.7, flight_h = 1.87, loading_h = 1, interval_min = 2;

std::vector<Record> answer() {
  Answers answers(id);
  const auto put = [&](std::string_view exercise, double value, std::string_view formula) {
    answers.put(exercise, value, Origin::formula, formula);
  };
  constexpr double pb_of_eb = 1000, s_of_h = 3600, s_of_min = 60, min_of_h = 60;
  constexpr double round_trip_h = 2 * (flight_h + loading_h);
  put("15.7 EB in 1.87 h", packet_eb * pb_of_eb / (flight_h * s_of_h), "packet / latency");
  put("15.7 EB every 2 minutes", packet_eb * pb_of_eb / (interval_min * s_of_min), "packet / interval");
  put("planes in flight at 1.87 h, one every 2 minutes", flight_h * min_of_h / interval_min,
      "latency / interval");
  put("a request's latency, (1.87 h + 1 h) x 2", round_trip_h, "there and back, loaded and unloaded");
  put("planes for such requests", round_trip_h * min_of_h / interval_min, "latency / interval");
  return {answers.record()};
}

// A memory as the texts give it: bandwidth and clock, and Hong's cycles for the latency of all of them.
struct Memory {
  std::string_view name, of, limits;  ///< the machine, where its figures stand, its multiprocessors' record
  double gb_per_s, ghz;
  int multiprocessors;
};
constexpr Memory memories[] = {
    {"GTX 260", "M15: 112 GB/s; NVIDIA's specification: 27 multiprocessors at 1.242 GHz", "gt200", 112, 1.242,
     27},
    {"Tesla K40c", "S1: 288 GB/s; S4: boost clock 875 MHz; NVIDIA's specification: 15 multiprocessors",
     "cc35", 288, 0.875, 15},
};

double printed_cycles() {
  for (const Json& row : slide_table(id).at("rows"))
    if (row[1] == "global memory: latency") return row[2];
  return no_value;
}

std::vector<Record> count_memories() {
  std::vector<Record> records;
  const double cycles = printed_cycles();
  for (const Memory& memory : memories) {
    Record record = measured_record("bytes_in_flight", std::string(memory.name), "", Json::object());
    const auto put = [&](const char* name, const char* unit, double value, std::string_view from) {
      record.quantities.push_back({.name = name,
                                   .unit = unit,
                                   .value = value,
                                   .origin = Origin::formula,
                                   .detail = std::string(from)});
    };
    put("bandwidth", "GB/s", memory.gb_per_s, memory.of);
    put("latency", "ns", cycles / memory.ghz, "the text's cycles at the clock");
    put("multiprocessors", "1", memory.multiprocessors, memory.of);
    put("threads of a multiprocessor", "1", warp::multiprocessor(memory.limits).threads, memory.limits);
    records.push_back(std::move(record));
  }
  return records;
}

std::vector<Row> rows(Scale, std::uint64_t) {
  return {
      exercises_row(answer), {std::string(memories_label), count_memories}, latency_row(), in_flight_row()};
}

void add_memories(const Inputs& inputs, Report& report) {
  Grid& grid = report.grids.emplace_back();
  grid.caption = "Bytes in flight that keep a memory busy: latency times bandwidth, at the text's latency";
  grid.columns = {{"machine", true},
                  {"GB/s"},
                  {"latency, ns"},
                  {"bytes in flight"},
                  {"lines of 128 B"},
                  {"bytes a multiprocessor"},
                  {"floats a thread, all resident"}};
  for (const Record* record : records_of(inputs.document, id, memories_label)) {
    const double rate = record->value("bandwidth"), latency = record->value("latency"),
                 bytes = rate * latency, each = bytes / record->value("multiprocessors");
    grid.rows.push_back({record->variant, figure(rate), figure(latency), figure(bytes), figure(bytes / 128),
                         figure(each),
                         figure(each / record->value("threads of a multiprocessor") / sizeof(float))});
  }
}

Report report(const Inputs& inputs) {
  Report report;
  const auto measured = [&](std::string_view exercise) {
    return measured_cycles(inputs, id, exercise.substr(0, exercise.find(':')));
  };
  add_exercises(inputs, id, remarks, {latencies, "needs a GPU", measured}, report);
  add_memories(inputs, report);
  add_latencies(inputs, id, report);
  add_in_flight(inputs, id, report);
  report.notes.push_back("No model says how long a memory takes: latencies are the text's, or measured.");
  return report;
}

}  // namespace

const Table table{id, "what has to be in flight: latency times bandwidth", rows, report};

}  // namespace tallcache::slide_tables::littles_law
