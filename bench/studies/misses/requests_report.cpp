#include "bench/studies/misses/requests_report.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "bench/show/format.hpp"

namespace tallcache {
namespace {

struct CountedBy {
  Origin origin;
  const Record& record;

  const Quantity* find(std::string_view name) const { return record.find(name, Json::object(), origin); }
  double value(std::string_view name) const {
    const Quantity* quantity = find(name);
    return quantity ? quantity->value : no_value;
  }
  /// An atomic whose old value nobody reads is counted as a reduction.
  double with_reductions(std::string_view kind, std::string_view part) const {
    const double atomics = value(fmt::format("{} {}", kind, part)),
                 reductions = value(fmt::format("global reduction {}", part));
    return kind == "global atomic" && origin == Origin::event ? atomics + reductions : atomics;
  }
};

struct Kind {
  const char *name, *parts;
};
constexpr std::array access_kinds{Kind{"global load", "sectors"},     Kind{"global store", "sectors"},
                                  Kind{"global atomic", "sectors"},   Kind{"shared load", "wavefronts"},
                                  Kind{"shared store", "wavefronts"}, Kind{"shared atomic", "wavefronts"},
                                  Kind{"global copy", "sectors"},     Kind{"shared copy", "wavefronts"}};
constexpr std::array beyond_requests{"instructions",    "L2 sectors",         "L2 hit rate",
                                     "DRAM bytes read", "DRAM bytes written", "achieved occupancy"};
struct Balance {
  const char *what, *max, *mean;
};
constexpr std::array balances{
    Balance{"L2 slices", "L2 sectors, busiest slice", "L2 sectors, mean slice"},
    Balance{"DRAM channels, reads", "DRAM sectors read, busiest channel", "DRAM sectors read, mean channel"},
    Balance{"DRAM channels, writes", "DRAM sectors written, busiest channel",
            "DRAM sectors written, mean channel"}};

// Names the reason why a source has no value of its first quantity; empty when it has.
std::string absence(const CountedBy& source, const char* title) {
  const Quantity* first = source.find("global load requests");
  if (!first) return fmt::format("{}: not counted\n", title);
  return std::isnan(first->value) ? fmt::format("{}: {}\n", title, first->reason) : "";
}

// Why a record has no counts; empty when it has.
std::string no_counts(const Record& record) {
  if (record.outcome.measured()) return {};
  return fmt::format("{}: {}: {}\n", name_of(record), to_string(record.outcome.status),
                     record.outcome.reason);
}

std::string absent_sides(const Record& record) {
  return absence({Origin::model, record}, "model") + absence({Origin::event, record}, "counter");
}

Grid record_grid(const Record& record) {
  const CountedBy model{Origin::model, record}, counter{Origin::event, record};
  Grid grid{.caption = name_of(record),
            .columns = {{"", true}, {"model"}, {"counter"}, {"counter over model"}}};
  const auto put = [&](std::string what, double by_model, double by_counter) {
    if (by_model == 0 && !(by_counter > 0)) return;  // a variant without such accesses
    grid.rows.push_back(
        {std::move(what), figure(by_model), figure(by_counter), figure(by_counter / by_model)});
  };
  for (const Kind& kind : access_kinds) {
    const double by_model = model.with_reductions(kind.name, "requests"),
                 by_counter = counter.with_reductions(kind.name, "requests");
    put(fmt::format("{} requests", kind.name), by_model, by_counter);
    if (by_model == 0 && !(by_counter > 0)) continue;
    const double parts = model.with_reductions(kind.name, kind.parts) / by_model;
    put(fmt::format("{}: {} a request", kind.name, kind.parts), parts,
        counter.with_reductions(kind.name, kind.parts) / by_counter);
    if (const double loaded = counter.value(fmt::format("{} {}, under load", kind.name, kind.parts));
        loaded > 0)
      put(fmt::format("{}: {} a request, under load", kind.name, kind.parts), parts, loaded / by_counter);
  }
  for (const char* name : beyond_requests)
    for (const CountedBy* source : {&model, &counter})
      if (const Quantity* quantity = source->find(name); quantity && !std::isnan(quantity->value)) {
        put(quantity->unit == "1" ? name : fmt::format("{}, {}", name, quantity->unit), model.value(name),
            counter.value(name));
        break;
      }
  for (const Balance& balance : balances)
    if (const double mean = counter.value(balance.mean); mean > 16)  // fewer do not spread
      put(fmt::format("{}: busiest over mean", balance.what), no_value, counter.value(balance.max) / mean);
  return grid;
}

std::string title_of(const MissesPart& part) {
  return fmt::format("{}, requests by the model of machine {}", part.title(), part.machine.value());
}

}  // namespace

std::string requests_text(std::span<const Record* const> records, const MissesPart& part, Style style) {
  std::string text = title_of(part) + "\n";
  for (const Record* record : records) {
    const std::string reason = no_counts(*record);
    text += "\n" + (reason.empty() ? render(record_grid(*record), style) + absent_sides(*record) : reason);
  }
  return text;
}

Blocks requests_page(std::span<const Record* const> records, const MissesPart& part) {
  Blocks blocks;
  blocks.emplace_back(Heading{title_of(part)});
  for (const Record* record : records) {
    std::string note = no_counts(*record);
    if (note.empty()) {
      blocks.emplace_back(record_grid(*record));
      note = absent_sides(*record);
    }
    if (!note.empty()) blocks.emplace_back(Paragraph{std::move(note)});
  }
  return blocks;
}

}  // namespace tallcache
