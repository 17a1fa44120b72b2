// A record: one measurement of any command. It holds what ran, its outcome, and the quantities that were
// measured, counted or predicted. results/schema.json defines its JSON. Ratios, shares of a limit, groups and
// verdicts are not stored: a report computes them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "bench/results/json.hpp"
#include "common/measure/harness.hpp"

namespace tallcache {

/// The source of a figure.
enum class Origin {
  clock,      ///< timed
  model,      ///< counted by a model of a cache, a warp's requests, a work-stealing scheduler, a network
  event,      ///< counted by the machine, read through PAPI or CUPTI
  formula,    ///< computed from the sizes alone
  reference,  ///< compared with a more exact result: an error
};
std::string_view to_string(Origin);

/// The points at which a curve has its values, such as strides or cache sizes.
struct Axis {
  std::string name, unit;
  std::vector<double> points{};
};

struct Quantity {
  std::string name, unit;   ///< "time", "s"; "misses", "1"
  double value = no_value;  ///< the median, where there are samples
  Origin origin = Origin::clock;
  std::string detail{};           ///< which model, event or formula
  Json at = Json::object();       ///< the part it belongs to: {"phase": "buckets"}, {"level": 1}, {"rank": 3}
  double spread = no_value;       ///< median absolute deviation
  std::vector<double> samples{};  ///< one for each run, in the order of the runs
  std::string reason{};           ///< why there is no value
  Axis over{};                    ///< the axis of a curve, which has `values` in place of a value
  std::vector<double> values{};
};

struct Record {
  std::string operation, variant, backend, element;
  Json shape = Json::object(), params = Json::object();
  std::string input{};
  int threads = 1;
  bool peer = false;
  /// The bound that the variant's errors keep. A document from before it was stored gives it by the variant's
  /// name.
  ErrorClass error_class = ErrorClass::standard;
  bool stores_class = false;  ///< false: in older documents, and of no run of a variant
  /// Other than the default: {"pages": "2 MiB"}, {"caches": "cold"}, {"launch": "graph"}.
  Json conditions = Json::object();
  std::string runs_as{};  ///< what a library chose for it: build, kernels, plan (Variant::runs_as)
  std::string row{};      ///< for a table's own measurements "<table>: <row>"; for peers, the case
  Outcome outcome{};
  std::vector<Quantity> quantities{};

  /// The quantity of this name and, where `at` is given, of this part; nullptr when there is none.
  const Quantity* find(std::string_view name, const Json& at = Json::object()) const;
  /// The quantity of this source: a model and a counter may both have one.
  const Quantity* find(std::string_view name, const Json& at, Origin) const;
  /// Its value; NaN when there is none.
  double value(std::string_view name, const Json& at = Json::object()) const;

  /// The way in which the work of a run was started.
  LaunchMode launch() const;

  /// The seconds of a run: the median, and its median absolute deviation.
  double seconds() const { return value("time"); }
  double seconds_spread() const;

  /// The work per second: in 1e9 flop or bytes, in millions of any other unit. NaN when it was not timed.
  double rate() const;
  /// The same for a run that takes `seconds`.
  double rate(double seconds) const;
  /// "GFLOP/s", "GB/s", "Mkeys/s"; empty when the record has no work.
  std::string rate_unit() const;

  /// Whether both are records of the same run: equal in everything but outcome and quantities.
  bool same_run(const Record& other) const;
};

/// The amount of an operation's work, of which its rate is a number a second: flops, bytes, keys, calls ...
double rated_work(const Operation&, const Shape&);

/// The record of a harness measurement: time, by phase too, with its samples; work (flop, B, key, ...) and
/// minimum traffic by formula.
Record to_record(const Problem&, const Measurement&);
/// The record of a run that has not started: pending, without quantities.
Record to_record(const Problem&, const Candidate&);

/// Adds what a device's counters counted.
void put_counts(Record&, std::span<const DeviceCount>);

/// Throws Error on an unknown key, such as a misspelt "reason", which would be lost.
void require_known(const Json& object, std::span<const std::string_view> known);

Json to_json(const Record&);
/// The inverse of to_json. Throws Error, which names what is missing or wrong, on anything that is no record.
Record record_from_json(const Json&);

/// Throws Error, which names the records, when the results of some were wrong.
void require_right(std::span<const Record>);

}  // namespace tallcache
