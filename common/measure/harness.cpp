#include "common/measure/harness.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "common/catalogue.hpp"
#include "common/fork/work_span.hpp"
#include "common/measure/host_memory.hpp"
#include "common/random.hpp"

namespace tallcache {
namespace {

// Position-dependent, so that swapped values show; one multiply a word, so that 12.8 GB take seconds.
std::uint64_t fingerprint(std::span<const std::byte> bytes) {
  std::uint64_t hash = bytes.size();
  std::size_t i = 0;
  for (std::uint64_t word; i + sizeof word <= bytes.size(); i += sizeof word) {
    std::memcpy(&word, bytes.data() + i, sizeof word);
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  }
  for (; i < bytes.size(); ++i) hash = (hash ^ static_cast<std::uint64_t>(bytes[i])) * 0x9e3779b97f4a7c15u;
  return hash;
}

std::size_t bytes_of(std::span<const BufferSpec> specs) {
  std::size_t total = 0;
  for (const BufferSpec& spec : specs) total = checked_sum(total, spec.bytes, "problem");
  return total;
}

void require_ok(const Check& check, std::string_view when) {
  if (!check)
    throw Error(std::string("wrong result") + std::string(when) + ": " + check.message(), Status::wrong);
}

/// Sets a candidate's fork policy for its run.
class PolicyOf {
 public:
  explicit PolicyOf(const Candidate& candidate) { set_fork_policy(candidate.fork.value_or(before_)); }
  ~PolicyOf() { set_fork_policy(before_); }
  PolicyOf(const PolicyOf&) = delete;
  PolicyOf& operator=(const PolicyOf&) = delete;

