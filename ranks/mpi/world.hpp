// The ranks of a program under mpirun.
#pragma once

#include <mpi.h>

#include <string>

#include "common/named.hpp"

namespace tallcache::mpi {

/// An error that every rank has found, so that one of them may say it and all end in order.
class SharedError : public Error {
 public:
  using Error::Error;
};

/// Starts MPI and ends it. A signal that asks the program to end, as mpirun sends it when a rank was killed,
/// is answered by a line of the first rank that is left on this machine.
class World {
 public:
  World(int* argc, char*** argv);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  MPI_Comm comm() const { return comm_; }
  int rank() const { return rank_; }
  int size() const { return size_; }
  /// The ranks on this machine.
  int neighbours() const { return neighbours_; }
  /// The threads for this rank: the processors that it is bound to, or its share of the machine's where all
  /// ranks may use all of them.
  int threads() const { return threads_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  MPI_Win spoken_ = MPI_WIN_NULL;
  int rank_ = 0, size_ = 1, neighbours_ = 1, threads_ = 1;
};

/// Throws SharedError, which names the first rank that differs from rank 0, unless all have the same text.
void require_same(MPI_Comm, const std::string& what, const std::string& text);

/// Throws SharedError with the message of the lowest rank that has one. Empty: none.
void require_none(MPI_Comm, const std::string& message);

double max_over(MPI_Comm, double);
double min_over(MPI_Comm, double);
double sum_over(MPI_Comm, double);

}  // namespace tallcache::mpi
