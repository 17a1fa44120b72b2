#include "bench/results/against.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "bench/results/names.hpp"
#include "common/measure/bootstrap.hpp"
#include "common/measure/statistics.hpp"

namespace tallcache {
namespace {

// 99 per cent, two-sided, of a normal distribution.
constexpr double deviations = 2.576;
// Of the scatter between two runs: 3 in 1000 are further off.
constexpr double noise_deviations = 3;
// Two processes do not agree better than the first; the second is assumed where few ratios do not tell.
constexpr double min_noise = 0.01, assumed_noise = 0.02;
// So few ratios say nothing about their scatter.
constexpr std::size_t min_group = 8, min_peers = 3;
// The standard deviation of normal noise over its median absolute deviation, and that of a median over a
// mean.
constexpr double of_mad = 1.4826, of_median = 1.2533;

struct LogRatio {
  double value, error;
};

bool is_timed(const Record& record) { return measured_seconds(&record) > 0; }

// What runs alike on a machine: "one core", "all cores", "GPU".
std::string machine_class(const Record& record) {
  return record.backend != "cpu" ? backend_title(record.backend)
         : record.threads > 1    ? "all cores"
                                 : "one core";
}

LogRatio median_of(std::vector<double> values) {
  const double scatter = median_absolute_deviation(values) * of_mad;
  const double error = scatter * of_median / std::sqrt(static_cast<double>(values.size()));
  return {median(std::move(values)), error};
}

double raw_log(const RecordChange& change) { return std::log(change.raw); }

void require_same_unit(const Record& record, const Quantity& now, const Quantity& before) {
  if (now.unit != before.unit)
    throw Error(fmt::format("{}: its {} is in {} now and was in {} before", run_name(record), now.name,
                            now.unit, before.unit));
}

// The limits and libraries of both runs, by name.
class Normaliser {
 public:
  Normaliser(const Document& now, const Document& before, const std::vector<RecordChange>& changes) {
    for (const Record& limit : now.limits)
      for (const Record& old : before.limits)
        if (limit.same_run(old)) add_limit(limit, old);
    std::map<std::string, std::vector<double>> peers;
    for (const RecordChange& change : changes)
      if (change.now->peer) peers[peers_name(*change.now)].push_back(raw_log(change));
    for (auto& [name, ratios] : peers)
      if (ratios.size() >= min_peers) ratios_[name] = median_of(std::move(ratios));
  }

  // The logarithm to subtract for a record; 0 where neither run measured anything that applies.
  LogRatio of(const Record& record) const {
    std::vector<LogRatio> parts;
    for (const std::string& name : {limit_name(record), peers_name(record)})
      if (const auto found = ratios_.find(name); found != ratios_.end()) parts.push_back(found->second);
    if (parts.empty()) return {0, 0};
    double sum = 0, squares = 0;
    for (const LogRatio& part : parts) sum += part.value, squares += part.error * part.error;
    const double count = static_cast<double>(parts.size());
    const double apart = parts.size() < 2 ? 0 : std::abs(parts[0].value - parts[1].value) / 2;
    return {sum / count, std::hypot(std::sqrt(squares) / count, apart)};
  }

  std::vector<MachineRatio> list() const {
    std::vector<MachineRatio> list;
    for (const auto& [name, ratio] : ratios_) list.push_back({name, std::exp(ratio.value), ratio.error});
    return list;
  }

 private:
  void add_limit(const Record& now, const Record& old) {
    const Quantity *rate = now.find("median rate"), *rate_before = old.find("median rate");
    if (!rate || !rate_before || !(rate->value > 0) || !(rate_before->value > 0)) return;
    require_same_unit(now, *rate, *rate_before);
    const bool copy = now.operation == "memory_traffic" && now.variant.starts_with("copy (memcpy)");
    const bool device_copy = now.operation == "memory_traffic" && now.variant == "copy";
    if (now.operation != "multiply_add" && !copy && !device_copy) return;
    const auto error = [](const Record& record, const Quantity& quantity) {
      const double rounds = std::fmax(record.value("rounds"), 1);
      const double relative = quantity.spread / quantity.value * of_mad * of_median / std::sqrt(rounds);
      return std::isnan(relative) ? 0 : relative;
    };
    ratios_[name_of_limit(now.operation, now)] = {std::log(rate_before->value / rate->value),
                                                  std::hypot(error(now, *rate), error(old, *rate_before))};
  }

