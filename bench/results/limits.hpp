// The limits of a machine as records of a results document: multiply-adds from registers, traffic with main
// memory, the clock; for a GPU multiply-adds on its CUDA cores and its tensor cores and its own copy.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "bench/results/record.hpp"
#include "common/backend.hpp"
#include "common/measure/machine_limits.hpp"

namespace tallcache {

/// Operations `multiply_add` (a peak), `memory_traffic` (a bandwidth) and `clock`; each with the quantities
/// "rate" (the best round: disturbances only take away), "median rate" and "rounds".
std::vector<Record> to_records(const Limits&, std::string_view backend = "cpu");
/// The inverse; the records of other backends are passed over.
Limits limits_from(std::span<const Record>, std::string_view backend = "cpu");

/// The limits of a backend, measured; of a device that cannot be used one record with the reason.
std::vector<Record> limit_records(const Backend&, int device, const LimitsProtocol&,
                                  const LimitsProgress& progress = {});

/// Those of every backend. Measures for some 3 seconds when quick.
std::vector<Record> measured_limits(const LimitsProtocol&, int device, const LimitsProgress& progress = {});

/// The limits to which speeds are compared: the best multiply-adds and the best traffic, on one core (threads
/// = 1), on all cores, or of the GPU; NaN where there is no figure.
class Roofline {
 public:
  explicit Roofline(std::span<const Record> limits) : limits_(limits) {}

  double gflop_per_s(std::string_view backend, std::string_view element, int threads) const;
  double gb_per_s(std::string_view backend, int threads) const;

  /// The share of the roofline that a timed record reaches: of the multiply-adds when its work is flops, else
  /// of the bandwidth by its minimum traffic. NaN where either is missing. The multiply-adds are of the
  /// record's element or of another.
  double share(const Record& record) const { return share(record, record.element); }
  double share(const Record&, std::string_view element) const;
  /// The share of a GPU's other operations (OperationPeak) where a unit of work takes one. NaN as above.
  double share_of(std::string_view operation, const Record&, std::string_view element) const;

 private:
  double best(std::string_view operation, std::string_view backend, std::string_view element,
              int threads) const;

  std::span<const Record> limits_;
};

}  // namespace tallcache
