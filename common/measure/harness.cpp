#include "common/measure/harness.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "common/ceil_div.hpp"
#include "common/fork/work_span.hpp"
#include "common/in_parts.hpp"
#include "common/key_inputs.hpp"
#include "common/measure/host_memory.hpp"
#include "common/random.hpp"

namespace tallcache {
namespace {

// Position-dependent, so that swapped values show; one multiply a word.
std::uint64_t fingerprint_of_part(std::span<const std::byte> bytes) {
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

// Of the fingerprints of the parts, in order, so that 12.8 GB take less than a second.
std::uint64_t fingerprint(std::span<const std::byte> bytes) {
  constexpr Index grain = Index{1} << 20;
  const auto size = static_cast<Index>(bytes.size());
  std::vector<std::uint64_t> parts(ceil_div(size, grain));
  in_parts(size, grain, [&](Index begin, Index end) {
    parts[begin / grain] = fingerprint_of_part(bytes.subspan(begin, end - begin));
  });
  return fingerprint_of_part(std::as_bytes(std::span(parts)));
}

std::size_t bytes_of(std::span<const BufferSpec> specs) {
  std::size_t total = 0;
  for (const BufferSpec& spec : specs) total = checked_sum(total, spec.bytes, "problem");
  return total;
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
  if (!problem_.own_inputs) require_input(operation, problem_.input);
  const auto specs = operation.buffers(problem_.shape);
  require_memory(bytes_of(specs), std::string(operation.name) + " " + to_string(operation, problem_.shape));
  for (const BufferSpec& spec : specs) {
    Buffer& buffer = buffers_.emplace_back();
    buffer.spec = spec;
    in_place_ = in_place_ || spec.role == Role::inout;
    buffer.host = allocate_host_memory(spec.bytes, problem_.pages);
    if (!executor_.shares_host_memory()) buffer.device = executor_.allocate(spec.bytes);
  }
  if (executor_.shares_host_memory()) executor_.touch_first(operation, problem_.shape, pointers(true));
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
  error_class_ = candidate.variant->error_class;
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
  // The phases of one run belong together: a variant runs them all before the next run starts, but for those
  // that last.
  const int batch = repeats_last_phase(variant.phases) ? times : 1;
  for (int done = 0; done < times; done += batch)
    for (std::size_t p = 0; p < variant.phases.size(); ++p)
      seconds[p] += (variant.phases[p].lasts ? batch * seconds_of(p, 1) : seconds_of(p, batch)) / times;
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
  // The reference can take a minute: outputs of the bytes that passed are not held against it again.
  std::vector<std::uint64_t> bytes{static_cast<std::uint64_t>(error_class_)};
  for (const std::span<const std::byte> output : outputs()) bytes.push_back(fingerprint(output));
  if (bytes == passed_) return {};
  ArgsStorage args;
  problem_.operation->bind(problem_.shape, pointers(true), {}, args);
  const Check result =
      problem_.operation->check(problem_.shape, problem_.input, problem_.seed, args.bytes, error_class_);
  if (result) passed_ = std::move(bytes);
  return result;
}

std::vector<std::span<const std::byte>> Workspace::outputs() const {
  std::vector<std::span<const std::byte>> result;
  for (const Buffer& buffer : buffers_)
    if (buffer.spec.role != Role::input) result.push_back(buffer.host->bytes());
  return result;
}

void Workspace::prepare(const Candidate& candidate, Planning planning) {
  if (const auto prepare = candidate.variant->prepare) prepare(problem_.shape, candidate.threads, planning);
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

}  // namespace tallcache
