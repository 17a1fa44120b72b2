// The libraries that a user of MPI would pick: ScaLAPACK's pdgemm and pdtran, FFTW's transposition over MPI.
// They are loaded when they are asked for, with the BLAS kernels that are best for this processor.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "common/execute.hpp"
#include "ranks/distribution.hpp"
#include "ranks/matmul.hpp"
#include "ranks/mpi/world.hpp"

namespace tallcache {

/// A library's program on matrices in its own layout, by the places of a plan: C, A, B of a product, B, A of
/// a transposition.
class RankPeer {
 public:
  virtual ~RankPeer() = default;
  virtual ranks::Distribution layout(std::size_t v) const = 0;
  virtual double* memory(std::size_t v) = 0;
  virtual void run() = 0;
};

/// A grid of ranks and the block of block-cyclic.
struct PeerGrid {
  Index rows, cols, block;
};

/// ScaLAPACK. Throws Error with the reason where the library is not installed.
std::unique_ptr<RankPeer> make_pdgemm(const mpi::World&, const ranks::MatmulShape&, const PeerGrid&,
                                      int threads);
/// A is m x n.
std::unique_ptr<RankPeer> make_pdtran(const mpi::World&, Index m, Index n, const PeerGrid&);
/// FFTW. Throws Error where it is not installed or the ranks do not divide m and n.
std::unique_ptr<RankPeer> make_fftw_transpose(const mpi::World&, Index m, Index n);
/// SUMMA on the grid, with panels of its block.
std::unique_ptr<RankPeer> make_summa(const mpi::World&, const ranks::MatmulShape&, const PeerGrid&,
                                     int threads);

}  // namespace tallcache
