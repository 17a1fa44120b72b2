// The harness: verifies variants and times them, interleaved, on one problem. Tests, benchmarks and the
// program share it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/fork/policy.hpp"
#include "common/fork/work_span.hpp"
#include "common/measure/device_counts.hpp"
#include "common/measure/executor.hpp"
#include "common/measure/statistics.hpp"
#include "common/variant.hpp"

namespace tallcache {

/// One problem: an operation, its sizes, and the input data of `seed`.
struct Problem {
  const Operation* operation;
  Shape shape;
  std::string_view input;  ///< empty: the operation's first
  std::uint64_t seed = 1;
  /// Inputs of the user's own in place of the seeded ones, put where Operation::fill puts them; `input` is
  /// their name.
  std::function<void(std::span<std::byte* const>)> own_inputs{};
  Pages pages = Pages::ordinary;  ///< on which its arrays lie in the host's memory
};

/// How the work of a run is started on a device: kernel by kernel, or as one graph that was captured
/// before the time. A small problem takes a kernel less time than the host needs to start it: the graph
/// shows the kernels.
enum class LaunchMode { plain, graph };

/// A run on a problem: a variant with its parameters and threads.
struct Candidate {
  const Variant* variant;
  Params params{};
  int threads = 1;
  LaunchMode launch = LaunchMode::plain;
  std::optional<ForkPolicy> fork{};  ///< without one: the policy that is set
};

/// The bytes that a problem's arguments need, in all.
std::size_t problem_bytes(const Problem&);
/// The bytes of a candidate's scratch.
std::size_t scratch_bytes(const Problem&, const Candidate&);

/// The buffers of one problem in the memory of one executor.
class Workspace {
 public:
  /// Throws Error when the shape is impossible or the memory is too little.
  Workspace(Problem problem, Executor& executor);

  const Problem& problem() const { return problem_; }

  /// Makes what lasts from run to run, outside every time: a library chooses its kernels and its plan
  /// (Variant::prepare); where the executor has streams, the candidate runs once by plain launches, so
  /// that the device has loaded its code and its library has made a handle.
  void prepare(const Candidate&, Planning planning = Planning::quick);

  /// Captures the graphs of a candidate that runs as such; they last until scratch of another size is needed.
  /// run() does it when it has to, but between a flush of the caches and the run that would leave the device
  /// idle. Throws Error as Executor::capture does.
  void capture(const Candidate&);

  /// Poisons the outputs, runs the candidate once and checks its outputs, its inputs and the guard bands. The
  /// seconds of that run, by phase, go to `seconds`.
  Check verify(const Candidate&, std::vector<double>* seconds = nullptr);

  /// Runs the candidate `times` times; seconds per run of each phase, NaN for one that is not timed. Of an
  /// operation in place only the first run finds the inputs as they were made.
  std::vector<double> run(const Candidate&, int times = 1);

  /// Work and span of one run of the candidate from fresh inputs, its scratch that of `options.width` blocks;
  /// check() may follow. Throws Error when it is a library.
  Profile profile(const Candidate&, CostUnit, const ProfileOptions& options);

  /// Checks the outputs as the last run left them, against the bound of its variant's error class. Not for an
  /// operation that works in place.
  Check check();

  /// The bytes of each output (an operation in place: of what it changed) as the last check saw them.
  std::vector<std::span<const std::byte>> outputs() const;

  /// Whether the operation changes its inputs.
  bool in_place() const { return in_place_; }
  /// The inputs that an operation in place has changed, as they were made.
  void renew_inputs();

  void flush_caches() { executor_.flush_caches(); }
  void poison_outputs();

 private:
  struct Buffer {
    BufferSpec spec;
    std::unique_ptr<Memory> host, device;  // device stays empty when the executor shares the host's memory
    std::vector<std::byte> original;       // of an input that the operation changes, once it is to be renewed
    std::uint64_t fingerprint = 0;
    Memory& memory() const { return device ? *device : *host; }
  };

  void refill();
  void bind(const Candidate&, ArgsStorage&);
  std::vector<std::byte*> pointers(bool host) const;

  Problem problem_;
  Executor& executor_;
  bool in_place_ = false;
  ErrorClass error_class_ = ErrorClass::standard;  ///< of the last run's variant
  std::vector<Buffer> buffers_;
  std::vector<std::uint64_t> passed_;  ///< the error class and the fingerprints of outputs that passed
  std::unique_ptr<Memory>& scratch_of(const Candidate& candidate) {
    return scratch_[candidate.variant->scratch_pages == Pages::huge];
  }
  std::array<std::unique_ptr<Memory>, 2> scratch_;  ///< in ordinary pages, in huge ones

  struct Captured {
    const Variant* variant;
    Params params;
    int threads;
    std::vector<std::unique_ptr<Graph>> phases;
  };
  const Captured& captured(const Candidate&, const void* args, const Params&);
  std::vector<Captured> captured_;  ///< with the buffers and the scratch as they are now
};

/// The reason against a run of the candidate, before any: unavailable or unsupported; else pending.
Outcome before_running(const Problem&, const Candidate&);

/// How long to measure. Every candidate runs once a round, in the order given, until all of these hold.
struct Protocol {
  int min_rounds = 5;
  int max_rounds = 25;
  double seconds = 1.0;  ///< per candidate: no new round once the candidates have used this much each
  int warm_up = 0;       ///< rounds before these, which are not timed
  bool cold = false;     ///< flush the caches before each run
  Planning planning = Planning::quick;
  /// What a device's counters count of one more run, after the timed ones: DeviceCount::quantity.
  std::span<const std::string_view> counts{};
  /// After the timed runs each candidate runs so long again, in one piece, for its energy; 0: it does not.
  double energy_seconds = 0;
};

struct Measurement {
  Candidate candidate;
  /// Pending with samples: timed so far, and not yet verified again.
  Outcome outcome{};
  std::vector<double> samples_s{};  ///< seconds of a run, one a round, in the order of the rounds
  std::vector<std::pair<std::string, double>>
      phases{};                       ///< medians in seconds, for variants of several timed phases
  std::vector<DeviceCount> counts{};  ///< with its energy, where that was asked for

  bool timed() const { return !samples_s.empty(); }
  /// Median and median absolute deviation of the samples; NaN when there are none.
  double median_s() const;
  double mad_s() const;
};

/// Prepares and verifies each candidate, times those that are right in interleaved rounds, and verifies the
/// last outputs again. A candidate that is wrong, before or after, has no samples. Where a run takes longer
/// than `protocol.seconds`, the two verified runs are samples too, so that a product of minutes is run no
/// more often than necessary. `progress` is called after each round with the current measurements.
std::vector<Measurement> measure(Workspace&, std::span<const Candidate>, const Protocol&,
                                 const std::function<void(std::span<const Measurement>)>& progress = {});

}  // namespace tallcache
