// The work/span profiler: composition on small programs computed by hand, on random ones against an explicit
// graph of strands, under exceptions, and on two threads.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <map>
#include <stdexcept>
#include <thread>
#include <vector>

#include "bench/tables/table.hpp"
#include "common/cache/run_traced.hpp"
#include "common/catalogue.hpp"
#include "common/fork/work_span.hpp"
#include "common/random.hpp"
#include "tests/support.hpp"

namespace tallcache {

// What the test prints and compares.
static bool operator==(const Profile& a, const Profile& b) {
  return a.work == b.work && a.span == b.span && a.burdened_span == b.burdened_span && a.spawns == b.spawns &&
         a.strands == b.strands && a.strands_on_span == b.strands_on_span;
}
static void PrintTo(const Profile& p, std::ostream* out) {
  *out << "work " << p.work << ", span " << p.span << ", burdened " << p.burdened_span << ", spawns "
       << p.spawns << ", strands " << p.strands << ", on the span " << p.strands_on_span;
}

namespace test {
namespace {

using Units = WorkSpan<UnitCost>;

/// A body that costs `units` beside what its strands cost.
void charge(Index units) {
  for (Index i = 0; i < units; ++i) UnitCost::load(nullptr, 0);
}
auto charging(Index units) {
  return [units] { charge(units); };
}

template <class Program>
Profile profiled(Program&& program, const ProfileOptions& options = {}) {
  Units fork(options);
  return fork.profile([&] { program(fork); });
}

TEST(WorkSpan, OneStrand) {
  EXPECT_EQ(profiled([](auto&) { charge(5); }), (Profile{6, 6, 6, 0, 1, 1}));
  EXPECT_EQ(profiled([](auto&) {}), (Profile{1, 1, 1, 0, 1, 1}));
}

TEST(WorkSpan, ParallelComposition) {
  // 1 + (3 + 1 beside 7 + 1) + 1
  EXPECT_EQ(profiled([](auto& fork) { fork(charging(3), charging(7)); }), (Profile{14, 10, 10, 1, 4, 3}));
  EXPECT_EQ(profiled([](auto& fork) { fork(charging(7), charging(3)); }), (Profile{14, 10, 10, 1, 4, 3}));
}

TEST(WorkSpan, SeriesComposition) {
  EXPECT_EQ(profiled([](auto& fork) {
              charge(10);
              fork(charging(1), charging(2));
              charge(20);
              fork(charging(5), charging(4));
              charge(30);
            }),
            (Profile{63 + 2 + 3 + 6 + 5, 63 + 3 + 6, 63 + 3 + 6, 2, 7, 5}));
}

TEST(WorkSpan, NestedForks) {
  // The shorter branch of the outer fork has more strands.
  EXPECT_EQ(profiled([](auto& fork) { fork([&] { fork(charging(1), charging(1)); }, charging(100)); }),
            (Profile{2 + 2 + 4 + 101, 2 + 101, 2 + 101, 2, 7, 3}));
  EXPECT_EQ(profiled([](auto& fork) {
              fork([&] { fork(charging(1), [&] { fork(charging(8), charging(9)); }); }, charging(3));
            }),
            (Profile{2 + 2 + 2 + 2 + 9 + 10 + 4, 2 + 2 + 2 + 10, 2 + 2 + 2 + 10, 3, 10, 7}));
}

// He, Leiserson and Leiserson's example, counted on the slide: 3 spawns, 5 strands along the span.
TEST(WorkSpan, LoopOfFourByHalves) {
  const auto loop = [](auto& fork) { fork.loop(0, 4, 1, [](Index) { charge(9); }); };
  EXPECT_EQ(profiled(loop), (Profile{6 + 4 * 10, 4 + 10, 4 + 10, 3, 10, 5}));
  EXPECT_EQ(profiled(loop, {.burden = 100}), (Profile{46, 14, 214, 3, 10, 5}));
  EXPECT_EQ(profiled(loop, {.grain = 2}), (Profile{2 + 2 * 19, 2 + 19, 2 + 19, 1, 4, 3}));
  EXPECT_EQ(profiled(loop, {.grain = 3}), (Profile{2 + 2 * 19, 2 + 19, 2 + 19, 1, 4, 3}));
  EXPECT_EQ(profiled(loop, {.grain = 4}), (Profile{1 + 4 * 9, 37, 37, 0, 1, 1}));
}

TEST(WorkSpan, LoopsOfOtherLengths) {
  const auto loop = [](Index end, Index step) {
    return profiled([=](auto& fork) { fork.loop(0, end, step, [](Index) { charge(1); }); });
  };
  EXPECT_EQ(loop(0, 1), (Profile{1, 1, 1, 0, 1, 1}));
  EXPECT_EQ(loop(1, 1), (Profile{2, 2, 2, 0, 1, 1}));
  EXPECT_EQ(loop(10, 4), (Profile{4 + 3 * 2, 4 + 2, 4 + 2, 2, 7, 5}));  // halves of 1 and 2
  for (Index n : {5, 8, 13, 64, 1000}) {
    const Profile p = loop(n, 1);
    EXPECT_EQ(p.spawns, static_cast<std::uint64_t>(n - 1));
    EXPECT_EQ(p.work, 2 * (n - 1) + 2 * n);
    EXPECT_EQ(p.strands_on_span, 2 * static_cast<std::uint64_t>(std::ceil(std::log2(n))) + 1);
  }
}

TEST(WorkSpan, BurdensTheContinuation) {
  const auto burdened = [](Index first, Index second) {
    return profiled([=](auto& fork) { fork(charging(first), charging(second)); }, {.burden = 1000})
        .burdened_span;
  };
  EXPECT_EQ(burdened(3, 7), 1 + 1008 + 1);
  EXPECT_EQ(burdened(7, 3), 1 + 1004 + 1);
  EXPECT_EQ(burdened(5000, 3), 1 + 5001 + 1);
  // A spine of first branches carries it once, a spine of second ones at every fork.
  EXPECT_EQ(profiled([](auto& fork) { fork([&] { fork(charging(0), charging(0)); }, charging(0)); },
                     {.burden = 1000})
                .burdened_span,
            2 + 2 + 1001);
  EXPECT_EQ(profiled([](auto& fork) { fork(charging(0), [&] { fork(charging(0), charging(0)); }); },
                     {.burden = 1000})
                .burdened_span,
            2 + 2 + 2001);
}

TEST(WorkSpan, IsTheSameTwice) {
  for (const Variant* variant : variants()) {
    if (!variant->profile || !variant->unavailable().empty()) continue;
    const Operation& operation = *variant->operation;
    Profile profiles[2];
    for (Profile& profile : profiles) {
      // The second of the shapes above 20, so that there is something to fork.
      Shape shape;
      for (const Shape& test : operation.test_shapes())
        if (largest_size(test) > 20 && variant->supports(complete_shape(operation, test))) {
          shape = complete_shape(operation, test);
          if (largest_size(test) > 40) break;
        }
      const Params params = complete_params(*variant, {});
      const cache::TracedProblem problem(operation, shape, variant->scratch(shape, params, 3));
      profile = variant->profile(problem.args(), params, CostUnit::accesses, {.burden = 10, .width = 3});
    }
    EXPECT_EQ(profiles[0], profiles[1]) << identifier(*variant);
    EXPECT_GT(profiles[0].work, 10) << identifier(*variant);
    EXPECT_LE(profiles[0].span, profiles[0].work) << identifier(*variant);
    EXPECT_LE(profiles[0].span, profiles[0].burdened_span) << identifier(*variant);
    if (!variant->parallel) {
      EXPECT_EQ(profiles[0].parallelism(), 1) << identifier(*variant);
    }
  }
}

TEST(WorkSpan, NanosecondsAddUp) {
  WorkSpan<Nanoseconds> fork;
  const auto spin = [] {
    for (const double end = Nanoseconds::now() + 1e6; Nanoseconds::now() < end;) continue;
  };
  const Profile p = fork.profile([&] { fork(spin, [&] { fork(spin, spin); }); });
  EXPECT_GE(p.work, 3e6);
  EXPECT_GE(p.span, 1e6);
  EXPECT_LE(p.span, p.work);
  EXPECT_EQ(p.burdened_span, p.span);
  EXPECT_EQ(p.spawns, 2u);
}

TEST(WorkSpan, RefusesWhatItCannotDo) {
  expect_error([] { Units({.threads = 0}); }, "threads: 0 asked");
  expect_error([] { Units({.threads = usable_threads() + 1}); }, "asked");
  expect_error([] { Units({.width = 0}); }, "width: 0 is less than 1");
  expect_error([] { Units({.grain = 0}); }, "grain: 0 is less than 1");
  expect_error([] { Units({.burden = -1}); }, "is no cost");
  expect_error([] { Units({.burden = std::nan("")}); }, "is no cost");
  expect_error([] { Units()([] {}, [] {}); }, "inside its profile()");
}

struct Oops : std::runtime_error {
  Oops() : runtime_error("oops") {}
};

// Caught inside a strand, an exception costs what ran; what follows is counted as always.
TEST(WorkSpan, ExceptionInABranch) {
  EXPECT_EQ(profiled([](auto& fork) {
              charge(10);
              try {
                fork([] { charge(5), throw Oops(); }, charging(100));
                ADD_FAILURE() << "not thrown";
              } catch (const Oops&) {
              }
              charge(20);
              fork(charging(1), charging(2));
            }),
            (Profile{11 + 6 + 21 + 2 + 3 + 1, 11 + 6 + 21 + 3 + 1, 11 + 6 + 21 + 3 + 1, 2, 6, 5}));
}

TEST(WorkSpan, ExceptionThroughEverything) {
  for (int threads = 1; threads <= std::min(2, usable_threads()); ++threads) {
    Units fork({.threads = threads});
    EXPECT_THROW(fork.profile([&] {
      fork(charging(3), [&] { fork([&] { fork([] { throw Oops(); }, charging(1)); }, charging(2)); });
    }),
                 Oops);
    // Nothing of it is left behind.
    expect_error([&] { fork([] {}, [] {}); }, "inside its profile()");
    EXPECT_EQ(fork.profile([&] { fork(charging(3), charging(7)); }), (Profile{14, 10, 10, 1, 4, 3}));
  }
}

TEST(WorkSpan, ProfilesWithinProfiles) {
  Profile inner;
  const Profile outer = profiled([&](auto& fork) {
    fork(
        [&] {
          charge(1);
          inner = profiled([](auto& other) { other(charging(3), charging(7)); });
          charge(2);
        },
        charging(1));
  });
  EXPECT_EQ(inner, (Profile{14, 10, 10, 1, 4, 3}));
  EXPECT_EQ(outer.work,
            2 + (1 + 1 + 10 + 2) + 2);  // the accesses of the inner one are the outer strand's too
}

/// A random program of nested forks and loops: the same for the same seed, whatever the policy.
template <class Fork>
void random_program(Fork& fork, std::uint64_t seed, int depth) {
  std::uint64_t position = 0;
  const auto random = [seed, &position](std::uint64_t most) { return random_up_to(seed, position++, most); };
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

/// The reference: a policy that writes the graph of strands down. A strand's number is above those of the
/// strands that it waits for.
class Graph {
 public:
  explicit Graph(double burden) : burden_(burden) { open({}); }

  template <class F, class G>
  void operator()(F&& f, G&& g) {
    close();
    const int fork = current_;
    open({{fork, 0}});
    f();
    close();
    const int first = current_;
    open({{fork, burden_}});
    g();
    close();
    open({{first, 0}, {current_, 0}});
  }
  template <class Body>
  void loop(Index begin, Index end, Index step, Body&& body) {
    loop_by_halves(*this, begin, end, step, 1, body);
  }
  static Index width() { return 1; }

  void close() { strands_[static_cast<std::size_t>(current_)].cost = UnitCost::now() - started_ + 1; }

  double work() const {
    double sum = 0;
    for (const Strand& strand : strands_) sum += strand.cost;
    return sum;
  }
  double longest_path(bool burdened) const {
    std::vector<double> end;
    for (const Strand& strand : strands_) {
      double begin = 0;
      for (const auto& [before, burden] : strand.after)
        begin = std::max(begin, end[static_cast<std::size_t>(before)] + (burdened ? burden : 0));
      end.push_back(begin + strand.cost);
    }
    return end.back();
  }
  std::size_t strands() const { return strands_.size(); }

  /// T_P of the greedy schedule that starts ready strands in the order of their numbers.
  double greedy(int processors) const {
    std::vector<double> end(strands_.size(), -1);
    std::multimap<double, std::size_t> running;
    std::vector<bool> started(strands_.size());
    double now = 0;
    for (std::size_t left = strands_.size(); left > 0 || !running.empty();) {
      for (std::size_t s = 0; s < strands_.size() && running.size() < static_cast<std::size_t>(processors);
           ++s) {
        const auto done = [&](const auto& edge) {
          const double before = end[static_cast<std::size_t>(edge.first)];
          return before >= 0 && before <= now;
        };
        if (started[s] || !std::ranges::all_of(strands_[s].after, done)) continue;
        started[s] = true;
        end[s] = now + strands_[s].cost;
        running.emplace(end[s], s);
        --left;
      }
      now = running.begin()->first;
      running.erase(now);
    }
    return now;
  }

 private:
  struct Strand {
    std::vector<std::pair<int, double>> after;
    double cost = 0;
  };
  void open(std::vector<std::pair<int, double>> after) {
    current_ = static_cast<int>(strands_.size());
    strands_.push_back({std::move(after)});
    started_ = UnitCost::now();
  }

  double burden_;
  std::vector<Strand> strands_;
  int current_ = 0;
  double started_ = 0;
};

TEST(WorkSpan, AgreesWithTheGraphOfStrands) {
  std::uint64_t spawns = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const int depth = static_cast<int>(seed % 6);
    Graph graph(50);
    random_program(graph, seed, depth);
    graph.close();
    const Profile p = profiled([&](auto& fork) { random_program(fork, seed, depth); }, {.burden = 50});
    EXPECT_EQ(p.work, graph.work()) << seed;
    EXPECT_EQ(p.span, graph.longest_path(false)) << seed;
    EXPECT_EQ(p.burdened_span, graph.longest_path(true)) << seed;
    EXPECT_EQ(p.strands, graph.strands()) << seed;
    EXPECT_EQ(p.strands, 3 * p.spawns + 1) << seed;
    spawns += p.spawns;
  }
  EXPECT_GT(spawns, 10000u);
}

// The work law, the span law and Graham's bound, for schedules of those programs.
TEST(WorkSpan, LawsHoldForGreedySchedules) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Graph graph(0);
    random_program(graph, seed, 3);
    graph.close();
    const Profile p = profiled([&](auto& fork) { random_program(fork, seed, 3); });
    for (int processors : {1, 2, 3, 4, 8, 1000}) {
      const double time = graph.greedy(processors);
      EXPECT_GE(time, p.work / processors);
      EXPECT_GE(time, p.span);
      EXPECT_LE(time, p.work / processors + p.span);
      EXPECT_LE(p.work / time, speedup_range(p, processors).high * (1 + 1e-12));
    }
    EXPECT_EQ(graph.greedy(1), p.work);
  }
}

/// Nested forks of very unequal branches. `unrelated` counts those that began on top of another strand than
/// the one that forked them, which is what a thread that waits does; `stolen` those on another thread.
class Spine {
  // Long enough to be stolen from.
  static void leaf(Index units) {
    charge(units);
    const double end = Nanoseconds::now() + 300.0 * static_cast<double>(units);
    while (Nanoseconds::now() < end) continue;
  }

