// Small documents of run, compare, steps and peers, whose figures are known.
#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "bench/studies/compare/compare.hpp"

namespace tallcache::test {

struct Run {
  std::string variant;
  double seconds = no_value;
  std::string backend = "cpu";
  int threads = 1;
  bool peer = false;
};

// Work of n units of `unit`, and as many bytes of traffic.
inline Record record_of(const Run& run, Index n, const char* unit = "flop") {
  Record record{.operation = "op", .variant = run.variant, .backend = run.backend, .element = "float"};
  record.shape = {{"n", n}};
  record.input = "first";
  record.threads = run.threads;
  record.peer = run.peer;
  record.outcome =
      std::isnan(run.seconds) ? Outcome{Status::unavailable, "no device"} : Outcome{Status::measured};
  if (std::isnan(run.seconds)) return record;
  record.quantities = {{.name = "time", .unit = "s", .value = run.seconds, .spread = run.seconds / 10},
                       {.name = "work", .unit = unit, .value = double(n), .origin = Origin::formula},
                       {.name = "traffic", .unit = "B", .value = double(n), .origin = Origin::formula}};
  return record;
}

inline void put_transfer(Record& record, TransferMode mode, double seconds, std::string reason = "") {
  Quantity& time = record.quantities.emplace_back(Quantity{.name = std::string(transfer_time), .unit = "s"});
  time.at = transfer_part(mode);
  time.value = seconds;
  time.reason = std::move(reason);
}

// The second record of the same run, started as a graph.
inline Record graph_of(Record record, double seconds) {
  record.conditions["launch"] = "graph";
  std::erase_if(record.quantities, [](const Quantity& quantity) { return quantity.name == transfer_time; });
  record.quantities[0].value = seconds;
  return record;
}

// It ran and has a time, but its result is wrong.
inline void mark_wrong(Record& record) { record.outcome = {Status::wrong, "wrong result at [0]"}; }

inline Record limit(const char* operation, const char* element, int threads, double rate) {
  Record record{.operation = operation, .variant = "best", .backend = "cpu", .element = element};
  record.threads = threads;
  record.outcome.status = Status::measured;
  record.quantities.push_back({.name = "rate", .unit = "1", .value = rate});
  return record;
}

// The CPU takes 10 s at every size; the GPU is ahead at 1, behind at 2, ahead at 4 and 8, and with pinned
// transfers at 8 alone.
inline Document comparison() {
  Document document{.kind = "compare", .context = Json::object()};
  document.plan = {{{"operation", "op"}, {"element", "float"}, {"size", "n"}, {"sizes", {1, 2, 4, 8}}}};
  const double gpu[] = {9, 11, 4, 2};
  int i = 0;
  for (const Index n : {1, 2, 4, 8}) {
    document.put(record_of({"tiled", 10}, n));
    document.put(record_of({"tiled", 20, "cpu", 2}, n));
    document.put(record_of({"library", 12, "cpu", 2, true}, n));
    Record device = record_of({"tiled", gpu[i++], "gpu"}, n);
    put_transfer(device, TransferMode::pinned, 7);
    put_transfer(device, TransferMode::pageable, 70);
    document.put(std::move(device));
  }
  return document;
}

inline Document stairs() {
  Document document{.kind = "steps", .context = Json::object()};
  Json part{{"operation", "op"}, {"element", "float"},
            {"backend", "cpu"},  {"shape", {{"n", 80}, {"pad", 0}}},
            {"unit", "key"},     {"limit", "a copy's bandwidth"},
            {"unit_bytes", 8}};
  for (const auto& [name, peer] : {std::pair{"a", false}, {"b", false}, {"library", true}, {"c", false}}) {
    Json step{{"label", std::string("step ") + name},
              {"variant", name},
              {"params", Json::object()},
              {"threads", 1},
              {"peer", peer}};
    if (!peer) step["bytes"] = 16;
    part["steps"].push_back(step);
  }
  document.plan.push_back(part);
  // The library's is held against, not built on.
  for (const Run& run : {Run{"a", 8}, Run{"b", 4}, Run{"library", 2}, Run{"c", 1}}) {
    Record record = record_of(run, 80, "key");
    record.shape["pad"] = 0;
    record.peer = record.variant == "library";
    document.put(std::move(record));
  }
  document.limits = {limit("memory_traffic", "byte", 1, 40e-9)};
  return document;
}

// Three cases on one core, of which two are a group; one on two; one of another input.
inline Document peers() {
  Document document{.kind = "peers", .context = Json::object()};
  document.plan.push_back({{"operation", "op"},
                           {"element", "float"},
                           {"backend", "cpu"},
                           {"variant", "own"},
                           {"share", {{"of", "first input"}, {"title", "of the first's speed"}}},
                           {"first_input", "first"},
                           {"baseline", "slow"}});
  const auto add = [&](const char* label, const char* group, Index n, int threads, double own, double fast,
                       const char* input = "first") {
    document.plan[0]["cases"].push_back(
        {{"label", label}, {"row", label}, {"threads", threads}, {"group", group}});
    for (Record record :
         {record_of({"own", own, "cpu", threads}, n), record_of({"fast", fast, "cpu", 1, true}, n),
          record_of({"slow", own * 10, "cpu", 1, true}, n)}) {
      record.row = label;
      record.input = input;
      document.put(std::move(record));
    }
  };
  add("n = 1", "small", 1, 1, 2, 8);
  add("n = 2", "small", 2, 1, 4, 4);
  add("n = 9", "", 9, 1, 3, 6);
  add("n = 9, all", "", 9, 2, 2, 6);
  add("sorted", "", 9, 1, 6, 3, "sorted");
  return document;
}

}  // namespace tallcache::test
