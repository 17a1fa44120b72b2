// Accesses of 8 and 16 bytes and asynchronous copies in a kernel's text: they are the requests that the slow
// model counts, of the widths that the text says, and move the right bytes at the right time.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "gpu/matmul/asynchronous_copies.hpp"
#include "gpu/matmul/vector_loads.hpp"
#include "gpu/matmul/warp_tiles.hpp"
#include "gpu/transpose/any_shape.hpp"
#include "tests/counted_array.hpp"
#include "tests/requests_reference.hpp"

namespace tallcache::warp {
namespace {

using cache::AccessKind;
using cache::RequestCounts;
using cache::Space;
using cache::warp_machine;
using cache::WarpRequest;
using test::Array;
using test::message_of;

constexpr Index words = 32768 / 4;  // what requests are drawn from

/// The lanes of `what` make their accesses, each of n words.
template <int n>
struct OneRequest {
  WarpRequest what;

  template <class Thread, class A>
  void operator()(const Thread& t, A a) const {
    auto&& array = shared<0, std::uint32_t[words]>(t);
    const unsigned lane = t.thread().x;
    if (!(what.mask >> lane & 1)) return;
    const auto word = static_cast<Index>(what.address[lane] / 4);
    if (what.kind == AccessKind::copy)  // of a space: the other's is the same for all lanes
      copy_asynchronously(t, shared_address(t, array[what.space == Space::shared ? word : 0]),
                          vector_at<n>(a[what.space == Space::global ? word : 0]), 4 * n);
    else if (what.space == Space::global)
      touch(a[word]);
    else
      touch(array[word]);
  }

  template <class Element>
  void touch(const Element& element) const {
    auto&& all = vector_at<n>(element);
    Vector<std::uint32_t, n> value{};
    if (what.kind == AccessKind::store)
      all = value;
    else
      value = all;
  }
};

RequestCounts counts_of_text(HostDevice& device, Array<std::uint32_t>& memory, const WarpRequest& what) {
  device.recorder().clear();
  const LaunchShape warp{{1}, {32}};
  if (what.width == 4)
    device.launch(warp, OneRequest<1>{what}, memory.view);
  else if (what.width == 8)
    device.launch(warp, OneRequest<2>{what}, memory.view);
  else
    device.launch(warp, OneRequest<4>{what}, memory.view);
  return device.total(what.space, what.kind);
}

/// Of `number` requests of `width` bytes, those that the slow model counts otherwise, when it takes them to
/// have `counted` bytes a lane.
int wrong_requests(const char* machine_name, int width, int counted, std::uint64_t number) {
  constexpr AccessKind kinds[] = {AccessKind::load, AccessKind::store, AccessKind::copy};
  const cache::WarpMachine& machine = warp_machine(machine_name);
  HostDevice device(machine);
  Array<std::uint32_t> memory(device, words);
  int wrong = 0;
  for (std::uint64_t seed = 0; seed < number; ++seed) {
    WarpRequest what{
        .width = width, .space = seed % 2 ? Space::shared : Space::global, .kind = kinds[seed / 2 % 3]};
    cache::draw_lanes(machine, seed, what);
    WarpRequest reference = what;
    reference.width = counted;
    wrong += !(counts_of_text(device, memory, what) == cache::slow_counts(machine, reference));
  }
  return wrong;
}

TEST(VectorAccesses, AreTheRequestsOfTheSlowModel) {
  for (const char* machine : {"h200", "pmpp_toy"})
    for (const int width : {4, 8, 16})
      EXPECT_EQ(wrong_requests(machine, width, width, 2500), 0) << machine << width;
  EXPECT_GT(wrong_requests("h200", 16, 8, 100), 50) << "another width is found";
  EXPECT_GT(wrong_requests("h200", 8, 4, 100), 50);
}

/// Two groups of copies of 8 bytes a lane, of which only `bytes` exist in the second. `when` of the memory is
/// what a lane finds: before it waits, when all but the last group have arrived, when all have.
template <int when>
struct CopyTwice {
  int bytes;