  auto branch(int depth, std::uint64_t seed) const {
    return [this, depth, seed, parent = innermost, forker = std::this_thread::get_id()] {
      unrelated += innermost != nullptr && innermost != parent;
      stolen += std::this_thread::get_id() != forker;
      const int self = 0;
      const int* const before = std::exchange(innermost, &self);
      run(depth, seed);
      innermost = before;
    };
  }

 public:
  explicit Spine(const Units& fork) : fork_(fork) {}

  void run(int depth, std::uint64_t seed) const {
    leaf(static_cast<Index>(random_up_to(seed, 0, 3)));
    if (depth == 0) return;
    const auto deep = branch(depth - 1, seed + 1), shallow = branch(depth / 3, seed + 2);
    if (random_up_to(seed, 1, 1))
      fork_(deep, shallow);
    else
      fork_(shallow, deep);
    leaf(1);
  }

  static inline std::atomic<int> unrelated = 0, stolen = 0;

 private:
  const Units& fork_;
  static inline thread_local const int* innermost = nullptr;  ///< the branch that runs here
};

TEST(WorkSpan, IsTheSameOnTwoThreads) {
  if (usable_threads() < 2) GTEST_SKIP() << "needs 2 processors";
  const auto run = [](int threads, std::uint64_t seed) {
    Units fork({.burden = 7, .threads = threads});
    return fork.profile([&] { Spine(fork).run(9, seed); });
  };
  int rounds = 0;
  for (; rounds < 60 || (Spine::unrelated == 0 && rounds < 5000); ++rounds) {
    const auto seed = static_cast<std::uint64_t>(rounds % 20) * 1000;
    ASSERT_EQ(run(2, seed), run(1, seed)) << seed;
  }
  EXPECT_GT(Spine::stolen, 0) << "nothing ran on the second thread";
  EXPECT_GT(Spine::unrelated, 0) << "no waiting thread ran another task";
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto run_random = [&](int threads) {
      return profiled([&](auto& fork) { random_program(fork, seed, 5); }, {.burden = 50, .threads = threads});
    };
    ASSERT_EQ(run_random(2), run_random(1)) << seed;
  }
}

