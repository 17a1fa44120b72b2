// The variants that a command line selects.
#pragma once

#include <oneapi/tbb/global_control.h>

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/fork/parallel.hpp"
#include "common/measure/harness.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace tallcache {

/// The variants of `operation` that are named, or all of them when none is, on `backend`; each with those of
/// the given parameters ("base=32") that it has, the CPU's on `threads` threads. When none is named and there
/// are several threads, only those of the CPU that run on several. Throws Error, with the nearest, on an
/// unknown variant and on a parameter that none of them has. Without a backend a name is the CPU's variant,
/// and the GPU's when the CPU has none of that name.
std::vector<Candidate> candidates(const Operation& operation, std::span<const std::string> names,
                                  std::span<const std::string> params, int threads = 1,
                                  std::string_view backend = {});

/// measure() of candidates of any backend, each backend's interleaved among themselves on an executor of its
/// own, the GPU's on device number `device`. What keeps the GPU's from running (no device, too little memory
/// there) is their `problem`; it keeps no result of the CPU's away.
std::vector<Measurement> measure_each(const Problem&, std::span<const Candidate>, const Protocol&,
                                      int device = 0,
                                      const std::function<void(std::span<const Measurement>)>& progress = {});

/// Below this time of a run, in seconds, graphs are measured, too. Starting a kernel takes the host 2 to 5 us
/// and a variant has up to ten of them, so that a run's kernels are waited for in longer runs alone.
inline constexpr double graphs_below_s = 50e-6;

/// The second runs of a small problem: of those that were measured on a device, all once more as graphs when
/// the fastest of them takes less than graphs_below_s; otherwise none.
std::vector<Candidate> graphs_of(std::span<const Measurement>);

/// The options that select a problem and its variants: OPERATION [VARIANT...] --shape ... --param ...
struct ProblemOptions {
  std::string operation = "matmul", element, shape, input, order;
  std::vector<std::string> variants, params;
  std::uint64_t seed = 1;
  /// Without a shape: the least of the operation's bench_shapes(), not the one in the middle.
  bool smallest_shape = false;
};

/// What --input takes.
extern const char* const input_help;

/// The two options that a command may treat differently.
struct ProblemFlags {
  CLI::Option *shape, *input;
};

/// Adds them to a command; `when_none` says which variants run when none is named.
ProblemFlags add_problem(CLI::App& command, ProblemOptions& options, const std::string& when_none);

/// The problem that they name, of `operation` where it is known. Throws Error on unknown names and sizes.
Problem problem_of(const ProblemOptions& options);
Problem problem_of(const Operation& operation, const ProblemOptions& options);
/// The problem with its vertices in an order of graph_order.hpp, or in the one that --order names, if any.
/// Throws Error where the operation has no graph.
Problem in_order(const Problem& problem, std::string_view order);
Problem in_order(const Problem& problem, const ProblemOptions& options);

/// Adds --huge-pages, which puts a problem's arrays on pages of 2 MiB. Throws Error where the system
/// gives none.
void add_huge_pages(CLI::App& command, Pages& pages);

/// Adds --fork to a command.
void add_fork(CLI::App& command, ForkPolicy& fork);

/// Of any machine; require_threads() knows how many this one has.
inline constexpr int most_threads = 1 << 20;

/// What --threads, --no-pinning and --fork ask for.
struct ThreadOptions {
  int count = 1;
  bool no_pinning = false;
  ForkPolicy fork = default_fork_policy;
};

/// Adds --threads, --no-pinning and --fork to a command.
void add_threads(CLI::App& command, ThreadOptions& options);

/// Holds oneTBB to the threads that are asked for, pinned or not, as long as it lives, and sets the fork
/// policy. Throws Error as require_threads does.
class Threads {
 public:
  explicit Threads(const ThreadOptions& options);

 private:
  tbb::global_control control_;
};

}  // namespace tallcache
