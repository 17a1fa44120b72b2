// The code in the headers' comments, each block where what it uses is known. documented_code.py writes the
// blocks to files, and asks the compiler whether they are C++.
#include <complex>
#include <string>
#include <tallcache/catalogue.hpp>
#include <tallcache/convolution.hpp>
#include <tallcache/edit_distance.hpp>
#include <tallcache/factor.hpp>
#include <tallcache/fft.hpp>
#include <tallcache/fork.hpp>
#include <tallcache/matmul.hpp>
#include <tallcache/measure.hpp>
#include <tallcache/paths.hpp>
#include <tallcache/qr.hpp>
#include <tallcache/ranks.hpp>
#include <tallcache/solve.hpp>
#include <tallcache/sort.hpp>
#include <tallcache/stencil.hpp>
#include <tallcache/trace.hpp>
#include <vector>

#include "common/fork/local_memory.hpp"
#include "common/operation_record.hpp"
#include "cpu/transpose/recursive.hpp"
#include "gpu/on_gpu.hpp"
#include "gpu/tallcache/device_convolution.hpp"
#include "gpu/tallcache/device_fft.hpp"
#include "gpu/tallcache/device_solve.hpp"
#include "gpu/tallcache/device_sort.hpp"
#include "gpu/tallcache/device_stencil.hpp"
#ifdef TALLCACHE_WITH_PAPI
#include <tallcache/count.hpp>
#endif
#ifdef TALLCACHE_WITH_MPI
#include <tallcache/mpi.hpp>
#endif

using namespace tallcache;

[[maybe_unused]] void print(const auto&) {}
void work();

void catalogue(double* out, double* left, double* right, Index m, Index n, Index k) {
#include "documented/common/tallcache/catalogue.hpp.1"
}

// The same names stand for matrices of both element types there.
struct Matrix {
  operator MatrixView<double>() const;
  operator MatrixView<float>() const;
  operator MatrixView<const double>() const;
  operator MatrixView<const float>() const;
};
void executed(Matrix c, Matrix a, Matrix b) {
#include "documented/common/execute.hpp.1"
}

struct Node {
  Node *left, *right;
};
#include "documented/common/tallcache/fork.hpp.1"
template void walk<Serial>(Serial&, Node*);

struct Weaker {
#include "documented/common/error_class.hpp.1"
};

void measured(const Shape& shape, const std::vector<Candidate>& candidates) {
#include "documented/common/tallcache/measure.hpp.1"
}

void factored(MatrixView<double> a, MatrixView<double> b, Index n) {
#include "documented/cpu/tallcache/factor.hpp.1"
}

void solved(MatrixView<double> a, MatrixView<double> b, MatrixView<double> x, int threads) {
#include "documented/cpu/tallcache/solve.hpp.1"
}

void factored(MatrixView<double> a, VectorView<double> tau, MatrixView<double> b, MatrixView<double> q) {
#include "documented/cpu/tallcache/qr.hpp.1"
}

void shortest(MatrixView<float> d, MatrixView<std::int32_t> before, MatrixView<std::uint64_t> bits) {
#include "documented/cpu/tallcache/paths.hpp.1"
}

void multiplied(MatrixView<double> c, MatrixView<const double> a, MatrixView<const double> b, int threads){
#include "documented/cpu/tallcache/matmul.hpp.1"
}

std::vector<std::string> read();
void sorted(int threads){
#include "documented/cpu/tallcache/sort.hpp.1"
}

std::vector<std::complex<double>> samples();
void convolved() {
#include "documented/cpu/tallcache/convolution.hpp.1"
}

void transformed() {
#include "documented/cpu/tallcache/fft.hpp.1"
}

double* stepped(double* even, double* odd, Index rows, Index cols, Index steps) {
#include "documented/cpu/tallcache/stencil.hpp.1"
  return last;
}

void solved_on_device(MatrixView<const double> a, MatrixView<const double> b, MatrixView<double> x, Index n,
                      void* stream, Scratch<> scratch) {
#include "documented/gpu/tallcache/device_solve.hpp.1"
  print(bytes);
}