TEST(WorkSpan, OfVariantsIsTheSameOnTwoThreads) {
  if (usable_threads() < 2) GTEST_SKIP() << "needs 2 processors";
  int compared = 0;
  for (const Variant* variant : variants()) {
    if (!variant->profile || !variant->parallel || !variant->unavailable().empty()) continue;
    const Operation& operation = *variant->operation;
    for (const Shape& test : operation.test_shapes()) {
      const Shape shape = complete_shape(operation, test);
      if (largest_size(shape) < 30 || largest_size(shape) > 70 || !variant->supports(shape)) continue;
      const Params params = complete_params(*variant, {});
      Profile profiles[2];
      for (int threads : {1, 2}) {
        const cache::TracedProblem problem(operation, shape, variant->scratch(shape, params, 2));
        profiles[threads - 1] = variant->profile(problem.args(), params, CostUnit::accesses,
                                                 {.burden = 10, .threads = threads, .width = 2});
        EXPECT_TRUE(operation.check(shape, operation.inputs[0], 1, problem.args())) << identifier(*variant);
      }
      EXPECT_EQ(profiles[0], profiles[1]) << identifier(*variant) << " at " << to_string(operation, shape);
      ++compared;
    }
  }
  EXPECT_GT(compared, 50);
}

// The slide's estimates, to the digits that it prints, from its own work, span and burdened span.
TEST(SpeedupRange, IsTheSlides) {
  const Json& slide = slide_table("cilkview-profile");
  const auto figure = [&](const char* row, int column) {
    for (const Json& line : slide["rows"])
      if (line[0] == row) return line[static_cast<std::size_t>(column)].get<double>();
    throw Error(row);
  };
  const auto rounded = [](double value) { return std::round(value * 100) / 100; };
  const Json& estimates = slide["speedup_estimates"];
  int compared = 0;
  for (int column : {1, 2}) {
    const std::string program = slide["columns"][static_cast<std::size_t>(column)];
    const Profile p{.work = figure("work_instructions", column),
                    .span = figure("span_instructions", column),
                    .burdened_span = figure("burdened_span_instructions", column)};
    EXPECT_EQ(rounded(p.parallelism()), figure("parallelism", column));
    EXPECT_EQ(rounded(p.burdened_parallelism()), figure("burdened_parallelism", column));
    for (std::size_t i = 0; i < estimates["processors"].size(); ++i, ++compared) {
      const SpeedupRange range = speedup_range(p, estimates["processors"][i]);
      EXPECT_EQ(rounded(range.low), estimates[program + "_low"][i]) << program << " " << i;
      EXPECT_EQ(rounded(range.high), estimates[program + "_high"][i]) << program << " " << i;
    }
  }
  EXPECT_EQ(compared, 10);
}

TEST(SpeedupRange, OfOneProcessorIsOne) {
  const Profile p{.work = 1000, .span = 10, .burdened_span = 5000};
  EXPECT_DOUBLE_EQ(speedup_range(p, 1).low, 1);
  EXPECT_DOUBLE_EQ(speedup_range(p, 1).high, 1);
}

TEST(MeasuredBurden, IsACost) {
  const double burden = measured_burden();
  EXPECT_GT(burden, 0);
  EXPECT_LT(burden, 1e9);
  EXPECT_EQ(measured_burden(), burden) << "measured once";
}

}  // namespace
}  // namespace test
}  // namespace tallcache