  static std::string name_of_limit(const std::string& operation, const Record& record) {
    return operation == "multiply_add"
               ? fmt::format("multiply-adds {}, {}", record.element, machine_class(record))
               : fmt::format("copy, {}", machine_class(record));
  }
  static std::string limit_name(const Record& record) {
    const Quantity* work = record.find("work");
    return name_of_limit(work && work->unit == "flop" ? "multiply_add" : "memory_traffic", record);
  }
  static std::string peers_name(const Record& record) {
    return fmt::format("libraries' {}, {}", record.operation, machine_class(record));
  }

  std::map<std::string, LogRatio> ratios_;
};

// Half of the interval of log(now / before) that the samples leave, downwards and upwards.
Interval sample_halves(const Record& now, const Record& before) {
  const Quantity &a = *now.find("time"), &b = *before.find("time");
  if (a.samples.size() > 1 && b.samples.size() > 1) {
    const Interval interval = bootstrap_log_ratio_of_medians(a.samples, b.samples, against_level);
    const double middle = std::log(median(a.samples) / median(b.samples));
    return {std::fmax(middle - interval.low, 0), std::fmax(interval.high - middle, 0)};
  }
  // Older documents have the spread alone, and not how many runs it is of.
  const double spread = std::hypot(a.spread / a.value, b.spread / b.value) * of_mad * deviations;
  return std::isnan(spread) ? Interval{0, 0} : Interval{spread, spread};
}

// The scatter of the normalised ratios around their median, by class; of all where a class has few. What the
// samples explain of it, `halves`, is taken off: the interval has that part for each record.
class Noise {
 public:
  Noise(const std::vector<RecordChange>& changes, const std::vector<Interval>& halves) {
    std::map<std::string, Ratios> by_class;
    Ratios all;
    for (std::size_t i = 0; i < changes.size(); ++i)
      for (Ratios* ratios : {&by_class[machine_class(*changes[i].now)], &all}) {
        ratios->logs.push_back(std::log(changes[i].ratio));
        ratios->explained.push_back((halves[i].low + halves[i].high) / 2 / deviations);
      }
    all_ = scatter(all);
    for (const auto& [name, ratios] : by_class)
      by_class_[name] = ratios.logs.size() < min_group ? all_ : scatter(ratios);
  }

  double of(const Record& record) const { return by_class_.at(machine_class(record)); }
  double largest() const {
    double noise = 0;
    for (const auto& [name, scatter] : by_class_) noise = std::max(noise, scatter);
    return noise;
  }

 private:
  struct Ratios {
    std::vector<double> logs, explained;
  };

  static double scatter(const Ratios& ratios) {
    if (ratios.logs.size() < min_group) return assumed_noise;
    const double whole = median_absolute_deviation(ratios.logs) * of_mad, samples = median(ratios.explained);
    return std::fmax(std::sqrt(std::fmax(whole * whole - samples * samples, 0)), min_noise);
  }

