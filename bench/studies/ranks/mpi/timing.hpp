// The times of the ranks, in records.
#pragma once

#include <span>
#include <vector>

#include "bench/results/document.hpp"
#include "ranks/counted.hpp"
#include "ranks/mpi/world.hpp"

namespace tallcache {

/// The seconds of the slowest rank in each repetition of body(), after one that brings all memory in.
template <class Body>
std::vector<double> time_runs(const mpi::World& world, int repetitions, const Body& body) {
  body();
  std::vector<double> samples;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    MPI_Barrier(world.comm());
    const double start = MPI_Wtime();
    body();
    samples.push_back(mpi::max_over(world.comm(), MPI_Wtime() - start));
  }
  return samples;
}

/// Adds the median time and the work of a run: "flop" or "B".
void put_time(Record&, const std::vector<double>& samples, const char* unit, double work);

/// Adds the seconds of a phase of one run, the mean over the ranks. `seconds`: of this rank in all
/// repetitions. Collective.
void put_phase(Record&, const mpi::World&, int repetitions, const char* phase, double seconds);

/// Adds, on rank 0, the levels of every rank in order. Collective.
void put_levels(Record&, const mpi::World&, std::span<const ranks::Traffic> mine);

}  // namespace tallcache
