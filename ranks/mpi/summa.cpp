#include "ranks/mpi/summa.hpp"

#include <algorithm>
#include <string>

#include "common/fork/fork.hpp"
#include "cpu/tallcache/matmul.hpp"

namespace tallcache::mpi {
namespace {

// The place of element `l` among `parts` equal parts of `size`, and the end of that part.
std::pair<Index, Index> part_at(Index size, Index parts, Index l) {
  Index part = l * parts / size;
  while (block_begin(size, parts, part) > l) --part;
  while (block_begin(size, parts, part + 1) <= l) ++part;
  return {part, block_begin(size, parts, part + 1)};
}

}  // namespace

Summa::Summa(const ranks::MatmulShape& shape, Index grid_rows, Index grid_cols, Index panel, MPI_Comm comm,
             int threads)
    : shape_(shape),
      grid_rows_(grid_rows),
      grid_cols_(grid_cols),
      panel_(panel),
      threads_(threads),
      session_(make_executor("cpu", 0)) {
  int rank = 0, size = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  if (grid_rows * grid_cols != size)
    throw Error("SUMMA: a grid of " + std::to_string(grid_rows * grid_cols) + " ranks on " +
                std::to_string(size));
  const ranks::Distribution layouts[] = {layout(ranks::matrix_c), layout(ranks::matrix_a),
                                         layout(ranks::matrix_b)};
  at_row_ = static_cast<int>(rank / grid_cols);
  at_col_ = static_cast<int>(rank % grid_cols);
  MPI_Comm_split(comm, at_row_, at_col_, &row_);
  MPI_Comm_split(comm, at_col_, at_row_, &col_);
  std::size_t next = 0;
  const auto take = [&](Index words) {
    const auto count = static_cast<std::size_t>(words);
    return std::span(
        reinterpret_cast<double*>(session_.memory(next++, count * sizeof(double), Pages::huge).data()),
        count);
  };
  for (std::size_t v = 0; v < 3; ++v) memory_[v] = take(layouts[v].words(rank));
  const Index rows = block_begin(shape.m, grid_rows, at_row_ + 1) - block_begin(shape.m, grid_rows, at_row_);
  const Index cols = block_begin(shape.n, grid_cols, at_col_ + 1) - block_begin(shape.n, grid_cols, at_col_);
  panels_[0] = take(rows * panel);
  panels_[1] = take(panel * cols);
}

Summa::~Summa() {
  MPI_Comm_free(&row_);
  MPI_Comm_free(&col_);
}

ranks::Distribution Summa::layout(std::size_t v) const {
  const auto& [m, n, k] = shape_;
  if (v == ranks::matrix_c) return ranks::blocks(m, n, grid_rows_, grid_cols_);
  return v == ranks::matrix_a ? ranks::blocks(m, k, grid_rows_, grid_cols_)
                              : ranks::blocks(k, n, grid_rows_, grid_cols_);
}

Index Summa::panel_end(Index l) const {
  return std::min(
      {l + panel_, part_at(shape_.k, grid_cols_, l).second, part_at(shape_.k, grid_rows_, l).second});
}

void Summa::run() {
  const Index rows =
      block_begin(shape_.m, grid_rows_, at_row_ + 1) - block_begin(shape_.m, grid_rows_, at_row_);
  const Index cols =
      block_begin(shape_.n, grid_cols_, at_col_ + 1) - block_begin(shape_.n, grid_cols_, at_col_);
  const Index a_cols =
      block_begin(shape_.k, grid_cols_, at_col_ + 1) - block_begin(shape_.k, grid_cols_, at_col_);
  const MatrixView<double> c{memory_[ranks::matrix_c].data(), rows, cols, cols};
  for (Index l = 0, end = 0; l < shape_.k; l = end) {
    end = panel_end(l);
    const Index width = end - l;
    const auto owner_a = part_at(shape_.k, grid_cols_, l).first,
               owner_b = part_at(shape_.k, grid_rows_, l).first;
    double *const a = panels_[0].data(), *const b = panels_[1].data();
    if (owner_a == at_col_) {
      const double* from = memory_[ranks::matrix_a].data() + l - block_begin(shape_.k, grid_cols_, owner_a);
      for (Index i = 0; i < rows; ++i) std::copy_n(from + i * a_cols, width, a + i * width);
    }
    if (owner_b == at_row_)
      std::copy_n(memory_[ranks::matrix_b].data() + (l - block_begin(shape_.k, grid_rows_, owner_b)) * cols,
                  width * cols, b);
    MPI_Bcast(a, static_cast<int>(rows * width), MPI_DOUBLE, static_cast<int>(owner_a), row_);
    MPI_Bcast(b, static_cast<int>(width * cols), MPI_DOUBLE, static_cast<int>(owner_b), col_);
    gemm<double>(Layout::row_major, Trans::no, Trans::no, 1, MatrixView<double>{a, rows, width, width},
                 MatrixView<double>{b, width, cols, cols}, l == 0 ? 0 : 1, c, threads_);
  }
}

}  // namespace tallcache::mpi
