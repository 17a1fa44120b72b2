// A record: one measurement, whichever command made it. What ran, how that ended, and the quantities that
// were measured, counted or predicted of it. results/schema.json is its form as JSON. Ratios, shares of a
// limit, groups and verdicts are no quantities: a report computes them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "bench/report/json.hpp"
#include "common/measure/harness.hpp"

namespace tallcache {

/// Where a figure comes from.
enum class Origin {
  clock,      ///< timed
  model,      ///< counted by a model of a cache, a warp's requests, a work-stealing scheduler, a network
  event,      ///< counted by the machine, read through PAPI or CUPTI
  formula,    ///< computed from the sizes alone
  reference,  ///< held against a more exact result: an error
};
std::string_view to_string(Origin);

/// The points at which a quantity that is a curve has its values: a stride, the size of a cache.
struct Axis {
  std::string name, unit;
  std::vector<double> points{};
};

struct Quantity {
  std::string name, unit;  ///< "time", "s"; "misses", "1"
  double value = absent;   ///< the median, where there are samples
  Origin origin = Origin::clock;
  std::string detail{};           ///< which model, event or formula
  Json at = Json::object();       ///< of which part: {"phase": "buckets"}, {"level": 1}, {"rank": 3}
  double spread = absent;         ///< median absolute deviation
  std::vector<double> samples{};  ///< one a run, in the order of the runs
  std::string reason{};           ///< why there is no value
  Axis over{};                    ///< of a curve, which has `values` in place of a value
  std::vector<double> values{};
};

struct Record {
  std::string operation, variant, backend, element;
  Json shape = Json::object(), params = Json::object();
  std::string input{};
  int threads = 1;
  bool peer = false;
  /// That are not the usual ones: {"pages": "2 MiB"}, {"caches": "cold"}, {"launch": "graph"}.
  Json conditions = Json::object();
  std::string row{};  ///< of a table that measures it for itself: "<table>: <row>"; of peers, the case
  Outcome outcome{};
  std::vector<Quantity> quantities{};

  /// The quantity of this name and, where `at` is given, of this part; nullptr when there is none.
  const Quantity* find(std::string_view name, const Json& at = Json::object()) const;
  /// The one of this source: a model and a counter may both tell.
  const Quantity* find(std::string_view name, const Json& at, Origin) const;
  /// Its value; NaN when there is none.
  double value(std::string_view name, const Json& at = Json::object()) const;

  /// How the work of a run was started.
  LaunchMode launch() const;

  /// Seconds of a run: median, and median absolute deviation.
  double seconds() const { return value("time"); }
  double seconds_spread() const;

  /// Work done in a second: in 1e9 flop or bytes, in millions of anything else. NaN when it was not timed.
  double rate() const;
  /// Of a run that takes `seconds`.
  double rate(double seconds) const;
  /// "GFLOP/s", "GB/s", "Mkeys/s"; empty when the record has no work.
  std::string rate_unit() const;

  /// Whether the same thing ran: equal in everything but its outcome and its quantities.
  bool same_run(const Record& other) const;
};

/// A harness measurement: time, by phase too, with its samples; work (flop, B, key, ...) and the least
/// traffic by formula.
Record to_record(const Problem&, const Measurement&);
/// What would run: pending, without quantities.
Record to_record(const Problem&, const Candidate&);

Json to_json(const Record&);
/// The inverse. Throws Error, with what is missing or wrong, on anything that is no record.
Record record_from_json(const Json&);

/// Throws Error, which names them, when the results of some records were wrong.
void require_right(std::span<const Record>);

}  // namespace tallcache
