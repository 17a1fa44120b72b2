// A run of a study over suites: what all of them ask for, and do before, between and after their parts.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "bench/measure/device_watch.hpp"
#include "bench/measure/output.hpp"
#include "bench/results/document.hpp"
#include "bench/suites/suite.hpp"
#include "common/catalogue.hpp"

namespace CLI {
class App;
}

namespace tallcache {

struct SuiteOptions {
  std::vector<std::string> operations;
  std::string json;
  bool smoke = false, full = false, patient = false;
  std::string backend = "cpu";  ///< of steps, peers and errors
  int device = 0;
  std::uint64_t seed = 1;

  /// How long libraries may plan.
  Planning planning() const { return full || patient ? Planning::patient : Planning::quick; }
  Scale scale() const { return smoke ? Scale::smoke : full ? Scale::full : Scale::quick; }
};

/// Adds OPERATION..., of those that have the part, --seed, --json and, for tests, --smoke.
void add_suite(CLI::App& command, SuiteOptions&, SuitePredicate);

/// Adds --backend and --device.
void add_backend(CLI::App& command, SuiteOptions&);

class SuiteRun {
 public:
  /// Finds the operations, opens the output and begins the document, with the machine, the scale and the
  /// seed. `options` must outlive the run; `what` describes the operations in a message: "operation with
  /// steps".
  SuiteRun(std::string_view kind, const SuiteOptions& options, SuitePredicate, std::string_view what);
  /// Writes what has been kept, also where an error or an interruption ends the run.
  ~SuiteRun();
  SuiteRun(const SuiteRun&) = delete;
  SuiteRun& operator=(const SuiteRun&) = delete;

  Document document;

  /// The suites that were asked for.
  const std::vector<const Suite*>& suites() const { return suites_; }

  /// Measures the limits that speeds are held against.
  void measure_limits();

  /// Calls `measure(operation, part)` for each of these parts that is of the backend.
  template <class Part, class Measure>
  void each(std::vector<Part> Suite::*parts, Measure measure) {
    for (const Suite* suite : suites_)
      for (const Part& part : on_backend(suite->*parts, options_.backend))
        measure(find_operation(suite->operation, part.element), part);
  }

  /// Notes the devices' state and writes what there is, which stays when a later part is cut off. All writes
  /// together take a twentieth of the run at most: what comes too soon is written later, or at the end.
  void keep();
  /// The same, and prints `text`, what the part says that has just been measured.
  void part(const std::string& text);

  /// Prints the devices' state, writes the document, and throws Error when a result is wrong or nothing was
  /// measured.
  void finish();

 private:
  const SuiteOptions& options_;
  std::vector<const Suite*> suites_;
  Output output_;
  DeviceWatch watch_;
  std::chrono::steady_clock::time_point next_write_{};
  std::size_t kept_ = 0;    // records
  bool is_written_ = true;  // that they are
};

}  // namespace tallcache
