// SUMMA (van de Geijn, Watts, SUMMA: scalable universal matrix multiplication algorithm, 1997), as the
// textbook has it: panels of A go along the rows of a grid of ranks, panels of B along its columns, and each
// rank adds their product to its block of C. The variant with which the recursion is compared.
#pragma once

#include <mpi.h>

#include <span>

#include "common/execute.hpp"
#include "ranks/distribution.hpp"
#include "ranks/matmul.hpp"

namespace tallcache::mpi {

/// C = A B on a grid of grid_rows x grid_cols ranks, all of a communicator. Each matrix is in blocks
/// (ranks::blocks). Collective.
class Summa {
 public:
  /// `panel`: the columns of A and rows of B of one step. Throws Error when there are more ranks than rows
  /// along a dimension.
  Summa(const ranks::MatmulShape&, Index grid_rows, Index grid_cols, Index panel, MPI_Comm comm, int threads);
  ~Summa();
  Summa(const Summa&) = delete;
  Summa& operator=(const Summa&) = delete;

  ranks::Distribution layout(std::size_t v) const;
  /// The rank's block of a matrix, by rows.
  std::span<double> memory(std::size_t v) { return memory_[v]; }
  void run();

 private:
  // A panel from l on: its elements are of one place along the inner dimension.
  Index panel_end(Index l) const;

  ranks::MatmulShape shape_;
  Index grid_rows_, grid_cols_, panel_;
  int threads_;
  MPI_Comm row_ = MPI_COMM_NULL, col_ = MPI_COMM_NULL;  ///< the ranks of this row and of this column
  int at_row_ = 0, at_col_ = 0;
  detail::Session session_;
  std::span<double> memory_[3], panels_[2];
};

}  // namespace tallcache::mpi
