// Suite: what is measured of one operation, as data: the sizes that `compare` runs over, the steps of its
// fastest variants' design, the peers that these are held against and on which shapes and inputs. One file an
// operation, listed in suites.cpp; the commands enumerate the list and know no operation by its name.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/program/scale.hpp"
#include "bench/report/absent.hpp"
#include "common/measure/harness.hpp"

namespace tallcache {

/// What an operation is compared on: its first size, the others as they follow from it.
struct SizeSweep {
  std::string_view element;  ///< unless another is asked for
  std::vector<Index> smoke, quick, full;

  const std::vector<Index>& at(Scale scale) const {
    return scale == Scale::smoke ? smoke : scale == Scale::full ? full : quick;
  }
};

/// `bytes`: what the step moves between the caches and memory for each unit of the result when nothing but
/// what its text reuses at once stays in a cache; NaN where arithmetic, not memory, is what is counted.
struct Step {
  std::string_view label, variant;
  Params params{};
  double bytes = absent;
  bool all_cores = false;
  bool peer = false;  ///< held against, not built on
};

/// From the textbook's text to the fastest variant.
struct OptimizationSteps {
  std::string_view element, unit;
  double least_bytes;      ///< that a unit must move: its share of the inputs and outputs; NaN as in Step
  std::string_view limit;  ///< what the machine's limit is called: "the FMA peak"
  Shape shape, smoke;
  std::vector<Step> steps;
  std::string_view backend = "cpu";
  bool cold = false;  ///< caches are flushed before each run
};

struct PeerCase {
  Shape shape;
  std::string_view input{};  ///< empty: the operation's first
  Params params{};           ///< of the variant; the peers have theirs by default
  bool all_cores = false;
  Scale from = Scale::quick;  ///< the least scale that it belongs to
  std::string_view group{};   ///< printed as one line: its worst case and its mean
};

/// What a variant's speed is a share of.
struct SpeedShare {
  enum class Of {
    limit,        ///< the machine's: multiply-adds or bandwidth
    reference,    ///< another operation of the same shape, measured next
    first_input,  ///< its own on the operation's first kind of input
  };
  Of of;
  std::string_view title;  ///< of its column: "of the FMA peak"
  /// Of `reference`: an operation that has the sizes of this one, and its variant.
  std::string_view operation{}, variant{};
};
std::string_view to_string(SpeedShare::Of);

/// A variant and those that it is held against: every peer that the catalogue has of the operation on this
/// backend, but for `without`, and then `beside`.
struct PeerComparison {
  std::string_view element, variant;
  SpeedShare share;
  std::vector<std::string_view> without{};  ///< peers that another one is always ahead of, or too slow here
  std::vector<std::string_view> beside{};   ///< variants of the suite's own
  std::string_view baseline{};              ///< of those in `beside`, the one with a column of its own
  Shape smoke;                              ///< of every case when it shall only run
  std::vector<PeerCase> cases{};
  std::string_view backend = "cpu";
  bool cold = false;  ///< caches are flushed before each run
};

struct Suite {
  std::string_view operation;
  SizeSweep sizes{};
  std::vector<OptimizationSteps> steps{};
  std::vector<PeerComparison> peers{};
  /// The problem on a graph that a file holds, where the operation works on one. Throws Error, which names
  /// the file and the line.
  Problem (*graph_problem)(const Operation&, const std::string& path) = nullptr;
};

/// In the order in which the commands measure and print them.
std::span<const Suite* const> suites();

/// The parts that are of a backend.
template <class Part>
std::vector<Part> on_backend(const std::vector<Part>& parts, std::string_view backend) {
  std::vector<Part> own;
  for (const Part& part : parts)
    if (part.backend == backend) own.push_back(part);
  return own;
}

/// Whether there is anything for a command in a suite.
using HasPart = bool (*)(const Suite&);
inline constexpr HasPart has_sizes = [](const Suite& suite) { return !suite.sizes.quick.empty(); };
inline constexpr HasPart has_steps = [](const Suite& suite) { return !suite.steps.empty(); };
inline constexpr HasPart has_peers = [](const Suite& suite) { return !suite.peers.empty(); };
inline constexpr HasPart has_graph = [](const Suite& suite) { return suite.graph_problem != nullptr; };

/// The operations that have it, in order.
std::vector<std::string_view> operations_with(HasPart);

/// The suites of these operations, all that have the part when none is named. Throws Error with the nearest
/// name; `what` is what the operation is looked up for: "operation with steps".
std::vector<const Suite*> find_suites(std::span<const std::string> operations, HasPart,
                                      std::string_view what);

/// The cases of a comparison at `scale`; at smoke one of each kind.
std::vector<PeerCase> cases_at(const PeerComparison&, Scale scale);

/// The variants that it holds, its own first.
std::vector<const Variant*> variants_held(const Operation&, const PeerComparison&);

}  // namespace tallcache
