// A program that forks as its strands and their accesses: a series-parallel graph, recorded in one serial
// run, from which schedulers (schedule.hpp) make runs on several processors.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "common/cache/model.hpp"
#include "common/cache/traced_problem.hpp"
#include "common/cache/tracer.hpp"
#include "common/fork/recorded.hpp"
#include "common/variant.hpp"

namespace tallcache::cache {

/// Strands are numbered in the order of the serial run (1DF), so that each depends on earlier ones alone.
using StrandNumber = std::uint32_t;
inline constexpr StrandNumber no_strand = ~StrandNumber{0};

/// The code between two forks or joins. Strand s is followed by
///
///   second != no_strand     a fork: by s + 1, the first branch, and by `second`; `next` is behind both
///   otherwise               by `next` once the other branch has ended too; the last strand by none
struct Strand {
  std::uint64_t begin;  ///< of its accesses in Strands::codes()
  std::uint64_t steps;  ///< one, and one for each access, as UnitCost has it (common/fork/work_span.hpp)
  StrandNumber second = no_strand, next = no_strand;

  bool forks() const { return second != no_strand; }
};

/// The memory that strands and their accesses may take, in bytes; as much again for a moment while they are
/// recorded. An access takes 4 bytes, or 8 where others of the same line follow at once, or where its bytes
/// are kept; a strand takes 24.
inline constexpr std::size_t max_strand_bytes = std::size_t{1} << 29;

class Strands {
 public:
  std::size_t size() const { return list_.size(); }
  const Strand& operator[](StrandNumber strand) const { return list_[strand]; }
  /// T_1 and T_inf in steps.
  std::uint64_t work() const { return work_; }
  std::uint64_t span() const { return span_; }
  /// Accesses of lines: an element that straddles lines counts once for each.
  std::uint64_t accesses() const { return work_ - list_.size(); }
  std::size_t line_bytes() const { return line_bytes_; }
  /// The address / line_bytes of every line.
  std::span<const std::uint64_t> addresses() const { return addresses_; }
  bool has_bytes() const { return has_bytes_; }
  /// Whether a line is of memory that strands lease, of which each processor has its own.
  bool is_leased(std::uint64_t address) const {
    return std::ranges::any_of(
        leased_, [&](const auto& part) { return part.first <= address && address < part.second; });
  }

  /// Calls visit(access, bytes) for every access of a strand, in order; the bytes where they are kept.
  template <class Visit>
  void visit(StrandNumber strand, Visit&& visit) const {
    const std::uint32_t* code = codes_.data() + list_[strand].begin;
    const std::uint32_t* const end =
        codes_.data() + (strand + 1 < list_.size() ? list_[strand + 1].begin : codes_.size());
    while (code < end) {
      const std::uint32_t first = *code++;
      LineAccess access{first >> 2, first >> 1 & 1, 0, 0};
      LineBytes bytes{};
      if (first & 1) {
        const std::uint32_t more = *code++;
        if (has_bytes_)
          bytes = {static_cast<std::uint8_t>(more), static_cast<std::uint8_t>(more >> 8)};
        else
          access.more_loads = static_cast<std::uint16_t>(more),
          access.more_stores = static_cast<std::uint16_t>(more >> 16);
      }
      visit(access, bytes);
    }
  }

 private:
  friend class StrandRecorder;
  std::vector<Strand> list_;
  std::vector<std::uint32_t> codes_;
  std::vector<std::uint64_t> addresses_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> leased_;  // bytes [first, second)
  std::size_t line_bytes_ = 0;
  std::uint64_t work_ = 0, span_ = 0;
  bool has_bytes_ = false;
};

/// Records the strands of what a tracer sees.
class StrandRecorder : public Model, public ForkObserver {
 public:
  /// `max_bytes`: see max_strand_bytes.
  explicit StrandRecorder(std::size_t max_bytes = max_strand_bytes) : max_bytes_(max_bytes) {}

  /// Before the run: the tracer, of which this is the one model, tells it the forks of the plan of `width`
  /// threads. The plan of one thread has none.
  void follow(Tracer& tracer, Index width);

  void consume(const Block& block) override;
  void fork() override;
  void second() override;
  void join() override;
  void lease(const std::byte* memory, std::size_t bytes) override;

  /// After the run and the tracer's flush(). Throws Error where a fork was not joined.
  Strands take();

 private:
  void begin_strand();
  void end_strand();
  void reserve(std::size_t accesses);

  std::size_t max_bytes_;
  Tracer* tracer_ = nullptr;
  Strands strands_;
  struct Fork {
    StrandNumber strand, end_of_first = no_strand;
  };
  std::vector<Fork> open_;
};

/// The strands of run(tracer), which forks through Recorded(*tracer.fork_observer(), tracer.width()) where
/// there is an observer. With `bytes` those of each access are kept, for coherence. Throws Error in one line
/// where they take more than `max_bytes`, or lines are more than 2^30. `beside`: another model of the trace.
template <class Run>
Strands record_strands(std::size_t line_bytes, Index width, Run&& run, bool bytes = false,
                       std::size_t max_bytes = max_strand_bytes, Model* beside = nullptr) {
  StrandRecorder recorder(max_bytes);
  std::vector<Model*> models{&recorder};
  if (beside) models.push_back(beside);
  Tracer tracer(line_bytes, models);
  if (bytes) tracer.keep_bytes();
  recorder.follow(tracer, width);
  run(tracer);
  tracer.flush();
  return recorder.take();
}

/// Those of all timed phases of `variant`, whose params must be complete. Throws Error as run_traced() does
/// (run_traced.hpp), and as above.
Strands record_strands(const Variant& variant, const Shape& shape, const Params& params, Index width,
                       std::size_t line_bytes, std::string_view input = {}, std::uint64_t seed = 1,
                       bool bytes = false, const OwnInputs& own_inputs = {}, Model* beside = nullptr);

}  // namespace tallcache::cache