  double all_;
  std::map<std::string, double> by_class_;
};

}  // namespace

std::vector<std::string> differences_of(const Json& now, const Json& before) {
  std::vector<std::string> list;
  const auto compare = [&](const char* name, const char* pointer) {
    const Json::json_pointer at(pointer);
    const Json a = now.value(at, Json()), b = before.value(at, Json());
    const auto text = [](const Json& json) -> std::string {
      if (json.is_string()) return json.get<std::string>();
      if (!json.is_array()) return json.is_null() ? "unknown" : json.dump();
      std::string names;
      for (const Json& one : json)
        names += (names.empty() ? "" : " and ") + one.at("name").get<std::string>();
      return names.empty() ? "none" : names;
    };
    if (a != b) list.push_back(fmt::format("{}: {} here, {} before", name, text(a), text(b)));
  };
  compare("processor", "/cpu");
  compare("usable cores", "/usable_cores");
  compare("GPUs", "/gpus");
  compare("system", "/system");
  compare("compiler", "/build/compiler");
  compare("flags", "/build/flags");
  compare("flags of the textbook variants", "/build/textbook_flags");
  compare("fork policy", "/fork");
  compare("sizes", "/mode");
  compare("seed", "/seed");
  return list;
}

RunComparison compare_runs(const Document& now, const Document& before) {
  if (now.kind != before.kind)
    throw Error(
        fmt::format("a document of tallcache {} is held against one of tallcache {}", now.kind, before.kind));
  RunComparison result{.differences = differences_of(now.context, before.context)};
  for (const Record& record : now.measurements) {
    if (!is_timed(record)) {
      result.untimed += !record.find("time") && record.outcome.measured();
      continue;
    }
    const Record* old = before.find(record);
    if (!old || !is_timed(*old) || old->error_class != record.error_class) {
      result.added.push_back(&record);
      continue;
    }
    require_same_work(record, *old);
    const double raw = record.seconds() / old->seconds();
    result.changes.push_back({&record, old, record.seconds(), old->seconds(), raw, raw, 1, 1});
  }
  for (const Record& old : before.measurements)
    if (const Record* record = is_timed(old) ? now.find(old) : &old;
        !record || !is_timed(*record) || record->error_class != old.error_class)
      if (is_timed(old)) result.gone.push_back(&old);
  add_broken(result, now, before);
  if (result.changes.empty() && result.broken.empty())
    throw Error("the two documents have no timed record in common");

  const Normaliser normaliser(now, before, result.changes);
  result.machine = normaliser.list();
  std::vector<Interval> sampled;
  for (RecordChange& change : result.changes) {
    change.ratio = std::exp(raw_log(change) - normaliser.of(*change.now).value);
    sampled.push_back(sample_halves(*change.now, *change.before));
  }
  const Noise noise(result.changes, sampled);
  result.noise = noise.largest();
  for (std::size_t i = 0; i < sampled.size(); ++i) {
    RecordChange& change = result.changes[i];
    const Interval& halves = sampled[i];
    const double others =
        std::hypot(deviations * normaliser.of(*change.now).error, noise_deviations * noise.of(*change.now));
    change.low = change.ratio * std::exp(-std::hypot(halves.low, others));
    change.high = change.ratio * std::exp(std::hypot(halves.high, others));
  }
  return result;
}

void require_same_work(const Record& now, const Record& before) {
  const Quantity *work = now.find("work"), *work_before = before.find("work");
  if (work && work_before) require_same_unit(now, *work, *work_before);
}

void add_broken(RunComparison& comparison, const Document& now, const Document& before) {
  for (const Record& record : now.measurements) {
    const Status status = record.outcome.status;
    if (status != Status::wrong && status != Status::failed) continue;
    const Record* old = before.find(record);
    const auto same = [&](const Record* other) { return other->same_run(record); };
    if (status == Status::failed && !(old && old->outcome.measured())) continue;
    if (std::ranges::none_of(comparison.broken, same)) comparison.broken.push_back(&record);
    std::erase_if(comparison.gone, same);
  }
}

std::string failure_of(const RunComparison& comparison, double limit) {
  if (!comparison.broken.empty()) {
    const Record& first = *comparison.broken[0];
    return fmt::format(
        "{} {}; the first is {}: {}: {}", comparison.broken.size(),
        comparison.broken.size() == 1 ? "record is wrong or failed" : "records are wrong or failed",
        to_string(first.outcome.status), run_name(first), first.outcome.reason);
  }
  const auto slower = slower_than(comparison, limit);
  if (slower.empty()) return {};
  return fmt::format("{} of {} records take more than {} times as long as before; the worst {:.3f} times: {}",
                     slower.size(), comparison.changes.size(), limit, slower[0]->ratio,
                     run_name(*slower[0]->now));
}

std::vector<const RecordChange*> slower_than(const RunComparison& comparison, double limit) {
  std::vector<const RecordChange*> list;
  for (const RecordChange& change : comparison.changes)
    if (change.slower() && change.ratio > limit) list.push_back(&change);
  std::ranges::sort(list, std::ranges::greater{}, &RecordChange::ratio);
  return list;
}

}  // namespace tallcache