template <class Launch>  // which only nvcc can start
void transformed_on_device(std::complex<double>* out, const std::complex<double>* in, Index n, void* stream,
                           Scratch<> scratch) {
#include "documented/gpu/tallcache/device_fft.hpp.1"
}

template <class Launch>  // which only nvcc can start
void convolved_on_device(Launch launch, double* out, const double* a, Index m, const double* b, Index n,
                         Scratch<> scratch) {
#include "documented/gpu/tallcache/device_convolution.hpp.1"
}

struct Edge {
  float cost;
  std::int32_t to;
};
#include "documented/gpu/tallcache/device_sort.hpp.1"
template <class Launch>  // which only nvcc can start
void sorted_on_device(Edge* edges, Index n, void* stream, Scratch<> scratch) {
#include "documented/gpu/tallcache/device_sort.hpp.2"
}

namespace own {
#include "documented/gpu/tallcache/device_stencil.hpp.1"
template <class Launch>  // which only nvcc can start
double* stepped_on_device(double* even, double* odd, Index rows, Index cols, Index steps, void* stream,
                          Scratch<> scratch) {
#include "documented/gpu/tallcache/device_stencil.hpp.2"
  return last;
}
}  // namespace own

void compared() {
#include "documented/cpu/tallcache/edit_distance.hpp.1"
  print(edits), print(distance), print(common), print(distances);
}

void counted_over_ranks() {
#include "documented/ranks/tallcache/ranks.hpp.1"
  print(most), print(least);
}

void branches(Serial fork, MatrixView<double> c, MatrixView<double> c1, MatrixView<double> c2,
              MatrixView<const double> a, MatrixView<const double> a1, MatrixView<const double> a2,
              MatrixView<const double> b, MatrixView<const double> b1, MatrixView<const double> b2) {
  const auto product = [&](auto to, auto left, auto right) { rec_mult(fork, to, left, right, 64); };
#include "documented/common/fork/fork.hpp.1"
  print(a);
}

void over_nodes(const std::vector<MemoryNode>& nodes, MatrixView<double> b, MatrixView<const double> a) {
  using cpu::transpose::rec_transpose;
  const auto touch = [](std::size_t, auto, auto) {};
#include "documented/common/fork/by_node.hpp.1"
}

void leases(Serial fork, Scratch<> scratch, std::size_t bytes, Index n) {
  using Access = Plain;
  const auto solve = [](Index, Scratch<> piece) { print(piece); };
#include "documented/common/fork/local_memory.hpp.1"
}

Index fib(Heartbeat&, Index n);
void heartbeats(Index n) {
  Index x = 0, y = 0;
#include "documented/common/fork/heartbeat.hpp.1"
  print(x + y);
}

struct Sink {
#include "documented/common/traced.hpp.1"
};

namespace a_variant {
using Op = Matmul<double>;
#include "documented/common/variant.hpp.1"
}  // namespace a_variant

struct OnDevice : gpu::OnGpu {
#include "documented/gpu/on_gpu.hpp.1"
};

using Op = Matmul<double>;
#include "documented/common/operation_record.hpp.1"

#ifdef TALLCACHE_WITH_PAPI
void counted() {
#include "documented/common/papi/counting.hpp.1"
}
#endif

#ifdef TALLCACHE_WITH_MPI
void over_mpi(Index m, Index n, Index k, int ranks, MPI_Comm comm, int threads,
              const ranks::Distribution& user_layout, const double* a) {
#include "documented/ranks/tallcache/mpi.hpp.1"
}
void multiplied_over_mpi(Index m, Index n, Index k, int ranks, MPI_Comm comm, int threads) {
  const auto fill = [](std::span<double>, std::span<double>) {};
#include "documented/ranks/mpi/matmul.hpp.1"
}
void redistributed(Index m, Index n, int size, const ranks::Distribution& mine, int threads) {
#include "documented/ranks/mpi/redistribute.hpp.1"
}
#endif
