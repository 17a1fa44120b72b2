// The rows of the slides' table 'cache-complexity': the formulas, the algorithms, and the sizes.
#include <algorithm>
#include <cmath>

#include "bench/tables/complexity.hpp"
#include "bench/tables/timings.hpp"
#include "common/cache/run_traced.hpp"
#include "common/catalogue.hpp"
#include "cpu/counting_sort/bucketed.hpp"
#include "cpu/counting_sort/classical.hpp"
#include "cpu/matmul/naive.hpp"
#include "cpu/matmul/recursive.hpp"
#include "cpu/matmul/tiled.hpp"
#include "cpu/matmul/transposed.hpp"
#include "cpu/transpose/naive.hpp"
#include "cpu/transpose/recursive.hpp"

namespace tallcache {
namespace {

constexpr Index tile_edge = traced_tile, buckets = traced_buckets;

// As many different keys as there are keys: far more counts than words of cache.
Shape keys(Index n) { return {{"n", n}, {"range", n - 1}}; }

template <class V>
void product(cache::Tracer& tracer, Index n, const Params& params = {}) {
  cache::run_traced<V, Matmul<double>>(tracer, complete_shape(operation_of<Matmul<double>>, cube(n)), params);
}
template <class V>
void transposition(cache::Tracer& tracer, Index n, const Params& params = {}) {
  cache::run_traced<V, Transpose<double>>(tracer, complete_shape(operation_of<Transpose<double>>, square(n)),
                                          params);
}
template <class V>
void sort(cache::Tracer& tracer, Index n, const Params& params = {}) {
  cache::run_traced<V, CountingSort<false>>(tracer, keys(n), params);
}

// n words are read one after the other. The first is not the first of its line: the slides' n/L + 1.
struct scan {
  template <class Fork, class Args>
  static void run(Fork&, const Args& args, const Params&) {
    double sum = 0;
    for (Index i = 1; i < args.a.cols; ++i) sum += args.a(0, i);
    static_cast<void>(sum);
  }
};

// The product with a second factor that is already transposed, as the slides count it.
struct multiply_by_transposed {
  template <class Fork, class Args>
  static void run(Fork&, const Args& args, const Params&) {
    cpu::matmul::multiply_transposed(args.c, args.a, args.b);
  }
};

// Bucketed counting sort's first phase alone.
struct bucketing : cpu::counting_sort::bucketed {
  static constexpr PhaseSpec phases[] = {{"preprocessing"}};
};

using namespace cpu;
using S = const Setting&;

// Sizes at which the slides' assumptions hold and the leading term dominates: a product's row, column or
// tiles do not fit; the cache is taller than wide; there are more keys than words, and a line of cache for
// each bucket.

std::vector<Claim> scans() {
  return {
      {"scan of n words",
       "scan",
       "loop",
       [](S s) { return s.n / s.l + 1; },
       ClaimKind::count,
       {1, 0, -1},
       8,
       [](cache::Tracer& tracer, Index n) {
         cache::run_traced<scan, Transpose<double>>(tracer, {{"m", 1}, {"n", n + 1}, {"pad", 0}});
       },
       {4096, 32768, 262144},
       {64, 512, 4096},
       {4, 8, 16},
       {262144, 512, 8}},
  };
}

std::vector<Claim> textbook_products() {
  return {
      {"naive product, (m,n)=(m,p)(p,n)",
       "matmul",
       "naive",
       [](S s) { return s.n * s.n / s.l + s.n * s.n * s.n / s.l + s.n * s.n * s.n; },
       ClaimKind::count,
       {3, 0, 0},
       8,
       [](cache::Tracer& tracer, Index n) { product<matmul::naive>(tracer, n); },
       {72, 96, 128},
       {256, 512, 1024},
       {8, 16, 32},
       {128, 512, 16}},
      {"naive product with the second factor transposed",
       "matmul",
       "by_transposed",
       [](S s) { return s.n * s.n / s.l + 2 * s.n * s.n * s.n / s.l; },
       ClaimKind::count,
       {3, 0, -1},
       8,
       [](cache::Tracer& tracer, Index n) { product<multiply_by_transposed>(tracer, n); },
       {80, 112, 160},
       {32, 64, 128},
       {4, 8, 16},
       {112, 128, 8}},
  };
}

std::vector<Claim> blocked_products() {
  return {
      {"tiled product, tile b, 3b^2 < Z, square n",
       "matmul",
       "tiled",
       [](S s) { return 3 * s.n * s.n * s.n / (tile_edge * s.l); },
       ClaimKind::count,
       {3, 0, -1},
       8,
       [](cache::Tracer& tracer, Index n) {
         product<matmul::tiled>(tracer, n,
                                {{"tile_m", tile_edge}, {"tile_n", tile_edge}, {"tile_k", tile_edge}});
       },
       {64, 96, 128},
       {288, 512, 1024},
       {2, 4, 8},
       {96, 512, 4},
       // The smallest cache that holds all three tiles.
       {{96, 224, 4}}},
      {"REC-MULT, m x n times n x p",
       "matmul",
       "recursive",
       [](S s) { return 3 * s.n + 3 * s.n * s.n / s.l + s.n * s.n * s.n / (s.l * std::sqrt(s.z)); },
       ClaimKind::growth,
       {3, -0.5, -1},
       8,
       [](cache::Tracer& tracer, Index n) {
         product<matmul::recursive>(tracer, n, {{"base", 1}});
       },
       {32, 64, 128},
       {64, 128, 256, 512, 1024},
       {2, 4, 8},
       {128, 256, 4},
       // Blocks straddle lines.
       {{144, 64, 4}, {144, 128, 4}, {144, 256, 4}, {144, 512, 4}, {144, 1024, 4}}},
  };
}

std::vector<Claim> transpositions() {
  return {
      {"naive transpose",
       "transpose",
       "naive",
       [](S s) { return s.n * s.n; },
       ClaimKind::growth,
       {2, 0, 0},
       8,
       [](cache::Tracer& tracer, Index n) { transposition<transpose::naive>(tracer, n); },
       {350, 700, 1400},
       {512, 1024, 2048},
       {8, 16, 32},
       {700, 1024, 16}},
      {"REC-TRANSPOSE",
       "transpose",
       "recursive",
       [](S s) { return 1 + s.n * s.n / s.l; },
       ClaimKind::growth,
       {2, 0, -1},
       8,
       [](cache::Tracer& tracer, Index n) {
         transposition<transpose::recursive>(tracer, n, {{"base", 1}});
       },
       {350, 700, 1400},
       {2048, 4096, 8192, 16384, 32768},
       {4, 8, 16},
       {700, 16384, 8}},
  };
}

std::vector<Claim> sorts() {
  return {
      {"classical counting sort",
       "counting_sort",
       "classical",
       [](S s) { return 3 * s.n + 3 * s.n / s.l + 2 * s.n / s.l; },
       ClaimKind::upper_bound,
       {1, 0, 0},
       4,
       [](cache::Tracer& tracer, Index n) { sort<counting_sort::classical>(tracer, n); },
       {50000, 100000, 200000},
       {512, 1024, 2048},
       {8, 16, 32},
       {200000, 1024, 16}},
      {"bucketing pass, m buckets",
       "counting_sort",
       "bucketing",
       [](S s) { return 3 * s.n / s.l + 3 * buckets / s.l + buckets; },
       ClaimKind::count,
       {1, 0, -1},
       4,
       [](cache::Tracer& tracer, Index n) {
         sort<bucketing>(tracer, n, {{"buckets", buckets}});
       },
       {50000, 100000, 200000},
       {8192, 16384, 32768},
       {8, 16, 32},
       {200000, 8192, 16}},
      {"bucketed counting sort, all of it",
       "counting_sort",
       "bucketed",
       [](S s) { return 9 * s.n / s.l + 3 * buckets / s.l + buckets + 2 * s.n / s.l; },
       ClaimKind::count,
       {1, 0, -1},
       4,
       [](cache::Tracer& tracer, Index n) {
         sort<counting_sort::bucketed>(tracer, n, {{"buckets", buckets}});
       },
       {50000, 100000, 200000},
       {8192, 16384, 32768},
       {8, 16, 32},
       {200000, 8192, 16}},
  };
}

}  // namespace

std::span<const Claim> claims() {
  static const std::vector<Claim> list = [] {
    std::vector<Claim> all;
    for (const auto& part : {scans(), textbook_products(), blocked_products(), transpositions(), sorts()})
      all.insert(all.end(), part.begin(), part.end());
    return all;
  }();
  return list;
}

const Claim& find_claim(std::string_view row) {
  std::vector<std::string_view> rows;
  for (const Claim& claim : claims()) {
    if (claim.row == row) return claim;
    rows.push_back(claim.row);
  }
  throw Error(unknown_name("claim", row, rows));
}

}  // namespace tallcache
