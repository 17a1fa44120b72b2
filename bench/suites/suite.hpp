// Suite: the measurements of one operation, as data: the sizes that `compare` runs over, the optimization
// steps of its fastest variants, and the peers they are compared with, on which shapes and inputs. There is
// one file for each operation, listed in suites.cpp. The commands enumerate the list and know no operation by
// its name.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/results/no_value.hpp"
#include "bench/suites/error_reference.hpp"
#include "bench/suites/scale.hpp"
#include "common/measure/harness.hpp"

namespace tallcache {

/// The sizes on which an operation is compared: its first size; the others follow from it.
struct SizeSweep {
  std::string_view element;  ///< the default
  std::vector<Index> smoke, quick, full;

  const std::vector<Index>& at(Scale scale) const {
    return scale == Scale::smoke ? smoke : scale == Scale::full ? full : quick;
  }
};

/// `bytes`: moved between the caches and memory for each unit of the result, if only data that the text
/// reuses at once stays in a cache. NaN where arithmetic, not memory, is the limit.
struct Step {
  std::string_view label, variant;
  Params params{};
  double bytes = no_value;
  bool all_cores = false;
  bool peer = false;  ///< for comparison: the next step does not build on it
};

/// The steps from the textbook's text to the fastest variant.
struct OptimizationSteps {
  std::string_view element, unit;
  double min_bytes;        ///< of a unit: its share of the inputs and outputs; NaN as in Step
  std::string_view limit;  ///< the name of the machine's limit: "the FMA peak"
  Shape shape, smoke;
  std::vector<Step> steps;
  std::string_view backend = "cpu";
  bool cold = false;          ///< caches are flushed before each run
  Scale from = Scale::quick;  ///< the smallest scale that they belong to; all belong to smoke
};

struct PeerCase {
  Shape shape;
  std::string_view input{};  ///< empty: the operation's first
  Params params{};           ///< of the variant; peers use their defaults
  bool all_cores = false;
  Scale from = Scale::quick;  ///< the smallest scale that it belongs to
  std::string_view group{};   ///< cases of a group are printed as one line: the worst and the mean
};

/// The reference of a variant's share of speed.
struct SpeedShare {
  enum class Of {
    limit,        ///< the machine's: multiply-adds or bandwidth
    reference,    ///< another operation of the same shape, measured next
    first_input,  ///< its own on the operation's first kind of input
  };
  Of of;
  std::string_view title;  ///< of its column: "of the FMA peak"
  /// For `reference`: an operation that has the sizes of this one, and its variant. For `limit`: a limit of
  /// other operations than multiply-adds (OperationPeak).
  std::string_view operation{}, variant{};
  /// For `limit`: that of another element, of which a product of this one takes several.
  std::string_view element{};
  int products = 1;
  double operations = 1;  ///< for `limit` of an `operation`: those that a unit of work takes
};
std::string_view to_string(SpeedShare::Of);

/// A variant and those that it is compared with: every peer of the operation on this backend in the
/// catalogue, except `without`, and then `beside`.
struct PeerComparison {
  std::string_view element, variant;
  SpeedShare share;
  std::vector<std::string_view> without{};  ///< peers that are always slower than another, or too slow
  std::vector<std::string_view> beside{};   ///< variants of the suite's own
  std::string_view baseline{};              ///< the variant that has a column of its own
  Shape smoke;                              ///< the shape of every case at scale smoke
  std::vector<PeerCase> cases{};
  std::string_view backend = "cpu";
  bool cold = false;  ///< caches are flushed before each run
  bool mean = false;  ///< the geometric mean and the least of the cases without a group are printed, too
};

/// A variant whose errors are measured, in the precision and with the parameters that are given.
struct ErrorRun {
  std::string_view variant;
  Params params{};
};

/// The rounding errors of an operation's variants over a ladder of one size, and beside their speeds.
struct ErrorStudy {
  std::string_view element, dimension;  ///< the size that the ladder changes
  std::vector<Shape> ladder{}, smoke_ladder;
  Shape timed, smoke_timed;
  std::span<const std::string_view> inputs;
  std::unique_ptr<ErrorReference> (*reference)(const Shape&, std::string_view input, std::uint64_t seed);
  std::string_view relative_to;  ///< the magnitude that the errors are divided by: "|A||B|"
  std::string_view theory{};     ///< what is known of them; empty: of sums of products
  std::vector<ErrorRun> runs{};  ///< empty: every variant of the backend
  std::string_view backend = "cpu";
};

struct Suite {
  std::string_view operation;
  SizeSweep sizes{};
  std::vector<OptimizationSteps> steps{};
  std::vector<PeerComparison> peers{};
  std::vector<ErrorStudy> errors{};
  /// Makes the problem of a graph file, for an operation on graphs. Throws Error, which names the file and
  /// the line.
  Problem (*graph_problem)(const Operation&, const std::string& path) = nullptr;
  /// The same problem with the vertices of its graph renamed (graph_order.hpp). Throws Error on an unknown
  /// order.
  Problem (*in_order)(const Problem&, std::string_view order) = nullptr;
  /// The shape of one of `sizes`; null: the sizes behind the first are left out.
  Shape (*sized)(Index first) = nullptr;
};

/// All suites, in the order in which the commands measure and print them.
std::span<const Suite* const> suites();

/// The parts that are of a backend.
template <class Part>
std::vector<Part> on_backend(const std::vector<Part>& parts, std::string_view backend) {
  std::vector<Part> own;
  for (const Part& part : parts)
    if (part.backend == backend) own.push_back(part);
  return own;
}

/// Whether a suite has the part that a command needs.
using SuitePredicate = bool (*)(const Suite&);
inline constexpr SuitePredicate has_sizes = [](const Suite& suite) { return !suite.sizes.quick.empty(); };
inline constexpr SuitePredicate has_steps = [](const Suite& suite) { return !suite.steps.empty(); };
inline constexpr SuitePredicate has_peers = [](const Suite& suite) { return !suite.peers.empty(); };
inline constexpr SuitePredicate has_errors = [](const Suite& suite) { return !suite.errors.empty(); };
inline constexpr SuitePredicate has_graph = [](const Suite& suite) { return suite.graph_problem != nullptr; };

/// The operations that have the part, in order.
std::vector<std::string_view> operations_with(SuitePredicate);

/// The suites of these operations, or all that have the part when none is named. Throws Error with the
/// nearest name; `what` describes the operations in its message: "operation with steps".
std::vector<const Suite*> find_suites(std::span<const std::string> operations, SuitePredicate,
                                      std::string_view what);

/// The cases of a comparison at `scale`; at smoke one case of each kind.
std::vector<PeerCase> cases_at(const PeerComparison&, Scale scale);

/// The variants of a comparison, its own first.
std::vector<const Variant*> compared_variants(const Operation&, const PeerComparison&);

}  // namespace tallcache
