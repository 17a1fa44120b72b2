// Random trees of forks and loops with heartbeats and exceptions at random places, for the tests of
// Heartbeat.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <utility>
#include <vector>

#include "common/fork/heartbeat.hpp"
#include "common/fork/one_tbb.hpp"
#include "common/random.hpp"
#include "tests/support.hpp"

namespace tallcache::test {

/// Every poll promotes while this lives.
struct Impatience {
  Impatience() { detail::promote_always = true; }
  ~Impatience() { detail::promote_always = false; }
};

/// This thread polls at its next fork.
inline void beat() { detail::latent_list.state.until_poll = 1; }

struct Thrown {
  std::uint64_t where;
};

/// What the nodes of all trees did.
struct Nodes {
  static inline std::atomic<std::int64_t> begun{0}, running{0}, thrown{0}, elsewhere{0};
  static inline constinit thread_local bool is_caller = false;

  Nodes() {
    begun.fetch_add(1, std::memory_order_relaxed);
    running.fetch_add(1, std::memory_order_relaxed);
    if (!is_caller) elsewhere.fetch_add(1, std::memory_order_relaxed);
  }
  ~Nodes() { running.fetch_sub(1, std::memory_order_relaxed); }
};

/// A random tree. Every node sets its own number; at one node in `beats` its thread polls, one in
/// `throws` throws.
struct Tree {
  std::uint64_t seed;
  int depth;
  std::uint64_t beats = 0, throws = 0;
  bool loops = true;

  template <class Fork>
  std::uint64_t run(Fork& fork) const {
    return node(fork, seed, depth);
  }

 private:
  template <class Fork>
  std::uint64_t node(Fork& fork, std::uint64_t id, int height) const {
    const Nodes node_runs;
    std::uint64_t drawn = 0;
    const auto one_in = [&](std::uint64_t n) { return n && random_up_to(id, drawn++, n - 1) == 0; };
    if (one_in(beats)) beat();
    if (one_in(throws)) return throw_at(id);
    std::uint64_t sum = id;
    if (height == 0) return sum;
    const auto child = [&](std::uint64_t i) { return random_bits(id, 100 + i); };
    const int lower = static_cast<int>(random_up_to(id, drawn++, static_cast<std::uint64_t>(height - 1)));
    if (loops && one_in(3)) {
      std::array<std::uint64_t, 40> parts{};
      const auto size = static_cast<Index>(random_up_to(id, drawn++, 39));
      fork.loop(0, size, 1, [&](Index i) {
        parts[static_cast<std::size_t>(i)] += node(fork, child(static_cast<std::uint64_t>(i)), lower / 2);
      });
      for (std::uint64_t part : parts) sum = 31 * sum + part;
    } else {
      std::uint64_t x = 0, y = 0;
      const bool swap = one_in(2);
      fork([&] { x = node(fork, child(0), swap ? height - 1 : lower); },
           [&] { y = node(fork, child(1), swap ? lower : height - 1); });
      sum = 31 * (31 * sum + x) + y;
    }
    if (one_in(beats)) beat();
    if (one_in(throws)) return throw_at(~id);
    return sum;
  }

  static std::uint64_t throw_at(std::uint64_t where) {
    Nodes::thrown.fetch_add(1, std::memory_order_relaxed);
    throw Thrown{where};
  }
};

/// What a tree gives: its sum, or the place where it threw.
template <class Fork>
std::pair<bool, std::uint64_t> outcome(const Tree& tree, Fork&& fork) {
  try {
    return {true, tree.run(fork)};
  } catch (const Thrown& thrown) {
    return {false, thrown.where};
  }
}

inline void expect_nothing_left() {
  EXPECT_EQ(detail::latent_list.newest, nullptr) << "a fork is still in the list";
}

}  // namespace tallcache::test
