// What the tests of the work/span profiler share: bodies of a known cost, random programs, and the comparison
// of profiles.
#pragma once

#include <cstdint>
#include <ostream>

#include "common/fork/work_span.hpp"
#include "common/random.hpp"

namespace tallcache {

// What the test prints and compares.
inline bool operator==(const Profile& a, const Profile& b) {
  return a.work == b.work && a.span == b.span && a.burdened_span == b.burdened_span && a.spawns == b.spawns &&
         a.strands == b.strands && a.strands_on_span == b.strands_on_span;
}
inline void PrintTo(const Profile& p, std::ostream* out) {
  *out << "work " << p.work << ", span " << p.span << ", burdened " << p.burdened_span << ", spawns "
       << p.spawns << ", strands " << p.strands << ", on the span " << p.strands_on_span;
}

namespace test {

using Units = WorkSpan<UnitCost>;

/// A body that costs `units` beside what its strands cost.
inline void charge(Index units) {
  for (Index i = 0; i < units; ++i) UnitCost::load(nullptr, 0);
}
inline auto charging(Index units) {
  return [units] { charge(units); };
}

template <class Program>
Profile profiled(Program&& program, const ProfileOptions& options = {}) {
  Units fork(options);
  return fork.profile([&] { program(fork); });
}

/// A random program of nested forks and loops: the same for the same seed, whatever the policy.
template <class Fork>
void random_program(Fork& fork, std::uint64_t seed, int depth) {
  std::uint64_t position = 0;
  const auto random = [seed, &position](std::uint64_t max) { return random_up_to(seed, position++, max); };
  const auto steps = 1 + random(2);
  for (std::uint64_t step = 0; step < steps; ++step) {
    charge(static_cast<Index>(random(20)));
    if (depth == 0) continue;
    const std::uint64_t next = random_bits(seed, 100 + step);
    if (random(3) == 0) {
      fork.loop(0, static_cast<Index>(random(6)), 1, [&fork, next, depth](Index i) {
        random_program(fork, next + static_cast<std::uint64_t>(i), depth - 1);
      });
    } else {
      // Very unequal ones among them.
      const int shallow = static_cast<int>(random(static_cast<std::uint64_t>(depth - 1)));
      const bool swap = random(1);
      const int first = swap ? depth - 1 : shallow, second = swap ? shallow : depth - 1;
      fork([&fork, next, first] { random_program(fork, next, first); },
           [&fork, next, second] { random_program(fork, next + 1, second); });
    }
  }
}

}  // namespace test
}  // namespace tallcache
