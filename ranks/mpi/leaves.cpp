#include "ranks/mpi/leaves.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <memory>
#include <span>
#include <thread>

#include "common/fork/parallel.hpp"

namespace tallcache::mpi {
namespace {

// The slowest rank may be late by a tile; larger tiles read their panels less often.
constexpr Index tiles_of_a_thread = 32;

constexpr Index not_open = std::numeric_limits<Index>::max();

}  // namespace

Leaves::Leaves(MPI_Comm comm, bool has_leaves, std::size_t scratch_bytes, int threads,
               std::vector<Index> neighbours)
    : has_leaves_(has_leaves),
      threads_(threads),
      packed_(comm, static_cast<Index>(scratch_bytes / sizeof(double))),
      counters_(comm, sizeof(Counter) / sizeof(double)),
      neighbours_(std::move(neighbours)) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  rank_ = rank;
  int most = threads;
  MPI_Allreduce(&threads, &most, 1, MPI_INT, MPI_MAX, comm);
  most_tiles_ = tiles_of_a_thread * static_cast<Index>(std::bit_ceil(static_cast<unsigned>(most)));
  std::construct_at(&counter(rank_));
  counters_.wait_for_neighbours();
  std::erase_if(neighbours_, [this](Index other) { return !packed_.of(other) || !counters_.of(other); });
}

Leaves::Counter& Leaves::counter(Index rank) const { return *reinterpret_cast<Counter*>(counters_.of(rank)); }

cpu::matmul::GemmTiles<double> Leaves::tiles_of(const Operands& x, Index rank) const {
  using namespace cpu::matmul;
  const std::size_t bytes =
      gemm_scratch_bytes<double>(Layout::row_major, Trans::no, Trans::no, x.c.rows, x.c.cols, x.a.cols);
  const Scratch<> scratch(std::span(reinterpret_cast<std::byte*>(packed_.of(rank)), bytes));
  return {x.a, x.b, x.beta, x.c, scratch, most_tiles_};
}

// The tiles that nobody has taken of a rank's leaf of this number.
Index Leaves::left(Index rank) const {
  const std::uint64_t open = counter(rank).open.load(std::memory_order_acquire);
  if (open >> 32 == leaf_) return static_cast<Index>(open & 0xffffffff);
  return open >> 32 < leaf_ ? not_open : 0;
}

std::optional<Index> Leaves::take(Index rank) {
  auto& open = counter(rank).open;
  std::uint64_t seen = open.load(std::memory_order_acquire);
  while (seen >> 32 == leaf_ && (seen & 0xffffffff) > 0)
    if (open.compare_exchange_weak(seen, seen - 1, std::memory_order_acq_rel))
      return static_cast<Index>(seen & 0xffffffff) - 1;
  return {};
}

// This rank while it has tiles, then the neighbour with the most of them; -1: none has any now.
Index Leaves::furthest_behind() const {
  if (has_leaves_ && left(rank_) > 0) return rank_;
  Index most = 0, behind = -1;
  for (Index rank : neighbours_)
    if (const Index tiles = left(rank); tiles != not_open && tiles > most) most = tiles, behind = rank;
  return behind;
}

bool Leaves::all_taken() const {
  return std::ranges::all_of(neighbours_, [this](Index rank) { return left(rank) == 0; });
}

bool Leaves::compute_tile(const OperandsOf& operands) {
  const Index rank = furthest_behind();
  if (rank < 0) return false;
  const std::optional<Index> tile = take(rank);
  if (!tile) return true;  // another rank was faster
  const auto tiles = tiles_of(operands(rank), rank);
  tiles.multiply(*tile);
  counter(rank).done.fetch_add(1, std::memory_order_release);
  if (rank != rank_) {
    ++shared_tiles_;
    shared_words_ += tiles.words(*tile);
  }
  return true;
}

void Leaves::compute(const OperandsOf& operands, Times& times) {
  ++leaf_;
  Index own = 0;
  if (has_leaves_) {
    const Stopwatch watch(times.leaf);
    const auto tiles = tiles_of(operands(rank_), rank_);
    run_parallel(threads_, [&](auto& fork) { tiles.pack(fork); });
    own = tiles.count();
    own_tiles_ += own;
    counter(rank_).done.store(0, std::memory_order_relaxed);
    counter(rank_).open.store(leaf_ << 32 | static_cast<std::uint64_t>(own), std::memory_order_release);
  }
  const auto all_threads = [&](auto& fork) {
    fork.blocks(threads_, [&](Index) {
      while (compute_tile(operands)) {
      }
    });
  };
  do {
    {
      const Stopwatch watch(times.leaf_end);
      while (furthest_behind() < 0 && !all_taken()) std::this_thread::yield();
    }
    const Stopwatch watch(times.leaf);
    if (furthest_behind() >= 0) run_parallel(threads_, all_threads);
  } while (!all_taken());
  const Stopwatch watch(times.leaf_end);
  while (has_leaves_ && counter(rank_).done.load(std::memory_order_acquire) < static_cast<std::uint64_t>(own))
    std::this_thread::yield();
}

}  // namespace tallcache::mpi
