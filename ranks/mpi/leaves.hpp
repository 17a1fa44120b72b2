// The leaves of the ranks of one machine. Ranks have equal leaves, but not equal processors: some share a
// core with another one, or with other work. A leaf is therefore cut into tiles (cpu/matmul/gemm_tiles.hpp).
// A rank computes its own first, then tiles of the neighbour that has the most left, which it reads and
// writes in place. This is how threads of one process share their work (Blumofe, Leiserson, Scheduling
// multithreaded computations by work stealing, 1999), across processes.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "common/view.hpp"
#include "cpu/matmul/gemm_tiles.hpp"
#include "ranks/mpi/node_memory.hpp"
#include "ranks/mpi/times.hpp"

namespace tallcache::mpi {

/// What a rank computed of its neighbours' leaves.
struct Shared {
  Index tiles = 0;
  Index words = 0;  ///< the elements of A, B and C that these tiles read and write
  Shared& operator+=(const Shared& other) {
    tiles += other.tiles;
    words += other.words;
    return *this;
  }
};

class Leaves {
 public:
  /// A rank's leaf C = A B + beta C, at this process's addresses.
  struct Operands {
    MatrixView<double> a, b, c;
    double beta = 0;
  };
  using OperandsOf = std::function<Operands(Index rank)>;

  /// `neighbours`: other ranks of the communicator that have leaves, as many each as this rank has, and whose
  /// tiles this rank computes too. `scratch_bytes`: what gemm() needs for the largest of this rank's leaves.
  /// Collective.
  Leaves(MPI_Comm comm, bool has_leaves, std::size_t scratch_bytes, int threads,
         std::vector<Index> neighbours);

  /// Computes this rank's next leaf, and returns when it is there. A rank without leaves computes its
  /// neighbours'. Operands must stay as they are until compute() has returned on this rank; those of
  /// neighbours do.
  void compute(const OperandsOf& operands, Times& times);

  /// Of all leaves so far.
  Shared shared() const { return {shared_tiles_, shared_words_}; }
  /// The tiles of all leaves of this rank so far.
  Index tiles() const { return own_tiles_; }

 private:
  // The tiles of a rank's leaf, in memory that its neighbours write to.
  struct alignas(64) Counter {
    std::atomic<std::uint64_t> open;  // the number of the leaf, and its tiles that nobody has taken
    alignas(64) std::atomic<std::uint64_t> done;  // tiles
  };
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "atomics that processes share");

  Counter& counter(Index rank) const;
  std::optional<Index> take(Index rank);
  bool compute_tile(const OperandsOf& operands);
  Index left(Index rank) const;
  Index furthest_behind() const;
  bool all_taken() const;

  cpu::matmul::GemmTiles<double> tiles_of(const Operands& operands, Index rank) const;

  Index rank_ = 0;
  bool has_leaves_;
  int threads_;
  Index most_tiles_ = 0;  ///< of a leaf, the same on all ranks
  NodeMemory packed_, counters_;
  std::vector<Index> neighbours_;
  std::uint64_t leaf_ = 0;  ///< its number, from 1
  Index own_tiles_ = 0;
  std::atomic<Index> shared_tiles_ = 0, shared_words_ = 0;
};

}  // namespace tallcache::mpi
