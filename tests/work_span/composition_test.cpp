// The work/span profiler on programs computed by hand, in series, in parallel, nested, and under exceptions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>

#include "tests/support.hpp"
#include "tests/work_span/programs.hpp"

namespace tallcache::test {
namespace {

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

}  // namespace
}  // namespace tallcache::test
