// Accesses of 8 and 16 bytes in a kernel's text: they are the requests that the slow model counts, of the
// widths that the text says, and move the right bytes.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "gpu/matmul/vector_loads.hpp"
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
    if (what.space == Space::global)
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
  const cache::WarpMachine& machine = warp_machine(machine_name);
  HostDevice device(machine);
  Array<std::uint32_t> memory(device, words);
  int wrong = 0;
  for (std::uint64_t seed = 0; seed < number; ++seed) {
    WarpRequest what{.width = width,
                     .space = seed % 2 ? Space::shared : Space::global,
                     .kind = seed / 2 % 2 ? AccessKind::store : AccessKind::load};
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
    for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::int32_t>(random_bits(5, i));
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

}  // namespace
}  // namespace tallcache::warp
