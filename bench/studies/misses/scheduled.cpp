#include "bench/studies/misses/scheduled.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>

#include "bench/measure/interrupt.hpp"
#include "bench/measure/misses.hpp"
#include "bench/measure/stops_trace.hpp"
#include "bench/studies/misses/records.hpp"
#include "common/cache/parallel_misses.hpp"
#include "common/cache/private_caches.hpp"

namespace tallcache {
namespace {

using cache::Strands;

void put_scheduled(Record& record, std::string name, double value, Json at, std::string detail = {},
                   Origin origin = Origin::model) {
  record.quantities.push_back({.name = std::move(name),
                               .unit = "1",
                               .value = value,
                               .origin = origin,
                               .detail = std::move(detail),
                               .at = std::move(at)});
}

/// Runs strands until a signal was noted.
template <class Runner>
class UntilInterrupted : public Runner {
 public:
  using Runner::Runner;
  std::uint64_t run(int processor, cache::StrandNumber strand, std::uint64_t start) override {
    stop_if_interrupted();
    return Runner::run(processor, strand, start);
  }
};

/// What one scheduler does with the strands on caches of every size.
class Scheduled {
 public:
  Scheduled(const Strands& strands, const ScheduledPart& part, cache::Scheduler scheduler, int processors)
      : strands_(strands), part_(part), scheduler_(scheduler), processors_(processors) {}

  /// Calls put(index of the size, counts of the schedule, misses, sharing) for each size; the sharing of
  /// coherent caches.
  template <class Put>
  void each(Put&& put) const {
    if (part_.coherent) {
      UntilInterrupted<cache::KeptSchedule> kept(strands_);
      const auto counts = schedule(strands_, scheduler_, processors_, part_.seed, kept);
      for (std::size_t i = 0; i < part_.sizes.size(); ++i) {
        const auto sharing =
            coherent_misses(strands_, kept.placed(), processors_, part_.sizes[i], stop_if_interrupted);
        put(i, counts, sharing.misses(), &sharing);
      }
      return;
    }
    const std::size_t at_once = part_.miss_steps > 0 ? 1 : part_.sizes.size();
    for (std::size_t first = 0; first < part_.sizes.size(); first += at_once) {
      std::vector<std::size_t> lines;
      for (std::size_t i = first; i < first + at_once; ++i) lines.push_back(part_.sizes[i].lines());
      UntilInterrupted<cache::PrivateCaches> caches(strands_, processors_, lines, part_.miss_steps,
                                                    stop_if_interrupted);
      const auto counts = schedule(strands_, scheduler_, processors_, part_.seed, caches);
      for (std::size_t i = 0; i < at_once; ++i)
        put(first + i, counts, caches.misses(i), static_cast<const cache::SharingCounts*>(nullptr));
    }
  }

