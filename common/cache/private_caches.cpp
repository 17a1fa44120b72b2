#include "common/cache/private_caches.hpp"

#include <functional>
#include <queue>
#include <string>
#include <utility>

#include "common/error.hpp"

namespace tallcache::cache {
namespace {

constexpr int own_memory = 48;  // bits of an address; a processor's leased memory lies above

void require_memory(const Strands& strands, int processors, std::size_t sizes, std::size_t bytes) {
  const std::size_t lines = strands.addresses().size();
  if (lines > max_private_bytes / bytes / sizes / static_cast<std::size_t>(processors))
    throw Error(std::to_string(processors) + " caches over " + std::to_string(lines) +
                " lines take more than " + std::to_string(max_private_bytes >> 20) +
                " MiB: use a smaller size, fewer caches or a larger line");
}

// The accesses from one Between to the next.
constexpr std::uint64_t at_once = 1 << 14;

/// The accesses of one strand, one at a time.
struct Pending {
  struct Access {
    std::uint64_t address;
    std::uint32_t bytes;
    bool store;
  };
  std::vector<Access> accesses{};
  std::size_t next = 0;
};

/// An access of a processor: its time, and the processor.
using Turn = std::pair<std::uint64_t, int>;

class Coherent {
 public:
  Coherent(const Strands& strands, std::span<const ScheduledStrand> placed, int processors,
           const CacheLevel& shape, const Between& between)
      : strands_(strands),
        between_(between),
        caches_({.processors = processors, .line = shape.line, .word = 4, .shape = shape}),
        of_(static_cast<std::size_t>(processors)),
        pending_(static_cast<std::size_t>(processors)) {
    for (const ScheduledStrand& one : placed) of_[static_cast<std::size_t>(one.processor)].push(one);
    for (int processor = 0; processor < processors; ++processor) begin(processor);
  }

  SharingCounts counts() {
    while (!turns_.empty()) {
      auto [time, processor] = turns_.top();
      turns_.pop();
      const Turn limit = turns_.empty() ? Turn{~std::uint64_t{0}, 0} : turns_.top();
      Pending& pending = pending_[static_cast<std::size_t>(processor)];
      for (; pending.next < pending.accesses.size() && Turn{time, processor} < limit; ++time)
        make(processor, pending.accesses[pending.next++]);
      if (pending.next < pending.accesses.size())
        turns_.push({time, processor});
      else
        begin(processor);
    }
    return caches_.total();
  }

 private:
  void make(int processor, const Pending::Access& access) {
    if (++made_ % at_once == 0) between_();
    if (access.store)
      caches_.store(processor, access.address, access.bytes);
    else
      caches_.load(processor, access.address, access.bytes);
  }

  // The processor's next strand that has accesses.
  void begin(int processor) {
    auto& list = of_[static_cast<std::size_t>(processor)];
    Pending& pending = pending_[static_cast<std::size_t>(processor)];
    pending.accesses.clear();
    pending.next = 0;
    for (; !list.empty() && pending.accesses.empty(); list.pop()) {
      strands_.visit(list.front().strand, [&](const LineAccess& access, LineBytes bytes) {
        std::uint64_t line = strands_.addresses()[access.line] * strands_.line_bytes();
        if (strands_.is_leased(line)) line += static_cast<std::uint64_t>(processor) << own_memory;
        pending.accesses.push_back(
            {line + bytes.first, std::uint32_t{bytes.last} - bytes.first + 1u, access.store != 0});
      });
      if (!pending.accesses.empty()) turns_.push({list.front().start, processor});
    }
  }

  const Strands& strands_;
  const Between& between_;
  std::uint64_t made_ = 0;
  MsiCaches caches_;
  std::vector<std::queue<ScheduledStrand>> of_;
  std::vector<Pending> pending_;
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns_;
};

}  // namespace

PrivateCaches::PrivateCaches(const Strands& strands, int processors, std::span<const std::size_t> lines,
                             std::uint64_t miss_steps, Between between)
    : strands_(strands),
      miss_steps_(miss_steps),
      between_(std::move(between)),
      caches_(static_cast<std::size_t>(processors)) {
  if (miss_steps > 0 && lines.size() > 1)
    throw Error("misses that take steps need a run for each size of cache");
  require_memory(strands, processors, lines.size(), sizeof(Line));
  for (auto& mine : caches_)
    for (const std::size_t size : lines) mine.emplace_back(size);
}

std::uint64_t PrivateCaches::run(int processor, StrandNumber strand, std::uint64_t) {
  std::vector<LruCache>& caches = caches_[static_cast<std::size_t>(processor)];
  std::uint64_t missed = 0;
  strands_.visit(strand, [&](const LineAccess& access, LineBytes) {
    if (++made_ % at_once == 0) between_();
    for (LruCache& cache : caches) missed += !cache.access(access.line);
  });
  return strands_[strand].steps + miss_steps_ * missed;
}

std::uint64_t PrivateCaches::misses(std::size_t index) const {
  std::uint64_t sum = 0;
  for (const auto& mine : caches_) sum += mine[index].misses();
  return sum;
}

SharingCounts coherent_misses(const Strands& strands, std::span<const ScheduledStrand> placed, int processors,
                              const CacheLevel& shape, const Between& between) {
  if (!strands.has_bytes() && strands.accesses() > 0)
    throw Error("coherence needs strands that keep the bytes of their accesses");
  require_memory(strands, processors, 1, 16);
  return Coherent(strands, placed, processors, shape, between).counts();
}

}  // namespace tallcache::cache