 private:
  const ForkPolicy before_ = fork_policy();
};

// What a profiler calls a run: "transpose any_shape float m=8,n=8".
std::string name_of_run(const Problem& problem, const Candidate& candidate) {
  const Operation& operation = *problem.operation;
  return fmt::format("{} {} {} {}{}", operation.name, candidate.variant->name, operation.element,
                     to_string(operation, problem.shape),
                     candidate.launch == LaunchMode::graph ? ", graph" : "");
}

}  // namespace

Outcome before_running(const Problem& problem, const Candidate& candidate) {
  const Variant& variant = *candidate.variant;
  if (std::string reason = variant.unavailable(); !reason.empty())
    return {Status::unavailable, std::move(reason)};
  if (!variant.supports(problem.shape)) return {Status::unsupported, "does not support this shape"};
  if (candidate.threads > 1 && !variant.parallel) return {Status::unsupported, "runs on one thread only"};
  return {};
}

std::size_t problem_bytes(const Problem& problem) {
  return bytes_of(problem.operation->buffers(problem.shape));
}

std::size_t scratch_bytes(const Problem& problem, const Candidate& candidate) {
  return candidate.variant->scratch(problem.shape, complete_params(*candidate.variant, candidate.params),
                                    candidate.threads);
}

Workspace::Workspace(Problem problem, Executor& executor)
    : problem_(std::move(problem)), executor_(executor) {
  const Operation& operation = *problem_.operation;
  problem_.shape = complete_shape(operation, problem_.shape);
  if (problem_.input.empty()) problem_.input = operation.inputs.front();
  if (!problem_.own_inputs && std::ranges::find(operation.inputs, problem_.input) == operation.inputs.end())
    throw Error(unknown_name("input", problem_.input, operation.inputs));
  const auto specs = operation.buffers(problem_.shape);
  require_memory(bytes_of(specs), std::string(operation.name) + " " + to_string(operation, problem_.shape));
  for (const BufferSpec& spec : specs) {
    Buffer& buffer = buffers_.emplace_back();
    buffer.spec = spec;
    in_place_ = in_place_ || spec.role == Role::inout;
    buffer.host = allocate_host_memory(spec.bytes, problem_.pages);
    if (!executor_.shares_host_memory()) buffer.device = executor_.allocate(spec.bytes);
  }
  refill();
  poison_outputs();
}

std::vector<std::byte*> Workspace::pointers(bool host) const {
  std::vector<std::byte*> result;
  for (const Buffer& buffer : buffers_)
    result.push_back((host ? *buffer.host : buffer.memory()).bytes().data());
  return result;
}

void Workspace::refill() {
  if (problem_.own_inputs)
    problem_.own_inputs(pointers(true));
  else
    problem_.operation->fill(problem_.shape, problem_.input, problem_.seed, pointers(true));
  for (Buffer& buffer : buffers_) {
    if (buffer.spec.role == Role::output) continue;
    buffer.original.clear();
    buffer.fingerprint = fingerprint(buffer.host->bytes());
    if (buffer.device) executor_.upload(*buffer.device, buffer.host->bytes());
  }
}

// From a copy: making random inputs again costs more than most runs.
void Workspace::renew_inputs() {
  if (!in_place_) return;
  const auto copied = [](const Buffer& buffer) {
    return buffer.spec.role != Role::inout || !buffer.original.empty();
  };
  if (!std::ranges::all_of(buffers_, copied)) {
    refill();
    for (Buffer& buffer : buffers_)
      if (!copied(buffer) && buffer.spec.bytes <= available_memory())
        buffer.original.assign(buffer.host->bytes().begin(), buffer.host->bytes().end());
    return;
  }
  for (Buffer& buffer : buffers_)
    if (buffer.spec.role == Role::inout) executor_.upload(buffer.memory(), buffer.original);
}

void Workspace::poison_outputs() {
  for (Buffer& buffer : buffers_)
    if (buffer.spec.role == Role::output) executor_.fill(buffer.memory(), buffer.spec.poison);
}

void Workspace::bind(const Candidate& candidate, ArgsStorage& storage) {
  const std::size_t bytes = scratch_bytes(problem_, candidate);
  std::unique_ptr<Memory>& scratch = scratch_of(candidate);
  if (!scratch || scratch->bytes().size() < bytes) {
    captured_.clear();
    scratch.reset();
    if (executor_.shares_host_memory())
      require_memory(bytes, "the scratch of " + std::string(candidate.variant->name));
    scratch = executor_.allocate(bytes, candidate.variant->scratch_pages);
  }
  problem_.operation->bind(problem_.shape, pointers(false), scratch->bytes().first(bytes), storage);
}

std::vector<double> Workspace::run(const Candidate& candidate, int times) {
  const Variant& variant = *candidate.variant;
  ArgsStorage args;
  bind(candidate, args);
  const Params params = complete_params(variant, candidate.params);
  const Launch launch{.threads = candidate.threads};
  const bool graph = candidate.launch == LaunchMode::graph;
  const Captured* const graphs = graph ? &captured(candidate, args.bytes, params) : nullptr;
  const auto seconds_of = [&](std::size_t phase, int batch) {
    return graphs ? graphs->phases[phase]->seconds(batch)
                  : executor_.seconds(variant.entries[phase], args.bytes, params, launch, batch);
  };
  const ProfilerRange range(executor_, name_of_run(problem_, candidate));
  const PolicyOf policy(candidate);
  std::vector<double> seconds(variant.phases.size(), 0);
  // The phases of one run belong together: a variant of several runs them all before the next run starts.
  const int batch = variant.phases.size() == 1 ? times : 1;
  for (int done = 0; done < times; done += batch)
    for (std::size_t p = 0; p < variant.phases.size(); ++p) seconds[p] += seconds_of(p, batch) / times;
  for (std::size_t p = 0; p < variant.phases.size(); ++p)
    if (!variant.phases[p].timed) seconds[p] = std::numeric_limits<double>::quiet_NaN();
  return seconds;
}

Profile Workspace::profile(const Candidate& candidate, CostUnit unit, const ProfileOptions& options) {
  const Variant& variant = *candidate.variant;
  if (!variant.profile) throw Error(std::string(variant.name) + ": a library: not profiled");
  renew_inputs();
  poison_outputs();
  Candidate wide = candidate;
  wide.threads = static_cast<int>(options.width);
  ArgsStorage args;
  bind(wide, args);
  return variant.profile(args.bytes, complete_params(variant, candidate.params), unit, options);
}

Check Workspace::check() {
  for (Buffer& buffer : buffers_) {
    if (buffer.device) executor_.download(buffer.host->bytes(), *buffer.device);
    if (!buffer.memory().guards_intact())
      return Check::wrong("around " + std::string(buffer.spec.name), "untouched memory",
                          "a write out of bounds");
    if (buffer.spec.role == Role::input && fingerprint(buffer.host->bytes()) != buffer.fingerprint) {
      refill();
      return Check::wrong("input " + std::string(buffer.spec.name), "unchanged", "changed");
    }
  }
  for (const auto& scratch : scratch_)
    if (scratch && !scratch->guards_intact())
      return Check::wrong("around the scratch", "untouched memory", "a write out of bounds");
  ArgsStorage args;
  problem_.operation->bind(problem_.shape, pointers(true), {}, args);
  return problem_.operation->check(problem_.shape, problem_.input, problem_.seed, args.bytes);
}

std::vector<std::span<const std::byte>> Workspace::outputs() const {
  std::vector<std::span<const std::byte>> result;
  for (const Buffer& buffer : buffers_)
    if (buffer.spec.role != Role::input) result.push_back(buffer.host->bytes());
  return result;
}

void Workspace::prepare(const Candidate& candidate) {
  if (!executor_.stream()) return;
  Candidate plain = candidate;
  plain.launch = LaunchMode::plain;
  run(plain);
}

const Workspace::Captured& Workspace::captured(const Candidate& candidate, const void* args,
                                               const Params& params) {
  const Variant& variant = *candidate.variant;
  for (const Captured& known : captured_)
    if (known.variant == &variant && known.params == params && known.threads == candidate.threads)
      return known;
  std::vector<std::unique_ptr<Graph>> phases;
  for (const Entry entry : variant.entries)
    phases.push_back(executor_.capture(entry, args, params, {.threads = candidate.threads}));
  return captured_.emplace_back(Captured{&variant, params, candidate.threads, std::move(phases)});
}

void Workspace::capture(const Candidate& candidate) {
  if (candidate.launch != LaunchMode::graph) return;
  ArgsStorage args;
  bind(candidate, args);
  captured(candidate, args.bytes, complete_params(*candidate.variant, candidate.params));
}

Check Workspace::verify(const Candidate& candidate, std::vector<double>* seconds) {
  renew_inputs();
  poison_outputs();
  // Scratch of exactly this candidate's size, so that its guard band stands right behind it, and poisoned, so
  // that relying on zeroed memory shows.
  std::unique_ptr<Memory>& scratch = scratch_of(candidate);
  captured_.clear();
  scratch.reset();
  ArgsStorage args;
  bind(candidate, args);
  executor_.fill(*scratch, 0xa5);
  auto elapsed = run(candidate);
  if (seconds) *seconds = std::move(elapsed);
  return check();
}

double Measurement::median_s() const { return median(samples_s); }
double Measurement::mad_s() const { return median_absolute_deviation(samples_s); }

namespace {

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
      workspace_.prepare(results_[c].candidate);
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
    if (protocol_.cold || runs_[c].slow || workspace_.in_place() || candidate.variant->phases.size() != 1)
      return 1;
    const double once = workspace_.run(candidate)[0];
    return once < 1e-3 ? static_cast<int>(std::clamp(1e-3 / std::max(once, 1e-9), 1.0, 1e5)) : 1;
  }

  // Adds one sample; the seconds that it took, 0 when it failed.
  double sample(std::size_t c, bool first) {
    double seconds = 0;
    guarded(c, [&] {
      workspace_.renew_inputs();
      workspace_.capture(results_[c].candidate);
      if (protocol_.cold) workspace_.flush_caches();
      if (first) runs_[c].times = times_of(c);
      seconds = add(c, workspace_.run(results_[c].candidate, runs_[c].times)) * runs_[c].times;
    });
    return seconds;
  }

  Workspace& workspace_;
  const Protocol& protocol_;
  const Listener& progress_;
  std::vector<Measurement> results_;
  std::vector<Run> runs_;
};

}  // namespace

std::vector<Measurement> measure(Workspace& workspace, std::span<const Candidate> candidates,
                                 const Protocol& protocol,
                                 const std::function<void(std::span<const Measurement>)>& progress) {
  return Rounds(workspace, candidates, protocol, progress).measure();
}

}  // namespace tallcache
