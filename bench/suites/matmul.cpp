// The measurements of matrix products.
#include <tuple>

#include "bench/suites/products.hpp"
#include "bench/suites/suite.hpp"
#include "common/element.hpp"

namespace tallcache {
namespace {

constexpr SpeedShare::Of limit = SpeedShare::Of::limit;

Shape square(Index n) { return {{"m", n}, {"n", n}, {"k", n}}; }

OptimizationSteps steps() {
  return {
      .element = "double",
      .unit = "flop",
      .min_bytes = no_value,
      .limit = "the FMA peak",
      .shape = square(1024),
      .smoke = square(48),
      .steps = {
          {"three loops, an element of C at a time", "naive"},
          {"loops i-k-j: every access along a row", "loops_ikj"},
          {"REC-MULT: blocks that fit, in every cache at once", "recursive"},
          {"leaves in vector registers, factors where they lie",
           "recursive_packed",
           {{"min_packed", 1 << 20}}},
          {"factors packed once, next tile prefetched", "recursive_packed"},
          {.label = "forks on all cores", .variant = "recursive_packed", .all_cores = true},
          {.label = "OpenBLAS at its best, one core", .variant = "openblas_best", .peer = true},
          {.label = "BLIS at its best, one core", .variant = "blis_best", .peer = true},
          {.label = "OpenBLAS at its best, all cores",
           .variant = "openblas_best",
           .all_cores = true,
           .peer = true},
          {.label = "BLIS at its best, all cores", .variant = "blis_best", .all_cores = true, .peer = true}}};
}

OptimizationSteps gpu_steps() {
  return {.element = "float",
          .unit = "flop",
          .min_bytes = no_value,
          .limit = "the FMA peak",
          .shape = square(4096),
          .smoke = square(65),
          .steps = {{"an element a thread, from memory", "coalesced"},
                    {"tiles in shared memory", "shared_memory_tiled"},
                    {"4 elements a thread from one tile of A", "coarsened"},
                    {"8 x 8 elements a thread in registers", "register_tiles"},
                    {"16 bytes an access", "vector_loads"},
                    {"asynchronous copies, three stages", "asynchronous_copies"},
                    {"warp tiles, 16 x 8 elements a thread, blocks by halving", "warp_tiles"},
                    {"the last wave split along k", "any_shape"},
                    {.label = "cuBLAS", .variant = "cublas", .peer = true}},
          .backend = "gpu"};
}

// The rows of blocks in a group that suit the second-level cache of the H200 best (gpu/matmul/TUNING.md).
constexpr Index tuned_group = 16;

// The orders of the blocks of one product.
OptimizationSteps block_orders(const Shape& shape) {
  OptimizationSteps orders{
      .element = "float",
      .unit = "flop",
      .min_bytes = no_value,
      .limit = "the FMA peak",
      .shape = shape,
      .smoke = square(65),
      .steps = {{"blocks by rows", "warp_tiles", {{"order", 0}}},
                {"in groups of 32 rows", "warp_tiles", {{"order", 1}, {"group", 32}}},
                {"in groups of 8 rows", "warp_tiles", {{"order", 1}, {"group", 8}}},
                {"in groups of 16 rows", "warp_tiles", {{"order", 1}, {"group", tuned_group}}},
                {"recursive", "warp_tiles", {{"order", 2}}},
                {"recursive and mirrored", "warp_tiles", {{"order", 3}}},
                {.label = "cuBLAS", .variant = "cublas", .peer = true}},
      .backend = "gpu",
      .from = Scale::full};
  // A run takes a second and more: rows, the tuned grouping and the recursion.
  if (shape["m"] * shape["n"] * shape["k"] > Index{1} << 43)
    std::erase_if(orders.steps, [](const Step& step) {
      const auto* const group = step.params.find("group");
      return step.peer || (group && group->value != tuned_group) || step.params["order"] == 3;
    });
  return orders;
}

std::vector<OptimizationSteps> all_steps() {
  std::vector<OptimizationSteps> all{steps(), gpu_steps()};
  for (const Index n : {2048, 4096, 8192}) all.push_back(block_orders(square(n)));
  for (const auto& [m, n, k] :
       {std::tuple<Index, Index, Index>{32768, 2048, 2048}, {2048, 32768, 2048}, {4096, 4096, 32768}})
    all.push_back(block_orders({{"m", m}, {"n", n}, {"k", k}}));
  for (const Index n : {16384, 32768}) all.push_back(block_orders(square(n)));
  return all;
}

PeerComparison gpu_peers() {
  PeerComparison comparison{.element = "float",
                            .variant = "any_shape",
                            .share = {limit, "of the FMA peak"},
                            .beside = {"coarsened"},
                            .baseline = "coarsened",
                            .smoke = square(65),
                            .backend = "gpu",
                            .mean = true};
  std::vector<PeerCase>& cases = comparison.cases;
  for (Index n = 64; n <= 8192; n *= 2)
    for (const Index size : {n - 1, n, n + 1}) cases.push_back({.shape = square(size)});
  for (const auto& [m, n, k] : {std::tuple<Index, Index, Index>{687, 1107, 837},
                                {64, 64, 100000},
                                {100000, 64, 64},
                                {1, 1, 100000},
                                {4096, 32, 4096},
                                {16, 16, 16}})
    cases.push_back({.shape = {{"m", m}, {"n", n}, {"k", k}}});
  cases.push_back({.shape = square(16384), .from = Scale::full});
  return comparison;
}

PeerComparison gpu_peers_on_tensor_cores(std::string_view element, std::string_view variant,
                                         const SpeedShare& share) {
  PeerComparison comparison{
      .element = element, .variant = variant, .share = share, .smoke = square(65), .backend = "gpu"};
  for (const Index n : {1024, 2048, 4096, 8192, 4095, 8191}) comparison.cases.push_back({.shape = square(n)});
  comparison.cases.push_back({.shape = square(16384), .from = Scale::full});
  return comparison;
}

// With those of which a launch is most of the time.
PeerComparison and_short_ones(PeerComparison comparison) {
  for (Index n = 64; n <= 2048; n *= 2)
    for (const Index size : {n - 1, n, n + 1})
      comparison.cases.push_back({.shape = square(size), .group = "n = 64 to 2048, each less and more by 1"});
  return comparison;
}

PeerComparison three_products_on_tensor_cores() {
  PeerComparison comparison = gpu_peers_on_tensor_cores(
      "float", "three_products",
      {.of = limit, .title = "of a third of the TF32 peak", .element = "tf32", .products = 3});
  comparison.beside = {"three_truncated"};
  comparison.baseline = "cublas";
  return comparison;
}

// Seven products in place of eight, whose errors are bounded by norms alone.
PeerComparison halved_products(std::string_view element, std::string_view leaf, const SpeedShare& share) {
  PeerComparison comparison = gpu_peers_on_tensor_cores(element, "winograd", share);
  comparison.beside = {"strassen", leaf};
  comparison.baseline = "cublas";
  return comparison;
}

PeerComparison peers_of_bfloat16(std::string_view variant) {
  PeerComparison comparison{.element = "bfloat16",
                            .variant = variant,
                            .share = {limit, "of the bfloat16 peak"},
                            .smoke = {{"m", 65}, {"n", 65}, {"k", 33}}};
  for (const bool all_cores : {false, true}) {
    for (const Index n : {128, 256, 512, 1024, 2048, 4096})
      comparison.cases.push_back({.shape = square(n), .all_cores = all_cores});
    comparison.cases.push_back({.shape = square(8192), .all_cores = all_cores, .from = Scale::full});
  }
  comparison.cases.push_back({.shape = {{"m", 687}, {"n", 1107}, {"k", 837}}});
  return comparison;
}

PeerComparison peers(std::string_view element) {
  PeerComparison comparison = products_of(element);
  std::vector<PeerCase>& cases = comparison.cases;
  for (Index n = 8; n <= 256; n += 8)
    cases.push_back({.shape = square(n), .group = "n = 8 to 256 in steps of 8"});
  // Products so short that threads hardly pay for being called.
  for (const Index n : {128, 192, 256, 384, 512}) cases.push_back({.shape = square(n), .all_cores = true});
  for (const bool all_cores : {false, true}) {
    for (const Index n : {1024, 2048}) cases.push_back({.shape = square(n), .all_cores = all_cores});
    cases.push_back({.shape = square(4096), .all_cores = all_cores, .from = Scale::full});
  }
  cases.push_back({.shape = {{"m", 687}, {"n", 1107}, {"k", 837}}});
  cases.push_back({.shape = {{"m", 100000}, {"n", 64}, {"k", 64}}});
  cases.push_back({.shape = {{"m", 64}, {"n", 64}, {"k", 100000}}});
  cases.push_back({.shape = {{"m", 4000}, {"n", 4000}, {"k", 8000}}, .from = Scale::full});
  return comparison;
}

Shape inner(Index k) { return {{"m", 32}, {"n", 32}, {"k", k}}; }

// The sums of the inner dimension are of all elements in order, of blocks, or of halves. Temporaries at each
// halving down to 64 make the sum one of halves.
// `element` has T's factors.
template <class T>
ErrorStudy errors(std::string_view backend, std::string_view element = Element<T>::name) {
  ErrorStudy study{.element = element,
                   .dimension = "k",
                   .smoke_ladder = {inner(16), inner(200)},
                   .timed = square(512),
                   .smoke_timed = square(48),
                   .inputs = error_inputs,
                   .reference = &product_reference<T>,
                   .relative_to = "|A||B|",
                   .backend = backend};
  for (Index k = 16; k <= 65536; k *= 4) study.ladder.push_back(inner(k));
  if (backend == "cpu" && element == Element<Bfloat16>::name)
    study.runs = {{"naive"}, {"recursive_packed"}, {"amx_tiles"}};
  else if (backend == "cpu")
    study.runs = {{"naive"},
                  {"tiled"},
                  {"recursive"},
                  {"recursive_temporary", {{"splits", 10}}},
                  {"recursive_packed"},
                  {"strassen", {{"cutover", 32}}},
                  {"openblas_best"},
                  {"blis_best"}};
  return study;
}

}  // namespace

extern const Suite matmul_suite;
const Suite matmul_suite{
    .operation = "matmul",
    .sizes = {.element = "float",
              .smoke = {48, 64},
              .quick = {64, 128, 256, 512, 1024, 2048, 4096},
              .full = {64, 128, 256, 512, 1024, 2048, 4096, 8192}},
    .steps = all_steps(),
    .peers = {peers("double"), peers("float"), peers_of_bfloat16("recursive_packed"),
              peers_of_bfloat16("amx_tiles"), gpu_peers(), three_products_on_tensor_cores(),
              and_short_ones(gpu_peers_on_tensor_cores("bfloat16", "specialised_warps",
                                                       {limit, "of the bfloat16 peak"})),
              and_short_ones(
                  gpu_peers_on_tensor_cores("tf32", "transposed_wgmma", {limit, "of the TF32 peak"})),
              and_short_ones(
                  gpu_peers_on_tensor_cores("double", "warp_mma", {limit, "of the tensor cores' peak"})),
              halved_products("float", "any_shape", {limit, "of the FMA peak"}),
              halved_products("double", "warp_mma", {limit, "of the tensor cores' peak"})},
    .errors = {errors<double>("cpu"), errors<float>("cpu"), errors<Bfloat16>("cpu"), errors<double>("gpu"),
               errors<float>("gpu"), errors<Bfloat16>("gpu"), errors<float>("gpu", Element<Tf32>::name)}};

}  // namespace tallcache
