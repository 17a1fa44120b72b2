// The rounds in which candidates are verified and timed, interleaved.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <thread>

#include "common/measure/harness.hpp"

namespace tallcache {

double Measurement::median_s() const { return median(samples_s); }
double Measurement::mad_s() const { return median_absolute_deviation(samples_s); }

namespace {

void require_ok(const Check& check, std::string_view when) {
  if (!check)
    throw Error(std::string("wrong result") + std::string(when) + ": " + check.message(), Status::wrong);
}

// One call of measure(): the candidates' samples, and when there are enough of them.
class Rounds {
 public:
  using Listener = std::function<void(std::span<const Measurement>)>;

  Rounds(Workspace& workspace, std::span<const Candidate> candidates, const Protocol& protocol,
         const Listener& progress)
      : workspace_(workspace), protocol_(protocol), progress_(progress) {
    for (const Candidate& candidate : candidates) {
      results_.push_back({.candidate = candidate});
      runs_.emplace_back();
    }
  }

  std::vector<Measurement> measure() {
    for (std::size_t c = 0; c < runs_.size(); ++c) {
      verify_before(c);
      if (progress_ && runs_[c].slow) progress_(results_);
    }
    for (int round = 0; round < protocol_.warm_up; ++round)
      for (std::size_t c = 0; c < runs_.size(); ++c)
        if (runs_[c].active) warm_up(c);
    double used = 0, last_round = 0;
    const auto active = std::ranges::count_if(runs_, &Run::active);
    for (int round = 0; active && round < protocol_.max_rounds; ++round) {
      // The first rounds are owed; a further one starts only when there is time for it.
      if (round >= protocol_.min_rounds && used + last_round > protocol_.seconds * active) break;
      last_round = 0;
      for (std::size_t c = 0; c < runs_.size(); ++c)
        // A slow variant's two verified runs are two of its samples.
        if (runs_[c].active && !(runs_[c].slow && round + 2 >= protocol_.min_rounds))
          last_round += sample(c, round == 0);
      used += last_round;
      if (progress_) progress_(results_);
    }
    for (std::size_t c = 0; c < runs_.size(); ++c)
      if (runs_[c].active) verify_after(c);
    return std::move(results_);
  }

 private:
  struct Run {
    std::vector<std::vector<double>> phases;  // seconds of each, one a sample
    int times = 1;                            // runs a sample
    bool slow = false;                        // the verified runs are samples
    bool active = false;                      // right when it was verified
  };

  using Clock = std::chrono::steady_clock;

  // The threads of a peer, or the suite's under a fork policy.
  struct Pool {
    const Variant* peer;
    std::optional<ForkPolicy> fork;
    bool operator==(const Pool&) const = default;
  };

  // What `work` throws ends the measurement of candidate c.
  template <class Work>
  void guarded(std::size_t c, Work&& work) {
    try {
      work();
    } catch (const Error& error) {
      results_[c] = {.candidate = results_[c].candidate, .outcome = {error.status(), error.what()}};
      runs_[c].active = false;
    }
  }

  double add(std::size_t c, const std::vector<double>& seconds) {
    Run& run = runs_[c];
    Measurement& result = results_[c];
    double sum = 0;
    run.phases.resize(seconds.size());
    for (std::size_t p = 0; p < seconds.size(); ++p) {
      run.phases[p].push_back(seconds[p]);
      if (!std::isnan(seconds[p])) sum += seconds[p];
    }
    result.samples_s.push_back(sum);
    result.phases.clear();
    const std::span<const PhaseSpec> specs = result.candidate.variant->phases;
    if (std::ranges::count_if(specs, &PhaseSpec::timed) > 1)
      for (std::size_t p = 0; p < specs.size(); ++p)
        if (specs[p].timed) result.phases.emplace_back(specs[p].name, median(run.phases[p]));
    return sum;
  }

  // The seconds of one verified run.
  std::vector<double> verify(std::size_t c, std::string_view when) {
    std::vector<double> seconds;
    require_ok(workspace_.verify(results_[c].candidate, &seconds), when);
    return seconds;
  }