 private:
  const Strands& strands_;
  const ScheduledPart& part_;
  cache::Scheduler scheduler_;
  int processors_;
};

std::string model_text(const ScheduledPart& part) {
  const std::size_t line = part.sizes.front().line;
  return part.coherent ? fmt::format("private caches, LRU, MSI, lines of {} B", line)
                       : fmt::format("private ideal caches, LRU, lines of {} B", line);
}

void put_schedules(Record& record, const Strands& strands, const ScheduledPart& part, int processors) {
  for (const std::string& name : part.schedulers) {
    const auto put_size = [&](std::size_t i, const cache::ScheduleCounts& counts, std::uint64_t misses,
                              const cache::SharingCounts* sharing) {
      const Json at{{"caches", processors}, {"cache", part.sizes[i].bytes}, {"scheduler", name}};
      const auto put_count = [&](const char* what, std::uint64_t count) {
        put_scheduled(record, what, static_cast<double>(count), at, model_text(part));
      };
      put_count("misses", misses);
      put_count("steps", counts.steps);
      put_count("steals", counts.steals);
      put_count("attempts", counts.attempts);
      put_count("deviations", counts.deviations);
      if (!sharing) return;
      put_count("cold", sharing->cold);
      put_count("replacement", sharing->replacement);
      put_count("true sharing", sharing->true_sharing);
      put_count("false sharing", sharing->false_sharing);
      put_count("upgrades", sharing->upgrades);
    };
    Scheduled(strands, part, cache::find_scheduler(name), processors).each(put_size);
  }
}

void put_serial(Record& record, const Problem& problem, const Candidate& candidate, const Strands& strands,
                const ScheduledPart& part, int processors) {
  const Json at{{"caches", processors}};
  const auto put_count = [&](const char* what, std::uint64_t count) {
    put_scheduled(record, what, static_cast<double>(count), at,
                  "the plan of that many threads, in one serial run");
  };
  put_count("strands", strands.size());
  put_count("accesses", strands.accesses());
  put_count("total steps", strands.work());
  put_count("span", strands.span());

  const double word = static_cast<double>(find_element(problem.operation->element).word_bytes);
  Scheduled(strands, part, cache::Scheduler::depth_first, 1)
      .each([&](std::size_t i, const cache::ScheduleCounts&, std::uint64_t misses,
                const cache::SharingCounts*) {
        const cache::CacheLevel& size = part.sizes[i];
        const Json of_size{{"caches", processors}, {"cache", size.bytes}};
        put_scheduled(record, "serial misses", static_cast<double>(misses), of_size, model_text(part));
        const cache::IdealCache ideal{static_cast<double>(size.bytes) / word,
                                      static_cast<double>(size.line) / word};
        const auto put_theory = [&](const char* what, const cache::Prediction& theory) {
          put_scheduled(record, what, theory.misses, of_size, theory.formula, Origin::formula);
        };
        const double span = static_cast<double>(strands.span());
        put_theory("order of extra misses", cache::stolen_misses(ideal, processors, span));
        if (const auto theory = cache::misses_of_segments(problem.operation->name, candidate.variant->name,
                                                          problem.shape, ideal, processors * span))
          put_theory("order of misses", *theory);
      });
}

Strands strands_of(const Problem& problem, const Candidate& candidate, const ScheduledPart& part, int width) {
  StopsTrace stops;
  return cache::record_strands(
      *candidate.variant, problem.shape, complete_params(*candidate.variant, candidate.params), width,
      part.sizes.front().line, problem.input, problem.seed, part.coherent, problem.own_inputs, &stops);
}

}  // namespace

ScheduledPart scheduled_part(const ScheduledOptions& options, std::span<const std::string> caches,
                             const std::string& line, std::uint64_t seed) {
  ScheduledPart part{.processors = options.processors,
                     .sizes = {},
                     .schedulers = options.schedulers,
                     .coherent = options.coherent,
                     .miss_steps = options.miss_steps,
                     .seed = seed};
  const std::size_t bytes = line.empty() ? 64 : cache::validated_line(parse_bytes(line));
  static const std::string ideal[] = {"8K", "32K", "128K"}, coherent[] = {"8K:8", "32K:8", "128K:8"};
  const std::span<const std::string> usual = part.coherent ? coherent : ideal;
  for (const std::string& text : caches.empty() ? usual : caches)
    part.sizes.push_back(parse_cache(text, bytes));
  for (const std::string& name : part.schedulers) cache::find_scheduler(name);
  std::ranges::sort(part.processors);
  part.processors.erase(std::unique(part.processors.begin(), part.processors.end()), part.processors.end());
  for (const cache::CacheLevel& size : part.sizes)
    if (!part.coherent && size.ways != size.lines())
      throw Error("a private ideal cache is fully associative: ways go with --coherence");
  if (part.coherent && bytes > 256) throw Error("--coherence takes lines of up to 256 bytes");
  if (part.coherent && part.miss_steps > 0)
    throw Error(
        "--miss-steps and --coherence do not go together: coherent accesses are replayed in the order "
        "of a schedule whose misses take no steps");
  return part;
}

Record scheduled_record(const Problem& problem, const Candidate& candidate, const ScheduledPart& part) {
  Record record = to_record(problem, candidate);
  record.outcome = obstacle(problem, candidate, Source::simulated);
  if (record.outcome.status == Status::pending && !candidate.variant->parallel)
    record.outcome = {Status::unsupported, "does not fork"};
  if (record.outcome.status != Status::pending) return record;
  put_work(record, problem);
  for (const int processors : part.processors) {
    stop_if_interrupted();
    const Strands strands = strands_of(problem, candidate, part, processors);
    if (static_cast<std::size_t>(processors) > strands.size()) {
      record.outcome = {
          Status::unsupported,
          fmt::format("{} processors are more than the {} strands of this run", processors, strands.size())};
      record.quantities.clear();
      return record;
    }
    put_serial(record, problem, candidate, strands, part, processors);
    put_schedules(record, strands, part, processors);
  }
  record.outcome.status = Status::measured;
  return record;
}

std::string strands_text(const Problem& problem, const Candidate& candidate, const ScheduledPart& part,
                         int width) {
  const Strands strands = strands_of(problem, candidate, part, width);
  const auto number = [](cache::StrandNumber strand) {
    return strand == cache::no_strand ? std::string("-") : fmt::format("{}", strand);
  };
  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "strands {} line {} bytes {:d}\n", strands.size(), strands.line_bytes(),
                 strands.has_bytes());
  for (cache::StrandNumber s = 0; s < strands.size(); ++s) {
    fmt::format_to(out, "s {} {}\n", number(strands[s].second), number(strands[s].next));
    strands.visit(s, [&](const cache::LineAccess& access, cache::LineBytes bytes) {
      fmt::format_to(out, "{} {}", access.store ? 'w' : 'r', strands.addresses()[access.line]);
      if (strands.has_bytes())
        fmt::format_to(out, " {} {}", bytes.first, bytes.last);
      else if (access.more_loads + access.more_stores > 0)
        fmt::format_to(out, " {} {}", static_cast<unsigned>(access.more_loads),
                       static_cast<unsigned>(access.more_stores));
      fmt::format_to(out, "\n");
    });
  }
  return fmt::to_string(text);
}

}  // namespace tallcache
