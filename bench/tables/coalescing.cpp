#include "bench/tables/coalescing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "bench/tables/counted_records.hpp"
#include "bench/tables/exercises.hpp"
#include "common/ops/matmul_bt.hpp"
#include "common/ops/transpose.hpp"
#include "gpu/kernel_text.hpp"
#include "gpu/matmul/shared_tiles.hpp"

namespace tallcache::coalescing {
namespace {

using cache::AccessKind;
using cache::RequestCounts;
using cache::Space;
using cache::WarpRequest;

constexpr std::string_view today = "h200", old = "g80", relaxed = "gt200", printed = "k40";

// The address of each lane.
using Lanes = std::function<std::uint64_t(std::uint64_t lane)>;

RequestCounts load(std::string_view machine, int width, const Lanes& address, std::uint32_t mask = ~0u) {
  WarpRequest request{.mask = mask, .width = width};
  for (std::uint64_t lane = 0; lane < 32; ++lane) request.address[lane] = address(lane);
  return cache::count_requests(cache::warp_machine(machine), request);
}

double each(std::uint64_t number, const RequestCounts& counts) {
  return static_cast<double>(number) / static_cast<double>(counts.requests);
}

// The sites of a variant's text on a machine; of one kind, in global memory.
std::vector<RequestCounts> sites_of(std::string_view machine, const Operation& operation,
                                    std::string_view variant, Index m, AccessKind kind) {
  warp::HostDevice device(cache::warp_machine(machine));
  const Check check =
      gpu::run_kernel_text(device, gpu::find_kernel_text(operation, variant), Shape{{"m", m}});
  if (!check) throw Error(fmt::format("the text of {}: {}", variant, check.message()));
  std::vector<RequestCounts> list;
  for (const warp::SiteCounts& site : device.sites())
    if (site.site.space == Space::global && site.site.kind == kind) list.push_back(site.counts);
  return list;
}

struct Verdict {
  std::string_view access, machine;
  RequestCounts counts;
};

std::vector<Verdict> verdicts() {
  const auto in_order = [](std::uint64_t lane) { return 4 * lane; };
  const auto apart = [](std::uint64_t lane) { return 8 * lane; };
  const auto exchanged = [](std::uint64_t lane) { return 4 * (lane == 2 ? 3 : lane == 3 ? 2 : lane); };
  // Of a product's two loads that of the first factor is one address for all lanes.
  const auto factor = [](const Operation& operation, std::string_view variant) {
    return std::ranges::max(sites_of(today, operation, variant, 64, AccessKind::load), {},
                            &RequestCounts::sectors);
  };
  return {
      {"figure 6.2: M[k*Width + col]", today, factor(operation_of<Matmul<float>>, "coalesced")},
      {"figure 6.3: M[col*Width + k]", today, factor(operation_of<MatmulBt<float>>, "uncoalesced")},
      {"capability 1.0: all four rules kept", old, load(old, 4, in_order)},
      {"capability 1.0: elements of 2 bytes", old, load(old, 2, [](auto lane) { return 2 * lane; })},
      {"capability 1.0: the first element is not aligned to 16 elements", old,
       load(old, 4, [](auto lane) { return 4 * (lane + 1); })},
      {"capability 1.0: the elements are not contiguous", old, load(old, 4, apart)},
      {"capability 1.0: two lanes exchange their elements", old, load(old, 4, exchanged)},
      {"capability 1.0: some lanes do not access memory", old, load(old, 4, in_order, 0x0fff7fffu)},
      {"capability 1.2: the elements are not contiguous", relaxed, load(relaxed, 4, apart)},
      {"capability 1.2: two lanes exchange their elements", relaxed, load(relaxed, 4, exchanged)},
  };
}

template <int block>
RequestCounts tiled_product() {
  // Two tiles each way: a tile begins at either half of a sector.
  constexpr Index n = 2 * block;
  warp::HostDevice device(cache::warp_machine(today));
  std::vector<float> memory[3];
  const auto matrix = [&](int i) {
    memory[i].assign(static_cast<std::size_t>(n * n), 1);
    return MatrixView<float>{memory[i].data(), n, n, n}.with(device.access(memory[i].data()));
  };
  const auto c = matrix(0), a = matrix(1), b = matrix(2);
  gpu::matmul::multiply_tiles<block, 1>(device, c, a,
                                        gpu::matmul::StraightTile<block, std::decay_t<decltype(b)>>{b});
  if (memory[0].back() != n) throw Error(fmt::format("the tiled product in blocks of {} is wrong", block));
  return device.total(Space::global, AccessKind::load);
}

constexpr std::array block_sizes{8, 12, 16, 20, 24, 28, 32};

template <std::size_t... i>
std::array<RequestCounts, sizeof...(i)> tiled_products(std::index_sequence<i...>) {
  return {tiled_product<block_sizes[i]>()...};
}
auto tiled_products() { return tiled_products(std::make_index_sequence<block_sizes.size()>{}); }

// R6 of threads 0 to 15, as printed.
constexpr std::uint64_t printed_addresses[] = {
    0x00FB6AE0, 0x00FB6AE8, 0x00FB6AE4, 0x00FB6AEB, 0x00FB6AF4, 0x00FB6AF8, 0x00FB6AF0, 0x00FB6AEB,
    0x00FB6AF0, 0x00FB6AF4, 0x00FB6AF8, 0x00FB6AE4, 0x00FB6AE8, 0x00FB6AE0, 0x00FB6B14, 0x00FB6B18};

}  // namespace

std::vector<Record> count_verdicts(std::string_view table) {
  Record record = measured_record("access", std::string(table), "", Json::object());
  for (const Verdict& verdict : verdicts()) {
    const Json at{{"access", verdict.access}};
    const auto put = [&](const char* name, std::uint64_t all) {
      add_count(record, name, each(all, verdict.counts), Origin::model, std::string(verdict.machine), at);
    };
    put("transactions", verdict.counts.sectors);
    put("ideal transactions", verdict.counts.ideal_sectors);
  }
  return {record};
}

std::vector<Record> count_block_sizes() {
  Record record = measured_record("matmul", "shared_memory_tiled", "float", {{"tiles", 2}});
  record.backend = "gpu";
  Quantity sectors{.name = "sectors a request",
                   .unit = "1",
                   .origin = Origin::model,
                   .detail = std::string(today),
                   .over = {"block size", "threads", {}}};
  Quantity ideal = sectors;
  ideal.name = "ideal sectors a request";
  const auto products = tiled_products();
  for (std::size_t i = 0; i < products.size(); ++i) {
    for (Quantity* quantity : {&sectors, &ideal}) quantity->over.points.push_back(block_sizes[i]);
    sectors.values.push_back(each(products[i].sectors, products[i]));
    ideal.values.push_back(each(products[i].ideal_sectors, products[i]));
  }
  record.quantities = {std::move(sectors), std::move(ideal)};
  return {record};
}

std::vector<Record> answer(std::string_view table) {
  Answers answers(table);
  const auto put = [&](std::string_view exercise, double value, std::string_view model) {
    answers.put(exercise, value, Origin::model, model);
  };
  std::vector<double> whole_sectors;
  const auto products = tiled_products();
  for (std::size_t i = 0; i < products.size(); ++i)
    if (products[i].sectors == products[i].ideal_sectors) whole_sectors.push_back(block_sizes[i]);
  answers.put("block sizes of the tiled product without uncoalesced accesses", whole_sectors, Origin::model,
              today);

  const auto column = [](std::string_view machine) {
    const auto stores = sites_of(machine, operation_of<Transpose<float>>, "naive", 128, AccessKind::store);
    return each(stores.at(0).sectors, stores.at(0));
  };
  put("naive transpose, a half-warp's store, capability 1.0", column(old), old);
  put("naive transpose, a half-warp's store, capability 1.2", column(relaxed), relaxed);

  const auto by_distance = [](int width, std::uint64_t distance) {
    return load(printed, width, [=](std::uint64_t lane) { return distance * lane; });
  };
  const RequestCounts best = by_distance(4, 4), worst = by_distance(4, 128), three = by_distance(4, 12);
  put("a load, best case: cache lines", each(best.lines, best), printed);
  put("a load, best case: L2 transactions", each(best.sectors, best), printed);
  put("a load, worst case: cache lines", each(worst.lines, worst), printed);
  put("a load, worst case: replays", each(worst.lines, worst) - 1, printed);
  put("a load, worst case: L2 transactions", each(worst.sectors, worst), printed);
  put("a warp's addresses over 3 lines of 128 bytes: cache lines", each(three.lines, three), printed);
  put("LD.E R2, [R6]: addresses of half a warp",
      static_cast<double>(
          std::ranges::count_if(printed_addresses, [](std::uint64_t address) { return address % 4 == 0; })),
      printed);

  const RequestCounts doubles = by_distance(8, 8);
  put("transpose4, a row of floats: cache lines", each(best.lines, best), printed);
  put("transpose4, a row of floats: DRAM transactions", each(best.sectors, best), printed);
  put("transpose4, a row of doubles: cache lines", each(doubles.lines, doubles), printed);
  put("transpose4, a row of doubles: DRAM transactions", each(doubles.sectors, doubles), printed);
  return {answers.record()};
}

}  // namespace tallcache::coalescing