  void verify_before(std::size_t c) {
    results_[c].outcome = before_running(workspace_.problem(), results_[c].candidate);
    if (results_[c].outcome.status != Status::pending) return;
    runs_[c].active = true;
    guarded(c, [&] {
      workspace_.prepare(results_[c].candidate, protocol_.planning);
      runs_[c].slow = add(c, verify(c, "")) > protocol_.seconds;
      if (!runs_[c].slow) forget(c);
    });
  }

  void verify_after(std::size_t c) {
    guarded(c, [&] {
      const std::vector<double> seconds = verify(c, " (after timing)");
      if (runs_[c].slow) add(c, seconds);
      results_[c].outcome.status = Status::measured;
    });
  }

  // Drops the samples: a first run pays for its memory's first touch.
  void forget(std::size_t c) {
    runs_[c].phases.clear();
    results_[c].samples_s.clear();
    results_[c].phases.clear();
  }

  // A run too short for the clock is repeated until a sample takes a millisecond, unless a cold cache, an
  // untimed preparation or inputs that it changes forbid it.
  int times_of(std::size_t c) {
    const Candidate& candidate = results_[c].candidate;
    if (protocol_.cold || runs_[c].slow || workspace_.in_place() ||
        !repeats_last_phase(candidate.variant->phases))
      return 1;
    const double once = workspace_.run(candidate).back();
    return once < 1e-3 ? static_cast<int>(std::clamp(1e-3 / std::max(once, 1e-9), 1.0, 1e5)) : 1;
  }

  // A pool of threads spins for a while after a run, and would take processors from the next candidate's if
  // that has another. OpenBLAS's spin longest, for 2^26 cycles. The suite's variants share one, which spins
  // for less than a millisecond. Where only its fork policy changes this thread stays awake, as a single run
  // may follow.
  void let_others_sleep(std::size_t c) {
    constexpr std::chrono::milliseconds longest{30}, ours{1};
    const Candidate& candidate = results_[c].candidate;
    if (candidate.threads == 1) return;
    const Pool pool{candidate.variant->peer ? candidate.variant : nullptr, candidate.fork};
    if (awake_ && *awake_ != pool) {
      if (awake_->peer || pool.peer)
        std::this_thread::sleep_for(longest);
      else
        for (const auto end = Clock::now() + ours; Clock::now() < end;) continue;
      if (wakes_its_own(c)) workspace_.run(candidate);
    }
    awake_ = pool;
  }

  // Another run than those of the sample, where it is short and finds the same inputs.
  bool wakes_its_own(std::size_t c) const {
    constexpr double longest = 1e-2;
    const std::vector<double>& samples = results_[c].samples_s;
    return !protocol_.cold && !workspace_.in_place() && (samples.empty() || samples.back() < longest);
  }

  void warm_up(std::size_t c) {
    guarded(c, [&] {
      workspace_.renew_inputs();
      workspace_.run(results_[c].candidate);
    });
  }

  // Adds one sample; the seconds that it took, 0 when it failed.
  double sample(std::size_t c, bool first) {
    double seconds = 0;
    guarded(c, [&] {
      workspace_.renew_inputs();
      workspace_.capture(results_[c].candidate);
      if (protocol_.cold) workspace_.flush_caches();
      if (first) runs_[c].times = times_of(c);
      let_others_sleep(c);
      seconds = add(c, workspace_.run(results_[c].candidate, runs_[c].times)) * runs_[c].times;
    });
    return seconds;
  }

  Workspace& workspace_;
  const Protocol& protocol_;
  const Listener& progress_;
  std::vector<Measurement> results_;
  std::vector<Run> runs_;
  std::optional<Pool> awake_;  // whose threads ran last
};

}  // namespace

std::vector<Measurement> measure(Workspace& workspace, std::span<const Candidate> candidates,
                                 const Protocol& protocol,
                                 const std::function<void(std::span<const Measurement>)>& progress) {
  return Rounds(workspace, candidates, protocol, progress).measure();
}

}  // namespace tallcache
