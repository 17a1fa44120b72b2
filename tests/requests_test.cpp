// The request model against the numbers that the texts print, and against a model of bytes in sets. A machine
// with one broken rule fails both.
#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "requests_reference.hpp"

namespace tallcache::cache {
namespace {

using Address = std::function<std::uint64_t(std::uint64_t lane)>;

WarpRequest request_of(Space space, AccessKind kind, int width, const Address& address,
                       std::uint32_t mask = ~0u) {
  WarpRequest request{mask, width, space, kind, {}};
  for (int lane = 0; lane < 32; ++lane) request.address[lane] = address(static_cast<std::uint64_t>(lane));
  return request;
}
WarpRequest global_load(int width, const Address& address) {
  return request_of(Space::global, AccessKind::load, width, address);
}
WarpRequest global_store(int width, const Address& address) {
  return request_of(Space::global, AccessKind::store, width, address);
}
WarpRequest shared_load(int width, const Address& address) {
  return request_of(Space::shared, AccessKind::load, width, address);
}

/// A printed or measured number, by its id in the exercises.
struct Example {
  std::string id;
  std::string_view machine;
  WarpRequest request;
  std::uint64_t RequestCounts::*count;
  std::uint64_t expected;
};

constexpr auto sectors = &RequestCounts::sectors, lines = &RequestCounts::lines,
               wavefronts = &RequestCounts::wavefronts, ideal_sectors = &RequestCounts::ideal_sectors,
               ideal_wavefronts = &RequestCounts::ideal_wavefronts;

/// PMPP: figures 6.2 and 6.3 at a width of 1024, foo_kernel's accesses.
std::vector<Example> pmpp() {
  return {
      {"P-a row-major", "h200", global_load(4, [](auto l) { return 4 * (7 * 1024 + l); }), sectors, 4},
      {"P-a column-major", "h200", global_load(4, [](auto l) { return 4 * (l * 1024 + 7); }), sectors, 32},
      {"P-g a, a[i]", "h200", global_load(4, [](auto l) { return 4 * l; }), sectors, 4},
      {"P-g d, c[i * 4 + j]", "h200", global_load(4, [](auto l) { return 4 * (4 * l + 1); }), sectors, 16},
      {"P-g g, d[i + 8]", "h200", global_store(4, [](auto l) { return 4 * (l + 8); }), sectors, 4},
      {"P-g g, d[i + 8]", "h200", global_store(4, [](auto l) { return 4 * (l + 8); }), lines, 2},
      {"P-g i, e[i * 8]", "h200", global_store(4, [](auto l) { return 32 * l; }), sectors, 32},
      {"P-g i, e[i * 8]", "h200", global_store(4, [](auto l) { return 32 * l; }), lines, 8},
      {"P-g h, bc_s[i * 4]", "h200", shared_load(4, [](auto l) { return 16 * l; }), wavefronts, 4},
      {"two rows of a 16 x 16 tile", "h200",
       global_load(4, [](auto l) { return 4 * (l / 16 * 1024 + l % 16); }), sectors, 4},
      {"four shared loads as one, of a_tile[ty][k]", "h200", shared_load(16, [](auto) { return 64; }),
       wavefronts, 2},
  };
}

/// Moreno Maza: half-warps of the naive transposition at 2048, and a column of a tile of floats.
std::vector<Example> moreno_maza() {
  std::vector<Example> all;
  for (const std::string_view machine : {"g80", "gt200"}) {
    const std::string on = " on " + std::string(machine);
    const auto row = [](auto l) { return 4 * l; };
    all.push_back({"M-d copy" + on, machine, global_store(4, row), sectors, 2});
    all.push_back({"M-d naive transposition" + on, machine,
                   global_store(4, [](auto l) { return 4 * 2048 * l; }), sectors, 2 * 16});
    all.push_back({"M-d lanes left out" + on, machine,
                   request_of(Space::global, AccessKind::load, 4, row, 0xfff0fffa), sectors, 2});
    all.push_back({"M-e tile[32][32]" + on, machine, shared_load(4, [](auto l) { return 4 * 32 * l; }),
                   wavefronts, 2 * 16});
    all.push_back(
        {"M-e tile[32][33]" + on, machine, shared_load(4, [](auto l) { return 4 * 33 * l; }), wavefronts, 2});
    all.push_back({"M-e broadcast" + on, machine, shared_load(4, [](auto) { return 4 * 5; }), wavefronts, 2});
  }
  const auto crossed = [](auto l) { return 4 * (l ^ 1); };
  const auto shifted = [](auto l) { return 4 * (l + 1); };
  all.push_back({"M-d out of order on g80", "g80", global_load(4, crossed), sectors, 32});
  all.push_back({"M-d out of order on gt200", "gt200", global_load(4, crossed), sectors, 2});
  all.push_back({"M-d not aligned on g80", "g80", global_load(4, shifted), sectors, 32});
  all.push_back({"M-d not aligned on gt200", "gt200", global_load(4, shifted), sectors, 3});
  all.push_back(
      {"M-d 16 bytes a lane on g80", "g80", global_load(16, [](auto l) { return 16 * l; }), sectors, 4});
  all.push_back(
      {"M-d 2 bytes a lane on g80", "g80", global_load(2, [](auto l) { return 2 * l; }), sectors, 32});
  return all;
}

/// Scudiero.
std::vector<Example> scudiero() {
  // The half-warp of LD.E: 0x00FB6AEB appears twice, is not a multiple of 4, and is taken for ...E8.
  constexpr std::uint64_t load_e[] = {0xe0, 0xe8, 0xe4, 0xe8, 0xf4, 0xf8, 0xf0,  0xe8,
                                      0xf0, 0xf4, 0xf8, 0xe4, 0xe8, 0xe0, 0x114, 0x118};
  const auto half = request_of(
      Space::global, AccessKind::load, 4, [&](auto l) { return 0x00fb6a00 + load_e[l % 16]; }, 0xffff);
  const auto column = [](auto l) { return 4 * 32 * l; };
  const auto to_column = global_store(4, [](auto l) { return 4 * 2048 * l; });
  return {
      {"S-d best", "k40", global_load(4, [](auto l) { return 4 * l; }), lines, 1},
      {"S-d best", "k40", global_load(4, [](auto l) { return 4 * l; }), sectors, 4},
      {"S-d worst", "k40", global_load(4, [](auto l) { return 128 * l; }), lines, 32},
      {"S-d worst", "k40", global_load(4, [](auto l) { return 128 * l; }), sectors, 128},
      {"S-d LD.E", "k40", half, lines, 2},
      {"S-d LD.E", "h200", half, sectors, 2},
      {"S-e transpose2's store", "k40", to_column, sectors, 32},
      {"S-e transpose2's store", "k40", to_column, ideal_sectors, 4},
      {"S-e transpose3's load", "k40", shared_load(4, column), wavefronts, 16},
      {"S-e transpose3's load", "k40", shared_load(4, column), ideal_wavefronts, 1},
      {"S-e the same today", "h200", shared_load(4, column), wavefronts, 32},
      {"S-f tile[4][4]", "four_banks",
       request_of(
           Space::shared, AccessKind::load, 4, [](auto l) { return 16 * l; }, 0xf),
       wavefronts, 4},
      {"S-f tile[4][5]", "four_banks",
       request_of(
           Space::shared, AccessKind::load, 4, [](auto l) { return 20 * l; }, 0xf),
       wavefronts, 1},
      {"S-h float", "k40", global_load(4, [](auto l) { return 4 * l; }), sectors, 4},
      {"S-h double", "k40", global_load(8, [](auto l) { return 8 * l; }), lines, 2},
      {"S-h double", "k40", global_load(8, [](auto l) { return 8 * l; }), sectors, 8},
  };
}

/// Strides in elements of 4 bytes, measured on an H200.
std::vector<Example> strides() {
  std::vector<Example> all;
  for (std::uint64_t stride = 0; stride <= 32; ++stride) {
    const auto address = [=](auto l) { return 4 * stride * l; };
    const std::string id = "stride " + std::to_string(stride);
    if (stride)
      all.push_back({id, "h200", global_load(4, address), sectors, std::min<std::uint64_t>(32, 4 * stride)});
    all.push_back(
        {id, "h200", shared_load(4, address), wavefronts, stride ? std::gcd(stride, std::uint64_t{32}) : 1});
  }
  return all;
}

std::vector<Example> examples() {
  std::vector<Example> all;
  for (const auto& some : {pmpp(), moreno_maza(), scudiero(), strides()})
    all.insert(all.end(), some.begin(), some.end());
  return all;
}

/// Unchanged machines, and machines with a defect.
using Alter = std::function<WarpMachine(WarpMachine)>;

/// The examples that the altered machines get wrong.
int wrong_examples(const Alter& alter) {
  int wrong = 0;
  for (const Example& example : examples()) {
    const RequestCounts counts = count_requests(alter(warp_machine(example.machine)), example.request);
    wrong += counts.*example.count != example.expected;
  }
  return wrong;
}

/// The random requests for which the count of an altered machine differs from the true machine's slow one.
int wrong_random(const Alter& alter, std::string_view name, std::uint64_t number) {
  const WarpMachine& machine = warp_machine(name);
  const WarpMachine altered = alter(machine);
  int wrong = 0;
  for (std::uint64_t seed = 0; seed < number; ++seed) {
    const WarpRequest request = random_request(machine, seed);
    wrong += !(count_requests(altered, request) == slow_counts(machine, request));
  }
  return wrong;
}

TEST(Requests, EqualTheTextsNumbers) {
  for (const Example& example : examples())
    EXPECT_EQ(count_requests(warp_machine(example.machine), example.request).*example.count, example.expected)
        << example.id;
}

TEST(Requests, EqualTheSlowModelOnRandomOnes) {
  for (const WarpMachine& machine : warp_machines())
    EXPECT_EQ(wrong_random([](WarpMachine m) { return m; }, machine.name, 10000), 0) << machine.name;
}

// The pair rule was fitted to a GPU's counters and is written out here once more.
TEST(Requests, WideLoadsOfAgreeingNeighboursGoTwiceAsManyLanes) {
  const WarpMachine& machine = warp_machine("h200");
  const auto wide = [&](AccessKind kind, const Address& address, std::uint32_t mask = ~0u) {
    return count_requests(machine, request_of(Space::shared, kind, 8, address, mask)).wavefronts;
  };
  const auto row = [](auto l) { return 8 * l; };
  const auto pairs = [](auto l) { return 8 * (l / 2); };
  const auto across = [](auto l) { return 8 * (l / 4 * 2 + l % 2); };
  EXPECT_EQ(wide(AccessKind::load, row), 2u);
  EXPECT_EQ(wide(AccessKind::load, pairs), 1u);
  EXPECT_EQ(wide(AccessKind::load, across), 1u) << "lane 2 as lane 0, 3 as 1";
  EXPECT_EQ(wide(AccessKind::store, pairs), 2u);
  EXPECT_EQ(wide(AccessKind::load, pairs, 0x55555555), 1u)
      << "without its neighbour a lane disagrees with none";
}

// An H200's counters have it so.
TEST(Requests, GlobalAtomicsOnOneAddressTakeASectorEach) {
  const auto sectors_of = [](AccessKind kind, const Address& address) {
    return count_requests(warp_machine("h200"), request_of(Space::global, kind, 8, address)).sectors;
  };
  const auto one = [](auto) { return 64; };
  const auto pairs = [](auto l) { return 8 * (l / 2); };
  EXPECT_EQ(sectors_of(AccessKind::atomic, one), 32u);
  EXPECT_EQ(sectors_of(AccessKind::atomic, pairs), 8u);
  EXPECT_EQ(sectors_of(AccessKind::store, pairs), 4u);
  EXPECT_EQ(sectors_of(AccessKind::atomic, [](auto l) { return 8 * l; }), 8u);
}

// An H200's counters have it so: lines 77 and 131 go through one set, 77 and 132 do not. The last lane's
// place in its line is the middle one's, which waits for another line, so that it goes later than the first
// lane and brings their sector again.
TEST(Requests, LinesOfOneSetHoldAtomicsUp) {
  const auto sectors_of = [](std::uint64_t line, std::uint64_t place) {
    WarpRequest request{.mask = 0b111, .width = 16, .kind = AccessKind::atomic};
    request.address = {77 * 128 + 3 * 16, line * 128 + place * 16, 77 * 128 + 2 * 16};
    return count_requests(warp_machine("h200"), request).sectors;
  };
  EXPECT_EQ(sectors_of(131, 2), 3u);
  EXPECT_EQ(sectors_of(134, 2), 3u);
  EXPECT_EQ(sectors_of(132, 2), 2u);
  EXPECT_EQ(sectors_of(131, 3), 2u) << "the first lane's place";
  EXPECT_EQ(sectors_of(131, 4), 2u) << "a place of its own";
}

// An H200's counters have it so: an addition of 4 bytes merges lanes on one address, an exchange does not.
TEST(Requests, ExchangesOnOneAddressGoOneByOne) {
  const auto wavefronts_of = [](int width, bool exchanges, const Address& address) {
    WarpRequest request = request_of(Space::shared, AccessKind::atomic, width, address);
    request.exchanges = exchanges;
    return count_requests(warp_machine("h200"), request).wavefronts;
  };
  const auto one = [](auto) { return 64; };
  EXPECT_EQ(wavefronts_of(4, false, one), 1u);
  EXPECT_EQ(wavefronts_of(8, true, one), 32u);
  EXPECT_EQ(wavefronts_of(16, true, one), 32u);
  EXPECT_EQ(wavefronts_of(8, true, [](auto l) { return 8 * l; }), 2u);
  EXPECT_EQ(wavefronts_of(8, true, [](auto l) { return 8 * (l / 2); }), 4u);
}

TEST(Requests, BrokenRulesAreFound) {
  const std::pair<std::string, Alter> defects[] = {
      {"h200", [](WarpMachine m) { return m.bank_bytes = 12 - m.bank_bytes, m; }},
      {"h200", [](WarpMachine m) { return m.pair_rule = false, m; }},
      {"h200", [](WarpMachine m) { return m.sector_bytes = 64, m; }},
      {"h200", [](WarpMachine m) { return m.line_bytes = 64, m; }},
      {"h200", [](WarpMachine m) { return m.banks /= 2, m; }},
      {"k40", [](WarpMachine m) { return m.loads_whole_lines = false, m; }},
      {"gt200", [](WarpMachine m) { return m.request_lanes = m.lanes, m; }},
      {"gt200",
       [](WarpMachine m) {
         if (m.coalescing == Coalescing::segments) m.coalescing = Coalescing::in_order;
         return m;
       }},
      {"g80",
       [](WarpMachine m) {
         if (m.coalescing == Coalescing::in_order) m.coalescing = Coalescing::segments;
         return m;
       }},
  };
  for (std::size_t i = 0; i < std::size(defects); ++i) {
    const auto& [machine, defect] = defects[i];
    EXPECT_GT(wrong_examples(defect), 0) << "defect " << i << " on " << machine;
    EXPECT_GT(wrong_random(defect, machine, 2000), 0) << "defect " << i << " on " << machine;
  }
  // The texts have no example of atomics through sets.
  const Alter set_defects[] = {[](WarpMachine m) { return m.atomic_set_bits = {}, m; },
                               [](WarpMachine m) { return m.atomic_set_bits[0] ^= 1 << 4, m; },
                               [](WarpMachine m) { return m.atomic_set_bits[1] = 0, m; }};
  for (const Alter& defect : set_defects) EXPECT_GT(wrong_random(defect, "h200", 3000), 0);
  // The texts have no example of lanes that share a word in part.
  EXPECT_GT(wrong_random([](WarpMachine m) { return m.broadcasts_any_word = true, m; }, "gt200", 2000), 0);
}

TEST(Requests, FourRulesOfAHalfWarp) {
  const auto rules = [](int width, const Address& address, std::uint32_t mask = ~0u) {
    return coalescing_rules(request_of(Space::global, AccessKind::load, width, address, mask), 16, 16);
  };
  const auto broken = [](const CoalescingRules& rule) {
    return std::string(rule.size ? "" : "size ") + (rule.aligned ? "" : "aligned ") +
           (rule.contiguous ? "" : "contiguous ") + (rule.in_order ? "" : "in order ");
  };
  EXPECT_EQ(broken(rules(4, [](auto l) { return 4 * l; })), "");
  EXPECT_EQ(broken(rules(16, [](auto l) { return 16 * l; })), "");
  EXPECT_EQ(broken(rules(2, [](auto l) { return 2 * l; })), "size ");
  EXPECT_EQ(broken(rules(4, [](auto l) { return 4 * (l + 1); })), "aligned ");
  EXPECT_EQ(broken(rules(4, [](auto l) { return 4 * (l ^ 1); })), "in order ");
  EXPECT_EQ(broken(rules(4, [](auto l) { return 64 * l; })), "contiguous in order ");
  EXPECT_EQ(broken(rules(
                4, [](auto l) { return 4 * l; }, 0xaaaa0000)),
            "");
  EXPECT_EQ(broken(rules(4, [](auto) { return 64; })), "contiguous in order ");
}

// P-f: the mean over the warps of a block of b x b threads that read b rows of 1024 floats. Of 12, 20 and 28
// that depends on where the tile begins; these are the first one's.
TEST(Requests, SquareBlocksThatAreMultiplesOf8AreCoalesced) {
  const auto mean = [](std::uint64_t b) {
    RequestCounts counts;
    for (std::uint64_t first = 0; first < b * b; first += 32) {
      const std::uint64_t left = b * b - first;
      const auto element = [=](auto l) { return 4 * ((first + l) / b * 1024 + (first + l) % b); };
      counts += count_requests(warp_machine("h200"), request_of(Space::global, AccessKind::load, 4, element,
                                                                left >= 32 ? ~0u : (1u << left) - 1));
    }
    return static_cast<double>(counts.sectors) / static_cast<double>(counts.requests);
  };
  for (const std::uint64_t b : {8, 16, 24, 32}) EXPECT_EQ(mean(b), 4.0) << b;
  EXPECT_EQ(mean(12), 5.0);
  EXPECT_NEAR(mean(20), 5.08, 0.005);
  EXPECT_EQ(mean(28), 4.92);
}

TEST(Requests, EfficienciesOfAPartOfAWarp) {
  const auto half = request_of(
      Space::global, AccessKind::load, 4, [](auto l) { return 64 * l; }, 0xffff);
  const RequestCounts counts = count_requests(warp_machine("h200"), half);
  EXPECT_EQ(counts.lane_efficiency(), 0.5);
  EXPECT_EQ(counts.byte_efficiency(), 0.125);
  EXPECT_EQ(counts.ideal_sectors, 2u);
  const RequestCounts atomics =
      count_requests(warp_machine("h200"),
                     request_of(Space::shared, AccessKind::atomic, 4, [](auto l) { return 4 * (l / 3); }));
  EXPECT_EQ(atomics.atomic_steps, 3u);
  EXPECT_EQ(atomics.bank_conflicts(), 0u);
  EXPECT_EQ(count_requests(warp_machine("h200"), {}), RequestCounts{});
}

// P-c and P-d: floats 0 to 15 over 4 channels of 2 banks, and the tiles of figure 6.11.
TEST(Interleave, OfTheToyMemory) {
  const Interleave& dram = warp_machine("pmpp_toy").dram;
  const auto where = [&](std::uint64_t element) {
    return std::pair(dram.channel(4 * element), dram.bank(4 * element));
  };
  for (std::uint64_t element = 0; element < 16; ++element)
    EXPECT_EQ(where(element), std::pair(static_cast<int>(element / 2 % 4), static_cast<int>(element / 8)));
  const auto used = [&](std::initializer_list<std::uint64_t> elements) {
    std::set<std::pair<int, int>> all;
    for (const std::uint64_t element : elements) all.insert(where(element));
    return all;
  };
  using Used = std::set<std::pair<int, int>>;
  EXPECT_EQ(used({0, 1, 4, 5, 8, 9, 12, 13}), (Used{{0, 0}, {0, 1}, {2, 0}, {2, 1}})) << "phase 0";
  EXPECT_EQ(used({2, 3, 6, 7, 10, 11, 14, 15}), (Used{{1, 0}, {1, 1}, {3, 0}, {3, 1}})) << "phase 1";
}

// M-f: a column of tiles of a 2048 x 2048 matrix of floats, and a row of them.
TEST(Interleave, ColumnsCampOnAPartition) {
  const auto partitions = [](std::string_view machine, std::uint64_t row_step, std::uint64_t col_step) {
    Numbers used;
    for (std::uint64_t tile = 0; tile < 64; ++tile)
      used.insert(static_cast<std::uint64_t>(
          warp_machine(machine).dram.channel(4 * 32 * (tile * row_step * 2048 + tile * col_step % 64))));
    return used.size();
  };
  EXPECT_EQ(partitions("gt200", 0, 1), 8u);
  EXPECT_EQ(partitions("gt200", 1, 0), 1u);
  EXPECT_EQ(partitions("gt200", 1, 1), 8u) << "along a diagonal";
  EXPECT_EQ(partitions("g80", 0, 1), 6u);
  const Interleave& dram = warp_machine("gt200").dram;
  for (std::uint64_t address = 0; address < 1 << 20; address += 256)
    ASSERT_EQ(dram.channel(address), dram.channel(address + 2048));
}

std::string message_of(auto&& f) {
  try {
    f();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "no error";
}

TEST(Requests, BadInputIsNamed) {
  EXPECT_EQ(message_of([] { warp_machine("h20"); }), "unknown machine 'h20'; did you mean 'h200'?");
  const auto message = [](std::string_view machine, const WarpRequest& request) {
    return message_of([&] { count_requests(warp_machine(machine), request); });
  };
  EXPECT_EQ(message("h200", global_load(3, [](auto) { return 0; })),
            "a lane's access of 3 bytes: it must be 1, 2, 4, 8 or 16");
  EXPECT_EQ(message("h200", global_load(8, [](auto l) { return 8 * l + (l == 5 ? 4 : 0); })),
            "lane 5: address 44 is no multiple of its width, 8 bytes");
  EXPECT_EQ(message("four_banks", shared_load(4, [](auto l) { return 4 * l; })),
            "a warp of machine 'four_banks' has 4 lanes");
}

}  // namespace
}  // namespace tallcache::cache
