// C = A B of block-cyclic matrices, as a program of ScaLAPACK's has them: mpirun -n 4 multiply_block_cyclic
#include <mpi.h>

#include <cstdio>
#include <tallcache/mpi.hpp>
#include <vector>

int main(int argc, char** argv) {
  using namespace tallcache;
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const auto [p, q] = ranks::square_grid(size);
  const Index n = 300;
  const ranks::Distribution mine = ranks::block_cyclic(
      {.rows = n, .cols = n, .row_block = 32, .col_block = 32, .grid_rows = p, .grid_cols = q}, size);

  // The caller's matrices, local blocks by columns: A is all ones, B all twos.
  const auto words = static_cast<std::size_t>(mine.words(rank));
  std::vector<double> a(words, 1), b(words, 2), c(words);

  const int threads = 1;
  mpi::Matmul product(ranks::choose_matmul({n, n, n}, size), MPI_COMM_WORLD, threads);
  const auto inside = [&](std::size_t v) { return ranks::recursive_layout(product.plan(), v, size); };
  const auto memory = [&](std::size_t v) { return product.memory(v).data(); };
  using mpi::Redistribution, ranks::matrix_a, ranks::matrix_b, ranks::matrix_c;
  Redistribution(mine, inside(matrix_a), MPI_COMM_WORLD, threads).run(a.data(), memory(matrix_a));
  Redistribution(mine, inside(matrix_b), MPI_COMM_WORLD, threads).run(b.data(), memory(matrix_b));
  product.run();
  Redistribution(inside(matrix_c), mine, MPI_COMM_WORLD, threads).run(memory(matrix_c), c.data());

  bool right = true;
  for (double value : c) right = right && value == 2.0 * n;
  std::printf("rank %d of %d: %s\n", rank, size, right ? "right" : "WRONG");
  MPI_Finalize();
  return right ? 0 : 1;
}
