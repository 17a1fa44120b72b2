// The seconds of a product over MPI, by what a rank does in them.
#pragma once

#include <mpi.h>

namespace tallcache::mpi {

struct Times {
  double waiting = 0;   ///< for partners to be ready
  double moving = 0;    ///< elements, and adding them up
  double leaf = 0;      ///< computing tiles, the rank's own and its neighbours'
  double leaf_end = 0;  ///< waiting for the last tiles, which others compute
  double all = 0;
};

/// Adds the seconds of its life.
class Stopwatch {
 public:
  explicit Stopwatch(double& seconds) : seconds_(seconds), started_(MPI_Wtime()) {}
  ~Stopwatch() { seconds_ += MPI_Wtime() - started_; }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double& seconds_;
  double started_;
};

}  // namespace tallcache::mpi
