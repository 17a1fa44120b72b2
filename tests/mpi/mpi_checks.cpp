// What runs over MPI, checked by every rank: products against a reference that each element has alone, words
// against the counted ones, redistributions element by element. Run by tests/mpi/run.sh; exits with 1 when a
// check fails.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "common/ceil_div.hpp"
#include "common/fork/one_tbb.hpp"
#include "common/random.hpp"
#include "cpu/matmul/gemm.hpp"
#include "ranks/matmul.hpp"
#include "ranks/mpi/leaves.hpp"
#include "ranks/mpi/matmul.hpp"
#include "ranks/mpi/node_memory.hpp"
#include "ranks/mpi/redistribute.hpp"
#include "ranks/mpi/world.hpp"

namespace tallcache::test {
namespace {

using namespace ranks;
using cpu::matmul::gemm_scratch_bytes, cpu::matmul::Trans;

int failures = 0;

void expect(bool right, const char* what, Index detail) {
  if (right || ++failures > 10) return;
  std::fprintf(stderr, "FAILED: %s (%td)\n", what, detail);
}

double value_at(std::uint64_t seed, Index i, Index j) {
  return static_cast<double>(random_up_to(seed, static_cast<std::uint64_t>(i * 100000 + j), 20)) - 10;
}

constexpr double poison = std::numeric_limits<double>::quiet_NaN();

// The elements that a rank has in a distribution, and their places.
template <class Visit>
void for_own(const Distribution& d, Index rank, const Visit& visit) {
  for (const Rectangle& r : d.all())
    for (Index i = 0; r.rank == rank && i < r.box.rows; ++i)
      for (Index j = 0; j < r.box.cols; ++j)
        visit(r.box.row + i, r.box.col + j, r.offset + i * r.row_stride + j * r.col_stride);
}

void fill(const Distribution& d, Index rank, std::uint64_t seed, double* memory) {
  for_own(d, rank, [&](Index i, Index j, Index at) { memory[at] = value_at(seed, i, j); });
}

// The most ranks that a shape has room for; the others are idle.
Index ranks_that_fit(const MatmulShape& shape, Index ranks) {
  for (;; --ranks) try {
      plan_matmul(shape, ranks);
      return ranks;
    } catch (const Error&) {
    }
}

// A whole matrix of a seed, row-major; `transposed` has its columns in rows.
std::vector<double> values(std::uint64_t seed, Index rows, Index cols, bool transposed = false) {
  std::vector<double> all(static_cast<std::size_t>(rows * cols));
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < cols; ++j)
      all[static_cast<std::size_t>(transposed ? j * rows + i : i * cols + j)] = value_at(seed, i, j);
  return all;
}

void check_product(const mpi::World& world, const MatmulShape& shape, int halvings, int threads,
                   mpi::Sharing sharing = mpi::Sharing::machine) {
  const Index ranks = ranks_that_fit(shape, world.size());
  mpi::Matmul product(plan_matmul(shape, ranks, halvings), world.comm(), threads, sharing);
  const auto layout = [&](std::size_t v) { return recursive_layout(product.plan(), v, world.size()); };
  const std::vector<double> a = values(matrix_a, shape.m, shape.k),
                            bt = values(matrix_b, shape.k, shape.n, true);
  for (int repetition = 0; repetition < 2; ++repetition) {
    for (std::size_t v : {matrix_a, matrix_b}) fill(layout(v), world.rank(), v, product.memory(v).data());
    std::ranges::fill(product.memory(matrix_c), poison);
    product.run();
    for_own(layout(matrix_c), world.rank(), [&](Index i, Index j, Index at) {
      const double *row = &a[static_cast<std::size_t>(i * shape.k)],
                   *column = &bt[static_cast<std::size_t>(j * shape.k)];
      double sum = 0;
      for (Index l = 0; l < shape.k; ++l) sum += row[l] * column[l];
      expect(product.memory(matrix_c)[static_cast<std::size_t>(at)] == sum, "an element of C", i);
    });
    const auto counted = count_rank(product.plan(), world.rank());
    expect(std::ranges::equal(product.traffic(), counted), "words by level", world.rank());
    for (std::size_t v : {matrix_a, matrix_b})
      for_own(layout(v), world.rank(), [&](Index i, Index j, Index at) {
        expect(product.memory(v)[static_cast<std::size_t>(at)] == value_at(v, i, j), "a factor is as it was",
               i);
      });
  }
  const mpi::Shared shared = product.shared();
  expect(shared.tiles == 0 ? shared.words == 0 : shared.words > 0, "words of shared tiles", shared.words);
  if (sharing == mpi::Sharing::none)
    expect(shared.tiles == 0, "tiles of ranks that do not share", shared.tiles);
}

void check_products(const mpi::World& world) {
  for (const MatmulShape& shape : {MatmulShape{48, 48, 48},
                                   {31, 17, 53},
                                   {200, 9, 9},
                                   {9, 200, 9},
                                   {9, 9, 200},
                                   {64, 64, 64},
                                   {2, 2, 2},
                                   {37, 1, 41}})
    check_product(world, shape, 0, 1);
  check_product(world, {48, 40, 56}, 1, 1);
  check_product(world, {48, 40, 56}, 3, 1);
  const int threads = std::min(2, usable_threads());
  check_product(world, {33, 34, 35}, 2, threads);
  check_product(world, {150, 140, 130}, 0, threads);
  check_product(world, {400, 420, 390}, 1, threads);
  check_product(world, {400, 420, 390}, 1, threads, mpi::Sharing::none);
  check_product(world, {12, 14, 20000}, 0, threads);  // leaves in slices
}

// Rank 0 alone has leaves. With the first tile of each it waits, up to half a minute, for another rank to
// take one.
void check_shared_leaf(const mpi::World& world, int threads) {
  constexpr Index m = 300, n = 250, k = 120;
  const bool owner = world.rank() == 0;
  const auto words = [&](Index all) { return owner ? all : 0; };
  const mpi::NodeMemory c(world.comm(), words(m * n)), a(world.comm(), words(m * k)),
      b(world.comm(), words(k * n)), taken(world.comm(), words(1));
  mpi::Leaves leaves(
      world.comm(), owner,
      owner ? gemm_scratch_bytes<double>(cpu::matmul::Layout::row_major, Trans::no, Trans::no, m, n, k) : 0,
      threads, owner ? std::vector<Index>{} : std::vector<Index>{0});
  const std::atomic_ref<double> leaf_taken(*taken.of(0));
  mpi::Times times;
  for (int leaf = 1; leaf <= 3; ++leaf) {
    const auto seed = static_cast<std::uint64_t>(leaf);
    for (Index i = 0; owner && i < m * k; ++i) a.own()[static_cast<std::size_t>(i)] = value_at(seed, i, 0);
    for (Index i = 0; owner && i < k * n; ++i) b.own()[static_cast<std::size_t>(i)] = value_at(seed, i, 1);
    std::ranges::fill(c.own(), poison);
    std::atomic<int> calls = 0;
    const auto operands = [&](Index) -> mpi::Leaves::Operands {
      if (!owner) leaf_taken = leaf;
      const double begin = MPI_Wtime();
      while (owner && ++calls > 1 && world.size() > 1 && leaf_taken < leaf && MPI_Wtime() < begin + 30)
        std::this_thread::yield();
      return {.a = {a.of(0), m, k, k}, .b = {b.of(0), k, n, n}, .c = {c.of(0), m, n, n}};
    };
    leaves.compute(operands, times);
    for (Index i = 0; owner && i < m; ++i)
      for (Index j = 0; j < n; ++j) {
        double sum = 0;
        for (Index l = 0; l < k; ++l) sum += value_at(seed, i * k + l, 0) * value_at(seed, l * n + j, 1);
        expect(c.own()[static_cast<std::size_t>(i * n + j)] == sum, "an element of a shared leaf", i);
      }
    const double shared = mpi::sum_over(world.comm(), static_cast<double>(leaves.shared().tiles));
    const double all = mpi::sum_over(world.comm(), static_cast<double>(leaves.tiles()));
    expect(world.size() > 1 ? shared >= leaf : shared == 0, "tiles that others took", leaf);
    expect(shared <= all && all > leaf, "tiles of all leaves", leaf);
  }
}

// From the beginning of `a`, by messages or read in place.
void check_move(const mpi::World& world, const Distribution& from, const Distribution& to, int threads,
                const mpi::NodeMemory& a, bool in_place) {
  const int rank = world.rank();
  std::vector<double> b(static_cast<std::size_t>(to.words(rank)));
  mpi::Redistribution move(from, to, world.comm(), threads, in_place ? &a : nullptr);
  expect(!in_place || move.bytes() == 0, "bytes of messages on one machine", rank);
  for (int repetition = 0; repetition < 2; ++repetition) {
    // A rank that begins anew must not change what another one still reads.
    const auto seed = static_cast<std::uint64_t>(5 + repetition);
    fill(from, rank, seed, a.own().data());
    std::ranges::fill(b, poison);
    move.run(a.own().data(), b.data());
    Index own = 0, stays = 0;
    for_own(to, rank, [&](Index i, Index j, Index at) {
      expect(b[static_cast<std::size_t>(at)] == value_at(seed, i, j), "an element that moved", i);
      ++own;
      from.in({i, j, 1, 1}, [&](const Rectangle& r) { stays += r.rank == rank; });
    });
    expect(move.traffic().words_received == own - stays, "words received", own - stays);
  }
}

void check_moves(const mpi::World& world) {
  const Index ranks = world.size();
  const int threads = std::min(2, usable_threads());
  const auto all = [&](Index rows, Index cols) {
    const auto [p, q] = square_grid(ranks);
    std::vector<Distribution> list{row_blocks(rows, cols, ranks), column_blocks(rows, cols, ranks),
                                   blocks(rows, cols, p, q)};
    for (const Index block : {1, 5, 16})
      list.push_back(block_cyclic({.rows = rows,
                                   .cols = cols,
                                   .row_block = block,
                                   .col_block = block + 1,
                                   .first_row = p - 1,
                                   .grid_rows = p,
                                   .grid_cols = q,
                                   .by_columns = block == 5},
                                  ranks));
    const Plan plan = plan_matmul({rows, 20, cols}, ranks, 1);
    list.push_back(recursive_layout(plan, matrix_a, ranks));
    return list;
  };
  const auto layouts = all(45, 38), turned = all(38, 45);
  const mpi::NodeMemory memory(world.comm(), ceil_div(901, ranks) * 803);  // of the largest
  for (const Distribution& from : layouts) {
    for (const bool in_place : {false, true}) {
      for (const Distribution& to : layouts) check_move(world, from, to, 1, memory, in_place);
      for (const Distribution& to : turned)
        check_move(world, from, to.transposed(), threads, memory, in_place);
    }
  }
  for (const bool in_place : {false, true}) {
    // Larger than a cache on few ranks, and written past it.
    check_move(world, row_blocks(901, 803, ranks), row_blocks(803, 901, ranks).transposed(), 1, memory,
               in_place);
    check_move(world, row_blocks(600, 580, ranks), row_blocks(580, 600, ranks).transposed(), threads, memory,
               in_place);
  }
}

// Errors that all ranks find are the same on each.
void check_errors(const mpi::World& world) {
  const auto said = [](auto&& body) {
    try {
      body();
    } catch (const mpi::SharedError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const int last = world.size() - 1;
  const std::string differs =
      said([&] { mpi::require_same(world.comm(), "sizes", world.rank() == last && last ? "5" : "4"); });
  expect((differs == "sizes differ: rank " + std::to_string(last) + " has 5, rank 0 has 4") == (last > 0),
         "who differs", last);
  expect(said([&] { mpi::require_same(world.comm(), "sizes", "4"); }).empty(), "none differs", 0);
  expect(said([&] { mpi::require_none(world.comm(), world.rank() == last ? "no room" : ""); }) == "no room",
         "who lacks", last);
}

// The checks find what they are for.
void check_checks(const mpi::World& world) {
  const int before = failures;
  failures = 100;  // silent
  expect(poison == 1, "NaN", 0);
  const bool found = failures == 101;
  failures = before;
  expect(found, "a NaN passes", world.rank());
}

}  // namespace
}  // namespace tallcache::test

int main(int argc, char** argv) {
  using namespace tallcache;
  mpi::World world(&argc, &argv);
  test::check_products(world);
  for (int threads : {1, std::min(2, usable_threads())}) test::check_shared_leaf(world, threads);
  test::check_moves(world);
  test::check_errors(world);
  test::check_checks(world);
  const double all = mpi::sum_over(world.comm(), test::failures);
  if (world.rank() == 0) std::printf("%d ranks: %.0f failures\n", world.size(), all);
  return all == 0 ? 0 : 1;
}
