// Memory of a rank that the other ranks of its machine reach in place: a shared window of MPI-3 (Hoefler,
// Dinan, Buntinas, Balaji, Barrett, Brightwell, Gropp, Kale, Thakur, MPI + MPI: a new hybrid approach to
// parallel programming with MPI plus shared memory, 2013). A message would be copied into the machine's
// shared memory and out of it.
#pragma once

#include <mpi.h>

#include <span>
#include <vector>

#include "common/execute.hpp"
#include "common/named.hpp"

namespace tallcache::mpi {

class NodeMemory {
 public:
  /// `words` zeroed elements of this rank's own, aligned to 64 bytes. Where a machine has no room for shared
  /// memory, all ranks of the communicator have ordinary memory, and of() knows no other one. Collective.
  NodeMemory(MPI_Comm comm, Index words);
  ~NodeMemory();
  NodeMemory(const NodeMemory&) = delete;
  NodeMemory& operator=(const NodeMemory&) = delete;

  std::span<double> own() const { return own_; }

  /// The memory of another rank of the communicator; nullptr where this rank cannot reach it.
  double* of(Index rank) const { return memories_[static_cast<std::size_t>(rank)]; }

  /// Orders this rank's reads and writes before and after a message that says that they may begin.
  void sync() const;

  /// Waits for all ranks of this machine. What each has written before is seen by all others.
  void wait_for_neighbours() const;

 private:
  void share(MPI_Comm comm, Index words);

  MPI_Comm node_ = MPI_COMM_NULL;
  MPI_Win window_ = MPI_WIN_NULL;
  std::vector<double*> memories_;
  std::span<double> own_;
  detail::Session session_;  ///< holds ordinary memory
};

}  // namespace tallcache::mpi
