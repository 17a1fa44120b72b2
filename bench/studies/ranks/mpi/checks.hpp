// What every rank does beside the measured program: seeded matrices, and checks of parts of a result.
#pragma once

#include <cstdint>
#include <functional>
#include <new>
#include <optional>
#include <string>

#include "ranks/distribution.hpp"
#include "ranks/mpi/world.hpp"

namespace tallcache {

// A result that all ranks make, or an error of one of them that all hear of.
template <class Make>
auto on_all(const mpi::World& world, const Make& make) {
  std::optional<decltype(make())> made;
  std::string fault;
  try {
    made.emplace(make());
  } catch (const Error& error) {
    fault = error.what();
  } catch (const std::bad_alloc&) {
    fault = "rank " + std::to_string(world.rank()) + " has not the memory";
  }
  mpi::require_none(world.comm(), fault);
  return std::move(*made);
}

/// Element (i, j) of the random matrix of a seed, from -1 to 1.
double value_at(std::uint64_t seed, const ranks::Distribution&, Index i, Index j);

/// A rank's part of the random matrix, or NaN everywhere.
void fill(const ranks::Distribution&, Index rank, std::uint64_t seed, double* memory);
void poison(const ranks::Distribution&, Index rank, double* memory);

/// What is wrong with an element at (i, j), or nothing.
using ElementCheck = std::function<std::string(Index i, Index j, double got)>;

/// Looks at elements of every rank's part, the first and the last among them. The lowest rank that finds a
/// wrong one says so on all; empty: none does.
std::string check_parts(const mpi::World&, const ranks::Distribution&, const double* memory,
                        const ElementCheck&);

/// Bytes of memory of this process. A page that several processes have mapped counts in parts.
struct Resident {
  double own = 0, shared = 0;  ///< shared: of memory for several processes
};
/// Zeros where the system does not tell.
Resident resident_memory();

}  // namespace tallcache
