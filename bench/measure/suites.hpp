// What the commands that measure suites have in common.
#pragma once

#include <string>
#include <vector>

#include "bench/results/document.hpp"
#include "bench/suites/suite.hpp"

namespace CLI {
class App;
}

namespace tallcache {

struct SuiteOptions {
  std::vector<std::string> operations;
  std::string json;
  bool smoke = false, full = false;
  std::string backend = "cpu";  ///< of steps, peers and errors
  int device = 0;
  std::uint64_t seed = 1;

  /// How long libraries may plan.
  Planning planning() const { return full ? Planning::patient : Planning::quick; }
  Scale scale() const { return smoke ? Scale::smoke : full ? Scale::full : Scale::quick; }
};

/// Adds OPERATION..., of those that have the part, --seed, --json and, for tests, --smoke.
void add_suite(CLI::App& command, SuiteOptions&, SuitePredicate);

/// Adds --backend and --device.
void add_backend(CLI::App& command, SuiteOptions&);

/// A document of this kind, with the machine, the scale and the seed.
Document new_document(std::string_view kind, const SuiteOptions&);

/// The limits that the speeds are held against.
std::vector<Record> suite_limits(const SuiteOptions&);

}  // namespace tallcache
