#include "common/harness.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "common/catalogue.hpp"
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

std::string reason_not_to_run(const Problem& problem, const Candidate& candidate) {
  const Variant& variant = *candidate.variant;
  if (std::string reason = variant.unavailable(); !reason.empty()) return reason;
  if (!variant.supports(problem.shape)) return "does not support this shape";
  if (candidate.threads > 1 && !variant.parallel) return "runs on one thread only";
  return {};
}

}  // namespace

std::size_t problem_bytes(const Problem& problem) {
  return bytes_of(problem.operation->buffers(problem.shape));
}

std::size_t scratch_bytes(const Problem& problem, const Candidate& candidate) {
  return candidate.variant->scratch(problem.shape, complete_params(*candidate.variant, candidate.params),
                                    candidate.threads);
}

Workspace::Workspace(Problem problem, Executor& executor)
    : problem_(std::move(problem)), executor_(executor), host_(make_host_executor()) {
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
    buffer.host = host_->allocate(spec.bytes, problem_.pages);
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

// From a copy: making the inputs again costs 10 to 80 ns an element.
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
  std::vector<double> seconds(variant.phases.size(), 0);
  // The phases of one run belong together: a variant of several runs them all before the next run starts.
  const int batch = variant.phases.size() == 1 ? times : 1;
  for (int done = 0; done < times; done += batch)
    for (std::size_t p = 0; p < variant.phases.size(); ++p)
      seconds[p] += executor_.seconds(variant.entries[p], args.bytes, params, launch, batch) / times;
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

Check Workspace::verify(const Candidate& candidate, std::vector<double>* seconds) {
  renew_inputs();
  poison_outputs();
  // Scratch of exactly this candidate's size, so that its guard band stands right behind it, and poisoned, so
  // that relying on zeroed memory shows.
  std::unique_ptr<Memory>& scratch = scratch_of(candidate);
  scratch.reset();
  ArgsStorage args;
  bind(candidate, args);
  executor_.fill(*scratch, 0xa5);
  auto elapsed = run(candidate);
  if (seconds) *seconds = std::move(elapsed);
  return check();
}

double median(std::vector<double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto middle = values.begin() + values.size() / 2;
  std::ranges::nth_element(values, middle);
  if (values.size() % 2) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

double median_absolute_deviation(const std::vector<double>& values) {
  const double center = median(values);
  std::vector<double> deviations;
  for (double value : values) deviations.push_back(std::abs(value - center));
  return median(std::move(deviations));
}

std::vector<Measurement> measure(Workspace& workspace, std::span<const Candidate> candidates,
                                 const Protocol& protocol,
                                 const std::function<void(std::span<const Measurement>)>& progress) {
  struct Samples {
    std::vector<double> total;
    std::vector<std::vector<double>> phases;
    int times = 1;      // runs a sample
    bool slow = false;  // the verified runs are samples

    double add(const std::vector<double>& seconds) {
      double sum = 0;
      phases.resize(seconds.size());
      for (std::size_t p = 0; p < seconds.size(); ++p) {
        phases[p].push_back(seconds[p]);
        if (!std::isnan(seconds[p])) sum += seconds[p];
      }
      total.push_back(sum);
      return sum;
    }
  };
  std::vector<Measurement> results;
  std::vector<Samples> samples(candidates.size());

  const auto summarise = [&](std::size_t c) {
    const Variant& variant = *candidates[c].variant;
    results[c].repetitions = static_cast<int>(samples[c].total.size());
    results[c].median_s = median(samples[c].total);
    results[c].mad_s = median_absolute_deviation(samples[c].total);
    results[c].phases.clear();
    if (std::ranges::count_if(variant.phases, &PhaseSpec::timed) > 1)
      for (std::size_t p = 0; p < variant.phases.size(); ++p)
        if (variant.phases[p].timed)
          results[c].phases.emplace_back(variant.phases[p].name, median(samples[c].phases[p]));
  };
  // One verified run; its time is a sample when the variant is slow.
  const auto verify = [&](std::size_t c) {
    std::vector<double> seconds;
    if (const Check check = workspace.verify(candidates[c], &seconds); !check)
      throw Error("wrong result: " + check.message());
    const double total = samples[c].add(seconds);
    samples[c].slow = samples[c].slow || total > protocol.seconds;
    if (samples[c].slow)
      summarise(c);
    else
      samples[c] = {.times = samples[c].times};
  };

  for (const Candidate& candidate : candidates) results.push_back({.candidate = candidate});
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    try {
      results[c].problem = reason_not_to_run(workspace.problem(), candidates[c]);
      if (!results[c].problem.empty()) continue;
      verify(c);
      results[c].verified = true;
    } catch (const Error& error) {
      results[c].problem = error.what();
    }
    if (progress && samples[c].slow) progress(results);
  }

  double used = 0, last_round = 0;
  const auto active = std::ranges::count_if(results, &Measurement::verified);
  for (int round = 0; active && round < protocol.most_rounds; ++round) {
    // The first rounds are owed; a further one starts only when there is time for it.
    if (round >= protocol.least_rounds && used + last_round > protocol.seconds * active) break;
    last_round = 0;
    for (std::size_t c = 0; c < candidates.size(); ++c) {
      // A slow variant's two verified runs are two of its samples.
      if (!results[c].verified || (samples[c].slow && round + 2 >= protocol.least_rounds)) continue;
      try {
        workspace.renew_inputs();
        if (protocol.cold) workspace.flush_caches();
        // A run too short for the clock is repeated until a sample takes a millisecond, unless a cold cache,
        // an untimed preparation or inputs that it changes forbid it.
        const bool repeatable = !protocol.cold && !samples[c].slow && !workspace.in_place() &&
                                candidates[c].variant->phases.size() == 1;
        if (round == 0 && repeatable) {
          const double once = workspace.run(candidates[c])[0];
          if (once < 1e-3)
            samples[c].times = static_cast<int>(std::clamp(1e-3 / std::max(once, 1e-9), 1.0, 1e5));
        }
        last_round += samples[c].add(workspace.run(candidates[c], samples[c].times)) * samples[c].times;
        summarise(c);
      } catch (const Error& error) {
        results[c] = {.candidate = candidates[c], .problem = error.what()};
      }
    }
    used += last_round;
    if (progress) progress(results);
  }

  for (std::size_t c = 0; c < candidates.size(); ++c) {
    if (!results[c].verified) continue;
    const Samples before = samples[c];
    try {
      verify(c);
      if (!before.slow) samples[c] = before;
    } catch (const Error& error) {
      results[c] = {.candidate = candidates[c], .problem = std::string(error.what()) + " (after timing)"};
    }
  }
  return results;
}

}  // namespace tallcache
