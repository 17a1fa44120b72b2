// A kernel's threads on the host: the accesses of lanes that form one request, barriers, collectives, shared
// memory, and launches that are impossible.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "common/warp/l2.hpp"
#include "tests/counted_array.hpp"

namespace tallcache::warp {
namespace {

using cache::AccessKind;
using cache::RequestCounts;
using cache::Space;
using cache::warp_machine;
using test::Array;
using test::message_of;

/// Lanes visit a site `visits` times, in two rounds with a barrier between them, and then all of them visit
/// another site once.
template <class Visits, bool within_warp>
struct Uneven {
  Visits visits;
  template <class Thread, class A>
  TALLCACHE_DEVICE void operator()(const Thread& t, A a) const {
    const unsigned lane = t.thread().x;
    float sum = 0;
    for (int round = 0; round < 2; ++round) {
      for (unsigned v = 0; v < visits(lane, round); ++v) sum += a[lane + 32 * v];
      if constexpr (within_warp)
        t.sync_warp();
      else
        t.sync();
    }
    a[lane] = sum;
  }
};

/// The lanes of each request of the first load in the text, in the order in which they are made.
template <bool within_warp, class Visits>
std::vector<int> lanes_of_requests(Visits visits) {
  HostDevice device(warp_machine("h200"));
  Array<float> a(device, 32 * 8);
  std::vector<int> lanes;
  device.recorder().observe([&](const Site& site, const cache::WarpRequest& request) {
    if (site.kind == AccessKind::load) lanes.push_back(std::popcount(request.mask));
  });
  device.launch({{1}, {32}}, Uneven<Visits, within_warp>{visits}, a.view);
  const RequestCounts store = device.total(Space::global, AccessKind::store);
  EXPECT_EQ(store.requests, 1u);
  EXPECT_EQ(store.lanes, 32u);
  return lanes;
}

// The k-th visit of a lane joins the k-th of the others, counted from the last barrier.
TEST(Joining, ByVisitsSinceTheLastBarrier) {
  const auto by_lane = [](unsigned lane, int) { return lane % 4 + 1; };
  const std::vector<int> falling{32, 24, 16, 8, 32, 24, 16, 8};
  EXPECT_EQ(lanes_of_requests<false>(by_lane), falling);
  EXPECT_EQ(lanes_of_requests<true>(by_lane), falling);
  // The first lane's visits are fewer, then more than the others'.
  const auto in_turn = [](unsigned lane, int round) { return (lane == 0) == (round == 0) ? 1u : 3u; };
  const std::vector<int> all{32, 31, 31, 32, 1, 1};
  EXPECT_EQ(lanes_of_requests<false>(in_turn), all);
  EXPECT_EQ(lanes_of_requests<true>(in_turn), all);
}

struct Branches {
  template <class Thread, class A, class B>
  TALLCACHE_DEVICE void operator()(const Thread& t, A a, B b) const {
    const unsigned lane = t.thread().x;
    float sum = 0;
    if (lane % 2) sum += a[lane];
    if (lane % 3 == 0) sum += a[lane + 32];
    b[lane] = sum;
    if (lane % 2 == 0) sum += a[lane + 64];
    b[lane + 32] = sum;
  }
};

TEST(Joining, LanesThatSkipAnAccessMeetAgain) {
  HostDevice device(warp_machine("h200"));
  Array<float> a(device, 96), b(device, 64);
  device.launch({{1}, {32}}, Branches{}, a.view, b.view);
  std::vector<std::uint64_t> requests, lanes;
  for (const SiteCounts& site : device.sites()) {
    requests.push_back(site.counts.requests);
    lanes.push_back(site.counts.lanes);
  }
  EXPECT_EQ(requests, (std::vector<std::uint64_t>{1, 1, 1, 1, 1}));
  EXPECT_EQ(lanes, (std::vector<std::uint64_t>{16, 11, 32, 16, 32}));
}

struct OddLanesTurnOff {
  template <class Thread, class A, class B>
  TALLCACHE_DEVICE void operator()(const Thread& t, A a, B b) const {
    const unsigned lane = t.thread().x;
    float sum = 0;
    for (unsigned v = 0; v < 3; ++v) {
      sum += a[lane + 32 * v];
      if (lane % 2 && v == 0) sum += b[lane];
    }
    b[lane] = sum;
  }
};

TEST(Joining, LanesThatFallOutOfStepKeepTheirVisits) {
  HostDevice device(warp_machine("h200"));
  Array<float> a(device, 96), b(device, 32);
  std::vector<int> lanes;
  std::vector<std::uint64_t> first;
  device.recorder().observe([&](const Site&, const cache::WarpRequest& request) {
    lanes.push_back(std::popcount(request.mask));
    first.push_back(request.address[1]);
  });
  device.launch({{1}, {32}}, OddLanesTurnOff{}, a.view, b.view);
  EXPECT_EQ(lanes, (std::vector<int>{32, 32, 32, 32, 16})) << "three of a, then the even lanes' end, then b";
  EXPECT_EQ(first[1] - first[0], 128u);
  EXPECT_EQ(first[2] - first[1], 128u);
}

/// The requests of 32 lanes, lane l with l + 1 loads at one site that are each a row of 128 bytes further,
/// when the lanes' visits are joined by a rule: the recorder's, or one that is played by a site for each row
/// of what is to be joined.
enum class Rule { recorders, from_the_end, lane_by_lane };
std::pair<std::uint64_t, std::uint64_t> requests_and_sectors(Rule rule) {
  Recorder recorder(warp_machine("h200"));
  for (unsigned lane = 0; lane < 32; ++lane) {
    recorder.begin_lane(static_cast<int>(lane));
    for (unsigned i = 0; i <= lane; ++i) {
      const Place site{"", rule == Rule::from_the_end ? 31 - lane + i : 0, 0};
      recorder.access(site, cache::Space::global, cache::AccessKind::load, 128 * i + 4 * lane, 4);
    }
    if (rule == Rule::lane_by_lane) recorder.end_warp();
  }
  recorder.end_warp();
  cache::RequestCounts counts;
  for (const SiteCounts& site : recorder.sites()) counts += site.counts;
  return {counts.requests, counts.sectors};
}

// A converged warp's k-th loads go together: row k is taken by the lanes from k on.
TEST(Joining, AnotherPairingOfVisitsIsFound) {
  std::uint64_t sectors = 0;
  for (unsigned row = 0; row < 32; ++row) sectors += 4 - row / 8;
  const std::pair<std::uint64_t, std::uint64_t> expected{32, sectors};
  EXPECT_EQ(requests_and_sectors(Rule::recorders), expected);
  EXPECT_NE(requests_and_sectors(Rule::from_the_end), expected);
  EXPECT_NE(requests_and_sectors(Rule::lane_by_lane), expected);
}

// As wide as the line's widest instruction, where a lane's addresses are a block; what is left over is merged
// in smaller pieces, and another access of the line not at all.
TEST(Joining, WhatACompilerMergesIsOneRequest) {
  constexpr auto shared = cache::Space::shared;
  constexpr auto load = cache::AccessKind::load;
  const CompiledAccess compiled[] = {{"kernel", "text.hpp", 7, shared, load, {0, 0, 7, 0, 1}}};
  Recorder recorder(warp_machine("h200"));
  recorder.compiled_as(compiled);
  for (unsigned lane = 0; lane < 32; ++lane) {
    recorder.begin_lane(static_cast<int>(lane));
    for (unsigned i = 0; i < 7; ++i) {
      recorder.access({"text.hpp", 7, 1}, shared, load, 4 * i, 4);
      recorder.access({"text.hpp", 7, 9}, shared, load, 128 * i + 4 * lane, 4);
      recorder.access({"text.hpp", 8, 1}, shared, load, 4 * i, 4);
    }
  }
  recorder.end_warp();
  std::vector<std::uint64_t> requests;
  for (const SiteCounts& site : recorder.sites()) requests.push_back(site.counts.requests);
  EXPECT_EQ(requests, (std::vector<std::uint64_t>{1 + 1 + 1, 7, 7})) << "of 16, 8 and 4 bytes";
}

cache::WarpRequest store_of_a_line(std::uint64_t address) {
  cache::WarpRequest request{.mask = ~0u, .kind = cache::AccessKind::store};
  for (unsigned lane = 0; lane < 32; ++lane) request.address[lane] = address + 4 * (31 - lane);
  return request;
}

TEST(SecondLevel, HitsWhatIsThereAndWritesBackWhatIsEvicted) {
  const cache::WarpMachine& machine = warp_machine("h200");
  L2 large(1 << 20), small(128);
  const auto load = [&](std::uint64_t address) {
    cache::WarpRequest request = store_of_a_line(address);
    request.kind = AccessKind::load;
    large.consume(machine, request);
  };
  for (int i = 0; i < 2; ++i) load(4096);
  EXPECT_EQ(large.counts().sectors, 8u);
  EXPECT_EQ(large.counts().hits, 4u) << "not those that the load itself brings";
  EXPECT_EQ(large.counts().bytes_read, 128u);
  for (const unsigned line : {0, 1, 2, 0}) small.consume(machine, store_of_a_line(65536 * line));
  EXPECT_EQ(small.counts().hits, 16u) << "stores hit";
  EXPECT_EQ(small.counts().bytes_read, 0u);
  EXPECT_EQ(small.counts().bytes_written, 128u);
}

struct Collectives {
  template <class Thread, class Out>
  TALLCACHE_DEVICE void operator()(const Thread& t, Out out) const {
    const int lane = static_cast<int>(t.thread().x % 32), i = static_cast<int>(t.thread().x);
    out[4 * i] = t.shuffle(lane * lane, (lane + 1) % 32);
    out[4 * i + 1] = t.shuffle_down(lane, 16);
    out[4 * i + 2] = static_cast<int>(t.ballot(lane % 3 == 0));
    out[4 * i + 3] = static_cast<int>(t.match_any(lane % 5));
  }
};

TEST(HostThreads, WarpCollectives) {
  HostDevice device(warp_machine("h200"));
  Array<int> out(device, 4 * 64);
  device.launch({{1}, {64}}, Collectives{}, out.view);
  unsigned thirds = 0;
  for (int lane = 0; lane < 32; lane += 3) thirds |= 1u << lane;
  for (int i = 0; i < 64; ++i) {
    const int lane = i % 32, next = (lane + 1) % 32;
    unsigned same = 0;
    for (int other = lane % 5; other < 32; other += 5) same |= 1u << other;
    ASSERT_EQ(out.elements[4 * i], next * next);
    ASSERT_EQ(out.elements[4 * i + 1], lane < 16 ? lane + 16 : lane);
    ASSERT_EQ(static_cast<unsigned>(out.elements[4 * i + 2]), thirds);
    ASSERT_EQ(static_cast<unsigned>(out.elements[4 * i + 3]), same);
  }
}

/// Of three warps and a part of one; the last warp's first lanes end before the second vote.
struct Votes {
  template <class Thread, class Out>
  TALLCACHE_DEVICE void operator()(const Thread& t, Out out) const {
    const int i = static_cast<int>(t.thread().x), lane = i % 32;
    out[8 * i] = t.reduce_add(lane - 3);
    out[8 * i + 1] = t.reduce_min(lane - 3);
    out[8 * i + 2] = t.reduce_max(lane - 3);
    out[8 * i + 3] = static_cast<int>(t.reduce_or(1u << (lane % 5)));
    out[8 * i + 4] = static_cast<int>(t.sync_count(i % 7 == 0));
    if (i >= 96 && i < 98) return;
    out[8 * i + 5] = t.sync_and(i != 97);
    out[8 * i + 6] = t.sync_and(i != 98);
    out[8 * i + 7] = t.sync_or(i == 99) + 2 * t.sync_or(i == 96);
  }
};

TEST(HostThreads, ReductionsAndVotes) {
  HostDevice device(warp_machine("h200"));
  Array<int> out(device, 8 * 100);
  device.launch({{2}, {100}}, Votes{}, out.view);
  for (int i = 0; i < 100; ++i) {
    const int lanes = i < 96 ? 32 : 4;
    const std::vector<int> found(out.elements.begin() + 8 * i, out.elements.begin() + 8 * i + 8);
    const bool ends = i == 96 || i == 97;
    const std::vector<int> expected{lanes * (lanes - 1) / 2 - 3 * lanes,
                                    -3,
                                    lanes - 4,
                                    lanes == 32 ? 31 : 15,
                                    15,
                                    ends ? 8 * i + 5 : 1,
                                    ends ? 8 * i + 6 : 0,
                                    ends ? 8 * i + 7 : 1};
    EXPECT_EQ(found, expected) << i;
  }
}

struct ReadsUnwritten {
  template <class Thread, class Out>
  TALLCACHE_DEVICE void operator()(const Thread& t, Out out) const {
    auto&& memory = shared<0, float[64]>(t);
    if (t.thread().x < 16 || t.block().x == 0) memory[t.thread().x] = 1;
    t.sync();
    out[t.block().x * t.block_dim().x + t.thread().x] = memory[t.thread().x];
  }
};

// In every block, whatever the one before it left in shared memory.
template <bool reads>
struct Counting {
  template <class Thread, class A>
  TALLCACHE_DEVICE void operator()(const Thread& t, A a) const {
    auto&& number = shared<0, unsigned[1]>(t);
    const unsigned lane = t.thread().x;
    if (lane == 0) number[0] = 0;
    t.sync();
    if (lane % 2) t.atomic_add(number[0], 0u);  // the lanes are out of step from here on
    if constexpr (reads)
      a[lane] = t.atomic_add(number[0], 1u);
    else
      t.atomic_add(number[0], 1u);
  }
};

// Lanes on one address go one by one where a text reads what was there.
TEST(HostThreads, OldValuesThatAreReadCostMore) {
  const auto wavefronts = [](auto kernel) {
    HostDevice device(warp_machine("h200"));
    Array<unsigned> a(device, 32);
    device.launch({{1}, {32}}, kernel, a.view);
    return device.total(Space::shared, AccessKind::atomic).wavefronts;
  };
  EXPECT_EQ(wavefronts(Counting<false>{}), 2u);
  EXPECT_EQ(wavefronts(Counting<true>{}), 33u);
}

TEST(HostThreads, SharedMemoryIsPoisoned) {
  HostDevice device(warp_machine("h200"));
  Array<float> out(device, 64);
  device.launch({{2}, {32}}, ReadsUnwritten{}, out.view);
  for (int i = 0; i < 64; ++i) EXPECT_EQ(std::isnan(out.elements[i]), i >= 48) << i;
}

struct HalfAWarpShuffles {
  template <class Thread, class Out>
  TALLCACHE_DEVICE void operator()(const Thread& t, Out out) const {
    if (t.thread().x % 2) return;
    out[t.thread().x] = t.shuffle(1.0f, 0);
  }
};
struct Misaligned {
  template <class Thread, class Out>
  TALLCACHE_DEVICE void operator()(const Thread& t, Out out) const {
    out[t.thread().x] = 0;
    t.sync();
  }
};

// The longest lane between two barriers, the longest warp between two of the block's, and launches one after
// the other.
TEST(HostThreads, WorkAndSpan) {
  const auto visits = [](unsigned lane, int round) {
    return lane == 40 && !round ? 5u : lane == 3 && round ? 7u : 1u;
  };
  const std::uint64_t work = 64 * 3 + 4 + 6;
  HostDevice device(warp_machine("h200"));
  Array<float> a(device, 512);
  device.launch({{2}, {64}}, Uneven<decltype(visits), false>{visits}, a.view);
  EXPECT_EQ(device.work_span().work, 2 * work);
  EXPECT_EQ(device.work_span().span, 5u + 7u + 1u);
  device.launch({{1}, {64}}, Uneven<decltype(visits), true>{visits}, a.view);
  EXPECT_EQ(device.work_span().work, 3 * work);
  EXPECT_EQ(device.work_span().span, 13u + (1u + 7u + 1u));
}

TEST(HostThreads, BadInputIsNamed) {
  HostDevice device(warp_machine("gt200"));
  Array<float> out(device, 1024);
  const auto launch = [&](const LaunchShape& shape, const auto& kernel) {
    return message_of([&] { device.launch(shape, kernel, out.view); });
  };
  EXPECT_TRUE(launch({{1}, {1024}}, ReadsUnwritten{})
                  .ends_with(": blocks of 1024 threads; machine 'gt200' has 512 at most"));
  EXPECT_TRUE(launch({{0}, {32}}, ReadsUnwritten{}).ends_with(": a launch without threads"));
  EXPECT_EQ(launch({{1}, {32}, 16384}, ReadsUnwritten{}),
            "a block's shared memory of 16640 bytes; machine 'gt200' has 16384");
  EXPECT_EQ(launch({{1}, {32}}, HalfAWarpShuffles{}),
            "a kernel: 16 of a warp's 32 lanes wait for the others, which do not come");
  Counted crooked = out.view.access();
  crooked.offset += 2;
  out.view.policy = crooked;
  const std::string misaligned = launch({{1}, {32}}, Misaligned{});
  EXPECT_NE(misaligned.find(": store of 4 bytes, global memory: lane 0: address "), misaligned.npos)
      << misaligned;
  // The device remains usable.
  out.view.policy.offset -= 2;
  EXPECT_EQ(launch({{2}, {32}}, ReadsUnwritten{}), "no error");
}

}  // namespace
}  // namespace tallcache::warp
