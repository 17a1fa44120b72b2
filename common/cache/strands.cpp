#include "common/cache/strands.hpp"

#include <algorithm>
#include <string>

#include "common/error.hpp"

namespace tallcache::cache {

void StrandRecorder::follow(Tracer& tracer, Index width) {
  tracer_ = &tracer;
  strands_.line_bytes_ = tracer.line_bytes();
  if (width > 1) tracer.observe(*this, width);
  begin_strand();
}

void StrandRecorder::reserve(std::size_t accesses) {
  const std::size_t codes = strands_.codes_.size() + 2 * accesses;
  if (codes * sizeof(std::uint32_t) + strands_.list_.size() * sizeof(Strand) > max_bytes_)
    throw Error("the strands of this run take more than " + std::to_string(max_bytes_ >> 20) +
                " MiB: record a smaller size");
}

void StrandRecorder::begin_strand() {
  reserve(0);
  strands_.list_.push_back({.begin = strands_.codes_.size(), .steps = 1});
}

void StrandRecorder::end_strand() { tracer_->flush(); }

void StrandRecorder::consume(const Block& block) {
  reserve(block.accesses.size());
  for (std::size_t i = 0; i < block.accesses.size(); ++i) {
    const LineAccess& access = block.accesses[i];
    if (access.line >> 30) throw Error("strands touch more than 2^30 lines: use a larger line");
    const std::uint32_t more = block.bytes.empty()
                                   ? access.more_loads | std::uint32_t{access.more_stores} << 16
                                   : block.bytes[i].first | std::uint32_t{block.bytes[i].last} << 8;
    const bool two = more != 0 || !block.bytes.empty();
    strands_.codes_.push_back(access.line << 2 | std::uint32_t{access.store} << 1 | std::uint32_t{two});
    if (two) strands_.codes_.push_back(more);
    strands_.list_.back().steps += access.loads() + access.stores();
  }
  strands_.has_bytes_ = !block.bytes.empty();
  const std::size_t known = strands_.addresses_.size();
  strands_.addresses_.insert(strands_.addresses_.end(),
                             block.addresses.begin() + static_cast<std::ptrdiff_t>(known),
                             block.addresses.end());
}

void StrandRecorder::fork() {
  end_strand();
  open_.push_back({static_cast<StrandNumber>(strands_.list_.size() - 1)});
  begin_strand();
}

void StrandRecorder::second() {
  end_strand();
  Fork& fork = open_.back();
  fork.end_of_first = static_cast<StrandNumber>(strands_.list_.size() - 1);
  begin_strand();
  strands_.list_[fork.strand].second = static_cast<StrandNumber>(strands_.list_.size() - 1);
}

void StrandRecorder::join() {
  end_strand();
  const Fork fork = open_.back();
  open_.pop_back();
  const auto end_of_second = static_cast<StrandNumber>(strands_.list_.size() - 1);
  begin_strand();
  const auto next = static_cast<StrandNumber>(strands_.list_.size() - 1);
  for (const StrandNumber strand : {fork.strand, fork.end_of_first, end_of_second})
    strands_.list_[strand].next = next;
}

void StrandRecorder::lease(const std::byte* memory, std::size_t bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  const std::pair<std::uint64_t, std::uint64_t> part(begin, begin + bytes);
  if (!std::ranges::count(strands_.leased_, part)) strands_.leased_.push_back(part);
}

Strands StrandRecorder::take() {
  if (!open_.empty()) throw Error("a fork of a recorded program was not joined");
  std::vector<std::uint64_t> ready(strands_.size());
  const auto after = [&](StrandNumber strand, std::uint64_t end) {
    ready[strand] = std::max(ready[strand], end);
  };
  for (StrandNumber s = 0; s < strands_.size(); ++s) {
    const Strand& strand = strands_.list_[s];
    const std::uint64_t end = ready[s] + strand.steps;
    strands_.work_ += strand.steps;
    strands_.span_ = std::max(strands_.span_, end);
    if (strand.forks())
      after(s + 1, end), after(strand.second, end);
    else if (strand.next != no_strand)
      after(strand.next, end);
  }
  return std::move(strands_);
}

Strands record_strands(const Variant& variant, const Shape& shape, const Params& params, Index width,
                       std::size_t line_bytes, std::string_view input, std::uint64_t seed, bool bytes,
                       const OwnInputs& own_inputs, Model* beside) {
  if (!variant.trace) throw Error(std::string(variant.name) + ": a library: not traced");
  const TracedProblem problem(*variant.operation, shape,
                              variant.scratch(shape, params, static_cast<int>(width)), input, seed,
                              own_inputs);
  return record_strands(
      line_bytes, width, [&](Tracer& tracer) { variant.trace(problem.args(), params, tracer); }, bytes,
      max_strand_bytes, beside);
}

}  // namespace tallcache::cache
