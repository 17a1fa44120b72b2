// Products and redistributions of matrices over MPI ranks; link tallcache::mpi.
//
//   mpi::Matmul product(ranks::choose_matmul({m, n, k}, ranks), MPI_COMM_WORLD, threads);
//   mpi::Redistribution(user_layout, ranks::recursive_layout(product.plan(), ranks::matrix_a, ranks), comm,
//                       threads).run(a, product.memory(ranks::matrix_a).data());
//   product.run();
#pragma once

#include "ranks/distribution.hpp"
#include "ranks/matmul.hpp"
#include "ranks/mpi/matmul.hpp"
#include "ranks/mpi/redistribute.hpp"