  template <class Thread, class A>
  void operator()(const Thread& t, A to, A from) const {
    auto&& array = shared<0, float[128]>(t);
    const auto at = static_cast<Index>(2 * t.thread().x);
    for (int group = 0; group < 2; ++group) {
      const Index first = 64 * group + at;
      copy_asynchronously(t, shared_address(t, array[first]), vector_at<2>(from[first]), group ? bytes : 8);
      t.commit_copies();
    }
    if constexpr (when == 1) wait_for_copies<1>(t);
    if constexpr (when == 2) wait_for_copies<0>(t);
    for (int group = 0; group < 2; ++group)
      for (Index e = 0; e < 2; ++e) to[64 * group + at + e] = array[64 * group + at + e];
  }
};

TEST(AsynchronousCopies, ArriveWhenTheThreadHasWaited) {
  HostDevice device(warp_machine("h200"));
  Array<float> to(device, 128), from(device, 128);
  const auto run = [&](auto kernel) { device.launch({{2}, {32}}, kernel, to.view, from.view); };
  const auto arrived = [&](std::size_t i) { return to.elements[i] == static_cast<float>(i); };
  const auto nothing = [&](std::size_t i) { return std::isnan(to.elements[i]); };
  run(CopyTwice<0>{8});
  for (std::size_t i = 0; i < 128; ++i) ASSERT_TRUE(nothing(i)) << i;
  run(CopyTwice<1>{8});
  for (std::size_t i = 0; i < 128; ++i) ASSERT_TRUE(i < 64 ? arrived(i) : nothing(i)) << i;
  run(CopyTwice<2>{4});
  for (std::size_t i = 0; i < 128; ++i)
    ASSERT_TRUE(i < 64 || i % 2 == 0 ? arrived(i) : to.elements[i] == 0) << i;
  device.recorder().clear();
  run(CopyTwice<2>{0});
  for (std::size_t i = 0; i < 128; ++i) ASSERT_TRUE(i < 64 ? arrived(i) : to.elements[i] == 0) << i;
  EXPECT_EQ(device.total(Space::global, AccessKind::copy).requests, 2u) << "zeros are not read";
  EXPECT_EQ(device.total(Space::shared, AccessKind::copy).requests, 4u);
}

struct CopyBeyond {
  template <class Thread, class A>
  void operator()(const Thread& t, A a) const {
    auto&& array = shared<0, float[4]>(t);
    copy_asynchronously(t, shared_address(t, array[4]), a[0], 4);
  }
};

TEST(AsynchronousCopies, OneBeyondSharedMemoryIsNamed) {
  HostDevice device(warp_machine("h200"));
  Array<float> a(device, 4);
  EXPECT_EQ(message_of([&] {
              device.launch({{1}, {1}}, CopyBeyond{}, a.view);
            }),
            "an asynchronous copy to byte 16 of a block's shared memory, which has 16");
}

struct Misaligned {
  template <class Thread, class A>
  void operator()(const Thread&, A a) const {
    vector_at<4>(a[2]) = Vector<float, 4>{};
  }
};

TEST(VectorAccesses, OneThatIsNotAlignedIsNamed) {
  HostDevice device(warp_machine("h200"));
  Array<float> a(device, 64);
  const std::string message = message_of([&] { device.launch({{1}, {1}}, Misaligned{}, a.view); });
  EXPECT_NE(message.find(": store of 16 bytes, global memory: lane 0: address "), message.npos) << message;
}

// Vectors and single elements at one place of the text are sites of their own.
struct Mixed {
  template <class Thread, class A>
  void operator()(const Thread& t, A a) const {
    const auto i = static_cast<Index>(4 * t.thread().x);
    gpu::store_chunk(a[i], 0, t.thread().x < 16 ? 4 : 3, Vector<float, 4>{{1, 2, 3, 4}});
  }
};

TEST(VectorAccesses, EdgesAreStoredElementByElement) {
  HostDevice device(warp_machine("h200"));
  Array<float> a(device, 128);
  device.launch({{1}, {32}}, Mixed{}, a.view);
  for (std::size_t i = 0; i < 128; ++i)
    ASSERT_EQ(a.elements[i], i < 64 || i % 4 < 3 ? static_cast<float>(i % 4 + 1) : static_cast<float>(i))
        << i;
  std::vector<std::pair<int, std::uint64_t>> requests;
  for (const SiteCounts& site : device.sites()) requests.push_back({site.site.width, site.counts.requests});
  EXPECT_EQ(requests, (std::vector<std::pair<int, std::uint64_t>>{{4, 3}, {16, 1}}));
}

/// C = A B by a text of vector accesses. Rows are `pad` elements longer, and begin `start` elements into the
/// memory.
template <class Variant>
void expect_product(Index m, Index n, Index k, Index pad, Index start) {
  HostDevice device(warp_machine("h200"));
  const auto matrix = [&](std::vector<std::int32_t>& memory, Index rows, Index cols) {
    memory.resize(static_cast<std::size_t>(start + rows * (cols + pad) + 64));
    // So small that no sum overflows.
    for (std::size_t i = 0; i < memory.size(); ++i)
      memory[i] = static_cast<std::int32_t>(random_bits(5, i) % 1001) - 500;
    const auto skipped = reinterpret_cast<std::uintptr_t>(memory.data()) % 64 / 4;
    std::int32_t* const begins = memory.data() + (16 - skipped) % 16;
    return MatrixView<std::int32_t, Counted>{begins + start, rows, cols, cols + pad, device.access(begins)};
  };
  std::vector<std::int32_t> of_c, of_a, of_b;
  struct {
    MatrixView<std::int32_t, Counted> c;
    MatrixView<const std::int32_t, Counted> a, b;
  } const args{matrix(of_c, m, n), matrix(of_a, m, k), matrix(of_b, k, n)};
  const std::vector<std::int32_t> before = of_c;
  Variant::call(device, args, Params{});
  for (std::size_t at = 0; at < of_c.size(); ++at) {
    const Index place = static_cast<Index>(at) - (args.c.data - of_c.data()), ld = n + pad;
    const Index i = place / std::max<Index>(ld, 1), j = place % std::max<Index>(ld, 1);
    std::uint32_t expected = 0;
    if (place < 0 || i >= m || j >= n)
      expected = static_cast<std::uint32_t>(before[at]);
    else
      for (Index l = 0; l < k; ++l)
        expected += static_cast<std::uint32_t>(args.a.data[i * (k + pad) + l]) *
                    static_cast<std::uint32_t>(args.b.data[l * ld + j]);
    ASSERT_EQ(static_cast<std::uint32_t>(of_c[at]), expected)
        << m << " x " << n << " x " << k << ", pad " << pad << ", start " << start << ": (" << i << ", " << j
        << ")";
  }
}

TEST(VectorLoads, AreRightAtEveryEdge) {
  using gpu::matmul::vector_loads;
  for (const Index side : {0, 1, 3, 4, 127, 128, 129, 131})
    for (const Index k : {0, 1, 7, 8, 9, 17}) {
      expect_product<vector_loads>(side, 5, k, 0, 0);
      expect_product<vector_loads>(3, side, k, side % 3, 4);
      expect_product<vector_loads>(side, side, k, (4 - side % 4) % 4, side % 2);
    }
}

TEST(BlockProducts, AreRightAtEveryEdge) {
  using gpu::matmul::asynchronous_copies;
  for (const Index side : {0, 1, 3, 127, 128, 129})
    for (const Index k : {0, 1, 15, 16, 17, 33, 65}) {
      expect_product<asynchronous_copies>(side, 5, k, 0, 0);
      expect_product<asynchronous_copies>(3, side, k, (4 - side % 4) % 4, 0);
      expect_product<asynchronous_copies>(3, side, k, side % 3, 1);
    }
}

/// B = A^T of m x n elements of A. Rows are `pad` elements longer, and begin `a_start` and `b_start` elements
/// into the memory.
template <class Variant>
void expect_transposed(Index m, Index n, Index pad, Index a_start, Index b_start) {
  HostDevice device(warp_machine("h200"));
  const auto size = [&](Index rows, Index cols) {
    return static_cast<std::size_t>(rows * (cols + pad) + 96);
  };
  std::vector<std::int32_t> of_a(size(m, n)), of_b(size(n, m), -1);
  std::iota(of_a.begin(), of_a.end(), 0);
  const auto matrix = [&](std::vector<std::int32_t>& memory, Index rows, Index cols, Index start) {
    const auto skipped = reinterpret_cast<std::uintptr_t>(memory.data()) % 256 / 4;
    std::int32_t* const begins = memory.data() + (64 - skipped) % 64;
    return MatrixView<std::int32_t, Counted>{begins + start, rows, cols, cols + pad, device.access(begins)};
  };
  struct {
    MatrixView<std::int32_t, Counted> b;
    MatrixView<const std::int32_t, Counted> a;
  } const args{matrix(of_b, n, m, b_start), matrix(of_a, m, n, a_start)};
  Variant::call(device, args, Params{});
  const auto own = static_cast<std::size_t>(args.b.data - of_b.data());
  std::vector<std::int32_t> expected(of_b.size(), -1);
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < n; ++j)
      expected[own + static_cast<std::size_t>(j * (m + pad) + i)] = args.a.data[i * (n + pad) + j];
  ASSERT_EQ(of_b, expected) << m << " x " << n << ", pad " << pad << ", starts " << a_start << ", "
                            << b_start;
}

TEST(Transpositions, AreRightAtEveryEdge) {
  using namespace gpu::transpose;
  for (const Index m : {0, 1, 2, 9, 31, 63, 64, 65, 97, 131})
    for (const Index n : {0, 1, 8, 33, 64, 67, 127, 129}) {
      expect_transposed<whole_sectors>(m, n, m % 3, n % 9, (m + n) % 8);
      expect_transposed<any_shape>(m, n, 0, m % 2, 4 * (n % 2));
      if (std::min(m, n) <= narrow) expect_transposed<narrow_strips>(m, n, m % 2, 1, 3);
    }
  for (const Index m : {4, 60, 64, 68, 132})
    for (const Index n : {0, 12, 64, 140}) expect_transposed<sixteen_bytes>(m, n, m % 8, 4, 4 * (n % 8 / 4));
}

/// Blocks that share tiles along k, and tiles whose steps warps share.
template <class Tiles, int blocks>
struct SharedTiles {
  static void call(HostDevice& device, const auto& args, const Params&) {
    using gpu::matmul::StreamPlan;
    const auto order =
        gpu::matmul::tiles_of<Tiles>(args.c.rows, args.c.cols, gpu::matmul::BlockOrder::recursive);
    const auto plan =
        StreamPlan::of_remainder(order.tiles(), ceil_div<Index>(args.a.cols, Tiles::depth), blocks);
    std::vector<std::int32_t> memory(static_cast<std::size_t>(plan.slots()) * Tiles::rows * Tiles::cols + 16,
                                     -1);
    Scratch<Counted> scratch(std::as_writable_bytes(std::span(memory)), device.access(memory.data()));
    const auto parts = gpu::matmul::parts_of<Tiles, std::int32_t>(scratch, plan);
    gpu::matmul::multiply_in_blocks<Tiles>(device, args.c, args.a, args.b, order, plan, parts,
                                           gpu::rows_are_chunks(args.b));
  }
};

TEST(BlockProducts, AreRightWhereBlocksShareTiles) {
  using gpu::matmul::BlockShape;
  using Sliced = BlockShape<32, 32, 32, 32, 32, 4, 4, 4>;
  for (const Index n : {31, 32, 65, 100}) {
    expect_product<SharedTiles<Sliced, 3>>(65, n, 129, 0, 0);
    expect_product<SharedTiles<Sliced, 40>>(33, n, 700, 4 - n % 4, 4);
    expect_product<SharedTiles<BlockShape<32, 32, 32, 16, 16, 4, 4>, 5>>(40, n, 65, n % 3, 1);
  }
}

}  // namespace
}  // namespace tallcache::warp
