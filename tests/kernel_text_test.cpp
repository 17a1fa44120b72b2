// The kernels' own text on the host: the right results, and the requests that an H200's counters counted.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "common/catalogue.hpp"
#include "common/ops/matmul_bt.hpp"
#include "gpu/exercises/foo.hpp"
#include "gpu/kernel_text.hpp"
#include "gpu/matmul_bt/corner_turning.hpp"

namespace tallcache::gpu {
namespace {

using cache::AccessKind;
using cache::RequestCounts;
using cache::Space;
using cache::warp_machine;
using warp::Counted;
using warp::HostDevice;
using warp::HostThread;

/// What counters count of a kernel.
struct Counts {
  std::uint64_t loads, load_sectors, stores, store_sectors;
  std::uint64_t shared_loads, shared_load_wavefronts, shared_stores, shared_store_wavefronts;
  friend bool operator==(const Counts&, const Counts&) = default;
};
std::ostream& operator<<(std::ostream& out, const Counts& c) {
  return out << "global loads " << c.loads << "/" << c.load_sectors << ", stores " << c.stores << "/"
             << c.store_sectors << "; shared loads " << c.shared_loads << "/" << c.shared_load_wavefronts
             << ", stores " << c.shared_stores << "/" << c.shared_store_wavefronts;
}

Counts counts_of(const HostDevice& device) {
  const RequestCounts load = device.total(Space::global, AccessKind::load),
                      store = device.total(Space::global, AccessKind::store),
                      shared_load = device.total(Space::shared, AccessKind::load),
                      shared_store = device.total(Space::shared, AccessKind::store);
  return {load.requests,        load.sectors,           store.requests,        store.sectors,
          shared_load.requests, shared_load.wavefronts, shared_store.requests, shared_store.wavefronts};
}

std::string message_of(auto&& f) {
  try {
    f();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "no error";
}

/// A vector of the model's memory, filled with 0, 1, 2, ...
template <class T>
struct Array {
  std::vector<T> elements;
  VectorView<T, Counted> view;

  Array(HostDevice& device, Index size) : elements(static_cast<std::size_t>(size)) {
    std::iota(elements.begin(), elements.end(), T{});
    view = {elements.data(), size, device.access(elements.data())};
  }
};

class KernelText : public testing::TestWithParam<const gpu::KernelText*> {};

TEST_P(KernelText, IsRight) {
  const gpu::KernelText& text = *GetParam();
  HostDevice device(warp_machine("h200"));
  int shapes = 0;
  for (const Shape& shape : text.operation->test_shapes()) {
    Index work = 1;
    for (const auto& [name, value] : shape)
      if (name != "pad" && name != "range") work *= value;
    if (work > 70000 || !text.supports(shape)) continue;
    const Check check = run_kernel_text(device, text, shape);
    EXPECT_TRUE(check) << to_string(*text.operation, shape) << ": " << check.message();
    ++shapes;
  }
  EXPECT_GT(shapes, 5);
}

TEST_P(KernelText, IsRightWithEveryChoice) {
  const gpu::KernelText& text = *GetParam();
  const Shape shape = text.operation->dims.size() > 3 ? Shape{{"m", 37}, {"n", 45}, {"k", 39}}
                                                      : Shape{{text.operation->dims[0].name, 70}};
  for (const ParamSpec& spec : text.params)
    for (const Index value : spec.choices.empty()
                                 ? std::vector<Index>{2, 3}
                                 : std::vector<Index>(spec.choices.begin(), spec.choices.end())) {
      if (!text.supports(complete_shape(*text.operation, shape))) continue;
      HostDevice device(warp_machine("h200"));
      const Check check = run_kernel_text(device, text, shape, {{spec.name, value}});
      EXPECT_TRUE(check) << spec.name << " " << value << ": " << check.message();
    }
}

INSTANTIATE_TEST_SUITE_P(Modelled, KernelText,
                         testing::ValuesIn(kernel_texts().begin(), kernel_texts().end()),
                         [](const auto& test) {
                           const gpu::KernelText& text = *test.param;
                           return std::string(text.operation->name) + "_" +
                                  std::string(text.operation->element) + "_" + std::string(text.name);
                         });

Counts counts_of(std::string_view operation, std::string_view name, const Shape& shape,
                 const Params& params = {}, std::string_view machine = "h200") {
  HostDevice device(warp_machine(machine));
  for (const gpu::KernelText* text : kernel_texts())
    if (text->operation->name == operation && text->operation->element == "float" && text->name == name) {
      EXPECT_TRUE(run_kernel_text(device, *text, shape, params)) << name;
      return counts_of(device);
    }
  ADD_FAILURE() << "no text of " << operation << " " << name;
  return {};
}

// An H200's counters counted the same, of the whole kernel and of each instruction.
TEST(Counted, FooKernel) {
  HostDevice device(warp_machine("h200"));
  constexpr Index threads = 32 * 256;
  Array<float> a(device, threads), b(device, 4 * threads), c(device, 4 * threads), d(device, threads + 8),
      e(device, 8 * threads);
  device.launch({{32}, {256}}, exercises::Foo{}, a.view, b.view, c.view, d.view, e.view);
  EXPECT_EQ(counts_of(device), (Counts{2304, 21504, 512, 9216, 512, 1280, 1280, 1280}));
  for (Index i = 0; i < threads; ++i) ASSERT_EQ(d.elements[i + 8], static_cast<float>(i));
  // Thread 255 takes element 3 * 256 + 252 of bc_s.
  EXPECT_EQ(e.elements[8 * 255], static_cast<float>(3 * threads + 252 + 4 * 252 + 3));

  // By place in the text: each of the exercise's accesses has one.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> sectors, wavefronts;
  for (const warp::SiteCounts& site : device.sites()) {
    const RequestCounts& counts = site.counts;
    if (site.site.space == Space::global)
      sectors.push_back({counts.sectors / counts.requests, counts.lines / counts.requests});
    else
      wavefronts.push_back({static_cast<std::uint64_t>(site.site.kind), counts.wavefronts / counts.requests});
  }
  using Pairs = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
  EXPECT_EQ(sectors, (Pairs{{4, 1}, {4, 1}, {16, 4}, {4, 2}, {32, 8}})) << "a, b, c, d, e: sectors, lines";
  EXPECT_EQ(wavefronts, (Pairs{{1, 1}, {1, 1}, {0, 1}, {0, 4}})) << "stores to a_s, bc_s; loads of both";
}

TEST(Counted, CopiesAndTranspositionsOf1024) {
  const Shape shape{{"m", 1024}, {"n", 1024}};
  constexpr std::uint64_t warps = 1024 * 1024 / 32;
  const Counts copy{warps, 4 * warps, warps, 4 * warps, 0, 0, 0, 0};
  const Counts by_elements{warps, 4 * warps, warps, 32 * warps, 0, 0, 0, 0};
  const auto by_tiles = [](std::uint64_t ways) {
    return Counts{warps, 4 * warps, warps, 4 * warps, warps, ways * warps, warps, warps};
  };
  EXPECT_EQ(counts_of("copy", "simple", shape), copy);
  EXPECT_EQ(counts_of("copy", "through_shared_memory", shape), by_tiles(1));
  EXPECT_EQ(counts_of("transpose", "naive", shape), by_elements);
  EXPECT_EQ(counts_of("transpose", "transpose2", shape), by_elements);
  EXPECT_EQ(counts_of("transpose", "coalesced", shape), by_tiles(32));
  EXPECT_EQ(counts_of("transpose", "transpose3", shape), by_tiles(32));
  EXPECT_EQ(counts_of("transpose", "bank_conflict_free", shape), by_tiles(1));
  EXPECT_EQ(counts_of("transpose", "transpose4", shape), by_tiles(1));
  for (const Index elements : {2, 4, 8, 16})
    EXPECT_EQ(counts_of("transpose", "transpose5", shape, {{"elements", elements}}), by_tiles(1));
  EXPECT_EQ(counts_of("transpose", "diagonal", shape), by_tiles(1));
}

// S-e: printed of transpose2 and transpose3 at 2048, on a K40.
TEST(Counted, TranspositionsOf2048OnAK40) {
  const Shape shape{{"m", 2048}, {"n", 2048}};
  const Counts by_elements = counts_of("transpose", "transpose2", shape, {}, "k40");
  EXPECT_EQ(by_elements.stores, 131072u);
  EXPECT_EQ(by_elements.store_sectors, 4194304u);
  const Counts by_tiles = counts_of("transpose", "transpose3", shape, {}, "k40");
  EXPECT_EQ(by_tiles.shared_load_wavefronts, 16 * by_tiles.shared_loads);
}

TEST(Counted, Products) {
  const Shape n128{{"m", 128}, {"n", 128}, {"k", 128}};
  constexpr std::uint64_t warps = 128 * 128 / 32, products = 128 * warps;
  // A row of A is one element for the whole warp, four sectors come of B.
  EXPECT_EQ(counts_of("matmul", "coalesced", n128),
            (Counts{2 * products, 5 * products, warps, 4 * warps, 0, 0, 0, 0}));
  EXPECT_EQ(counts_of("matmul_bt", "uncoalesced", n128),
            (Counts{2 * products, 33 * products, warps, 4 * warps, 0, 0, 0, 0}));
  // 131,072 shared loads as written; ptxas makes four of a_tile one.
  const Counts tiled = counts_of("matmul", "shared_memory_tiled", n128);
  EXPECT_EQ(tiled, (Counts{2 * warps * 4, 8 * warps * 4, warps, 4 * warps, 131072, 131072, 4096, 4096}));
}

/// The seed's corner turning of 128 x 128, whose tile has no padding.
template <int tile>
std::uint64_t seeds_store_wavefronts() {
  HostDevice device(warp_machine("h200"));
  std::vector<float> storage(3 * 128 * 128, 1);
  const auto matrix = [&](std::size_t number) {
    float* begins = storage.data() + number * 128 * 128;
    return MatrixView<float, Counted>{begins, 128, 128, 128, device.access(begins)};
  };
  const auto bt = matrix(2);
  matmul::multiply_tiles<tile, 1>(device, matrix(0), matrix(1),
                                  matmul_bt::TurnedTile<tile, std::decay_t<decltype(bt)>, 0>{bt});
  EXPECT_EQ(storage.front(), 128);
  return device.total(Space::shared, AccessKind::store).wavefronts;
}

TEST(Counted, CornerTurning) {
  EXPECT_EQ(seeds_store_wavefronts<16>(), 36864u);
  EXPECT_EQ(seeds_store_wavefronts<32>(), 67584u);
  const Counts padded = counts_of("matmul_bt", "corner_turning", {{"m", 128}, {"n", 128}, {"k", 128}});
  EXPECT_EQ(padded.shared_store_wavefronts, padded.shared_stores);
}

TEST(Counted, AtomicsOfCountingSort) {
  const auto& sort = *find_kernel_text(find_operation("counting_sort", "uint32"), "global_atomics").operation;
  HostDevice device(warp_machine("h200"));
  ASSERT_TRUE(
      run_kernel_text(device, find_kernel_text(sort, "global_atomics"), {{"n", 10000}, {"range", 50}}));
  const RequestCounts atomics = device.total(Space::global, AccessKind::atomic);
  EXPECT_EQ(atomics.requests, 2 * ((10000 + 31) / 32u));
  EXPECT_EQ(atomics.lanes, 2 * 10000u);
  EXPECT_GT(atomics.atomic_steps, atomics.requests) << "of 50 values some meet in a warp";
}

/// Lanes visit a site as often as `visits` says, in two rounds with a barrier between them; then all once
/// another one.
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
  device.recorder().observe([&](const warp::Site& site, const cache::WarpRequest& request) {
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
  for (const warp::SiteCounts& site : device.sites()) {
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
  device.recorder().observe([&](const warp::Site&, const cache::WarpRequest& request) {
    lanes.push_back(std::popcount(request.mask));
    first.push_back(request.address[1] % 512);
  });
  device.launch({{1}, {32}}, OddLanesTurnOff{}, a.view, b.view);
  EXPECT_EQ(lanes, (std::vector<int>{32, 32, 32, 32, 16})) << "three of a, then the even lanes' end, then b";
  EXPECT_EQ(first[1] - first[0], 128u);
  EXPECT_EQ(first[2] - first[1], 128u);
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

struct ReadsUnwritten {
  template <class Thread, class Out>
  TALLCACHE_DEVICE void operator()(const Thread& t, Out out) const {
    auto&& memory = shared<0, float[64]>(t);
    if (t.thread().x < 16 || t.block().x == 0) memory[t.thread().x] = 1;
    t.sync();
    out[t.block().x * t.block_dim().x + t.thread().x] = memory[t.thread().x];
  }
};

// In every block, whatever the one before it left there.
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
  Counted crooked = out.view.access;
  crooked.offset += 2;
  out.view.access = crooked;
  const std::string misaligned = launch({{1}, {32}}, Misaligned{});
  EXPECT_NE(misaligned.find(": store of 4 bytes, global memory: lane 0: address "), misaligned.npos)
      << misaligned;
  // The device goes on.
  out.view.access.offset -= 2;
  EXPECT_EQ(launch({{2}, {32}}, ReadsUnwritten{}), "no error");
  EXPECT_EQ(message_of([] { find_kernel_text(find_operation("transpose", "float"), "naiv"); }),
            "unknown modelled variant of transpose 'naiv'; did you mean 'naive'?");
}

}  // namespace
}  // namespace tallcache::gpu
