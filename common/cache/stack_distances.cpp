#include "common/cache/stack_distances.hpp"

#include <algorithm>
#include <bit>

#include "common/error.hpp"

// Not in the compiler's default target, and in every x86-64 processor since 2013 and 2008. Clang wants the
// attribute on every declaration; the thread sanitizer is not there yet when the clones are chosen.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__)
#define TALLCACHE_POPCNT __attribute__((target_clones("arch=haswell", "popcnt", "default")))
#else
#define TALLCACHE_POPCNT
#endif

namespace tallcache::cache {
namespace {

// Millions of accesses a second on REC-MULT and on random lines of 100 MB, one run after the other on a busy
// machine: a Fenwick tree 114 and 9.9, then 93 and 10.4; counts in three levels of runs, summed, 69 and 7.9
// between the two. Compiled to wide loads, the sums had 61 and 6.7 in an earlier run.
//
// Numbers in a word of the bitmap and in a block (one cache line of it).
constexpr std::size_t word = 64, block = 8 * word;
constexpr std::size_t ahead = 16;  // accesses between a prefetch and its use

}  // namespace

StackDistances::StackDistances() { grow(std::size_t{1} << 14); }

void StackDistances::grow(std::size_t places) {
  places = (places + block - 1) / block * block;
  line_at_.resize(places);
  marks_.resize(places / word);
  tree_.resize(places / block + 1);
}

// Adds to the count of marks in a block.
inline void StackDistances::add(std::size_t index, std::int32_t marks) {
  for (std::size_t i = index + 1; i < tree_.size(); i += i & -i) tree_[i] += marks;
}

// The marks in the blocks before one.
inline std::int32_t StackDistances::marks_before(std::size_t index) const {
  std::int32_t sum = 0;
  for (std::size_t i = index; i > 0; i &= i - 1) sum += tree_[i];
  return sum;
}

void StackDistances::consume(const Block& block) { advance(block); }

TALLCACHE_POPCNT
void StackDistances::advance(const Block& input) {
  if (now_ + input.accesses.size() > line_at_.size()) compact(input.accesses.size());
  latest_.resize(input.addresses.size(), never);
  if (histogram_.size() < latest_.size()) histogram_.resize(latest_.size());

  const std::size_t size = input.accesses.size();
  for (std::size_t i = 0; i < size; ++i) {
    const LineAccess& access = input.accesses[i];
    if (i + 2 * ahead < size) __builtin_prefetch(&latest_[input.accesses[i + 2 * ahead].line], 1);
    if (i + ahead < size)
      if (const std::size_t then = latest_[input.accesses[i + ahead].line]; then != never)
        __builtin_prefetch(&marks_[then / word], 1);
    const std::uint64_t repeats = access.more_loads + access.more_stores;
    accesses_ += 1 + repeats;
    histogram_[0] += repeats;
    const std::size_t then = latest_[access.line], now = now_++;
    if (then == never) {
      ++distinct_;
    } else {
      std::size_t rank = static_cast<std::size_t>(marks_before(then / block));
      for (std::size_t w = then / block * (block / word); w < then / word; ++w)
        rank += std::popcount(marks_[w]);
      rank += std::popcount(marks_[then / word] << (word - 1 - then % word));
      ++histogram_[distinct_ - rank];
      marks_[then / word] &= ~(std::uint64_t{1} << then % word);
      if (then / block != now / block) add(then / block, -1);
    }
    marks_[now / word] |= std::uint64_t{1} << now % word;
    if (now_ % block == 0) {
      std::int32_t marks = 0;
      for (std::size_t w = now / block * (block / word); w <= now / word; ++w)
        marks += std::popcount(marks_[w]);
      add(now / block, marks);
    }
    latest_[access.line] = static_cast<std::uint32_t>(now);
    line_at_[now] = access.line;
  }
}

// Renumbers the marks 0, 1, 2, ... in order. The table has room for four times as many, so that renumbering
// costs a third of a visit per access.
void StackDistances::compact(std::size_t room) {
  std::size_t live = 0;
  for (std::size_t w = 0; w < marks_.size(); ++w)
    for (std::uint64_t bits = marks_[w]; bits; bits &= bits - 1) {
      const Line line = line_at_[word * w + static_cast<unsigned>(std::countr_zero(bits))];
      latest_[line] = static_cast<std::uint32_t>(live);
      line_at_[live++] = line;
    }
  now_ = live;
  if (live > std::size_t{1} << 28)
    throw Error("stack distances: more than 2^28 distinct lines: use a larger line");
  if (line_at_.size() < 4 * live + room) grow(8 * live + room);
  std::fill(marks_.begin(), marks_.end(), 0);
  for (std::size_t i = 0; i < live; ++i) marks_[i / word] |= std::uint64_t{1} << i % word;
  std::fill(tree_.begin(), tree_.end(), 0);
  for (std::size_t i = 0; i < live / block; ++i) add(i, block);
}

std::uint64_t StackDistances::misses(std::size_t lines) const {
  std::uint64_t sum = distinct_;
  for (std::size_t d = lines; d < histogram_.size(); ++d) sum += histogram_[d];
  return sum;
}

std::vector<std::uint64_t> StackDistances::curve() const {
  std::vector<std::uint64_t> curve(distinct_ + 1);
  std::uint64_t sum = distinct_;
  for (std::size_t lines = distinct_ + 1; lines-- > 0;) {
    if (lines < histogram_.size()) sum += histogram_[lines];
    curve[lines] = sum;
  }
  return curve;
}

}  // namespace tallcache::cache
