#include "bench/studies/ranks/mpi/peers.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdlib>

#include "cpu/peers/blas.hpp"
#include "ranks/mpi/summa.hpp"

namespace tallcache {
namespace {

using ranks::BlockCyclic;
using ranks::Distribution;

template <class Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (!function) throw Error(fmt::format("the library has no {}", name), Status::unavailable);
}

void* load(std::initializer_list<const char*> names, const char* package) {
  for (const char* name : names)
    if (void* library = dlopen(name, RTLD_NOW | RTLD_GLOBAL)) return library;
  throw Error(fmt::format("no {} (package {})", *names.begin(), package), Status::unavailable);
}

int to_int(Index value) {
  if (value > INT_MAX)
    throw Error(fmt::format("{} exceeds the library's integers", value), Status::unsupported);
  return static_cast<int>(value);
}

class Scalapack {
 public:
  static const Scalapack& library(int threads) {
    static const Scalapack loaded(threads);
    return loaded;
  }

  int context(const PeerGrid& grid) const {
    int context = 0;
    get_(-1, 0, &context);
    char order[] = "Row";
    grid_(&context, order, to_int(grid.rows), to_int(grid.cols));
    return context;
  }

  using Gemm = void (*)(const char*, const char*, const int*, const int*, const int*, const double*,
                        const double*, const int*, const int*, const int*, const double*, const int*,
                        const int*, const int*, const double*, double*, const int*, const int*, const int*);
  using Tran = void (*)(const int*, const int*, const double*, const double*, const int*, const int*,
                        const int*, const double*, double*, const int*, const int*, const int*);
  Gemm gemm = nullptr;
  Tran tran = nullptr;
  void (*exit)(int) = nullptr;

 private:
  explicit Scalapack(int threads) {
    // A release of OpenBLAS that is older than the processor picks kernels that are too old.
    const std::string& core = cpu::peers::fastest_openblas().blas().core();
    if (!core.empty()) setenv("OPENBLAS_CORETYPE", core.c_str(), 0);
    setenv("OPENBLAS_NUM_THREADS", std::to_string(threads).c_str(), 1);
    void* const library = load({"libscalapack-openmpi.so.2.2", "libscalapack-openmpi.so.2.2.1",
                                "libscalapack-openmpi.so.2.1", "libscalapack-openmpi.so"},
                               "libscalapack-openmpi2.2");
    find(library, "Cblacs_get", get_);
    find(library, "Cblacs_gridinit", grid_);
    find(library, "Cblacs_gridexit", exit);
    find(library, "pdgemm_", gemm);
    find(library, "pdtran_", tran);
  }

  void (*get_)(int, int, int*) = nullptr;
  void (*grid_)(int*, char*, int, int) = nullptr;
};

// Matrices in memory of their own.
class Owned : public RankPeer {
 public:
  Distribution layout(std::size_t v) const override { return layouts_[v]; }
  double* memory(std::size_t v) override { return memory_[v]; }

 protected:
  explicit Owned(int rank) : session_(make_executor("cpu", 0)), rank_(rank) {}
  void add(const Distribution& layout, Index words) {
    const auto bytes = sizeof(double) * static_cast<std::size_t>(std::max<Index>(1, words));
    memory_.push_back(reinterpret_cast<double*>(session_.memory(memory_.size(), bytes, Pages::huge).data()));
    layouts_.push_back(layout);
  }
  void add(const Distribution& layout) { add(layout, layout.words(rank_)); }

 private:
  detail::Session session_;
  int rank_;
  std::vector<Distribution> layouts_;
  std::vector<double*> memory_;
};

class BlockCyclicPeer : public Owned {
 public:
  ~BlockCyclicPeer() override { library_.exit(context_); }

 protected:
  BlockCyclicPeer(const mpi::World& world, const PeerGrid& grid, int threads)
      : Owned(world.rank()),
        library_(Scalapack::library(threads)),
        context_(library_.context(grid)),
        grid_(grid),
        ranks_(world.size()),
        row_(world.rank() / grid.cols) {}

  void add_matrix(Index rows, Index cols) {
    const BlockCyclic d{.rows = rows,
                        .cols = cols,
                        .row_block = grid_.block,
                        .col_block = grid_.block,
                        .grid_rows = grid_.rows,
                        .grid_cols = grid_.cols};
    add(block_cyclic(d, ranks_));
    const Index ld = std::max<Index>(1, ranks::local_size(rows, grid_.block, row_, 0, grid_.rows));
    descriptors_.push_back({1, context_, to_int(rows), to_int(cols), to_int(grid_.block), to_int(grid_.block),
                            0, 0, to_int(ld)});
  }

  const Scalapack& library_;
  int context_;
  PeerGrid grid_;
  Index ranks_, row_;
  std::vector<std::array<int, 9>> descriptors_;
  static constexpr int first_ = 1;
};

class Pdgemm final : public BlockCyclicPeer {
 public:
  Pdgemm(const mpi::World& world, const ranks::MatmulShape& shape, const PeerGrid& grid, int threads)
      : BlockCyclicPeer(world, grid, threads), m_(to_int(shape.m)), n_(to_int(shape.n)), k_(to_int(shape.k)) {
    add_matrix(shape.m, shape.n);
    add_matrix(shape.m, shape.k);
    add_matrix(shape.k, shape.n);
  }
  void run() override {
    const double one = 1, zero = 0;
    library_.gemm("N", "N", &m_, &n_, &k_, &one, memory(1), &first_, &first_, descriptors_[1].data(),
                  memory(2), &first_, &first_, descriptors_[2].data(), &zero, memory(0), &first_, &first_,
                  descriptors_[0].data());
  }

 private:
  int m_, n_, k_;
};

class Pdtran final : public BlockCyclicPeer {
 public:
  Pdtran(const mpi::World& world, Index m, Index n, const PeerGrid& grid)
      : BlockCyclicPeer(world, grid, 1), m_(to_int(m)), n_(to_int(n)) {
    add_matrix(n, m);
    add_matrix(m, n);
  }
  void run() override {
    const double one = 1, zero = 0;
    library_.tran(&n_, &m_, &one, memory(1), &first_, &first_, descriptors_[1].data(), &zero, memory(0),
                  &first_, &first_, descriptors_[0].data());
  }

 private:
  int m_, n_;
};

class FftwTranspose final : public Owned {
 public:
  FftwTranspose(const mpi::World& world, Index m, Index n) : Owned(world.rank()) {
    const Index ranks = world.size();
    if (m % ranks || n % ranks)
      throw Error("FFTW's blocks are other than row blocks where the ranks do not divide the sizes",
                  Status::unsupported);
    void* const library = load({"libfftw3_mpi.so.3", "libfftw3_mpi.so"}, "libfftw3-mpi3");
    void (*init)() = nullptr;
    void* (*plan)(std::ptrdiff_t, std::ptrdiff_t, std::ptrdiff_t, std::ptrdiff_t, std::ptrdiff_t, double*,
                  double*, MPI_Comm, unsigned) = nullptr;
    find(library, "fftw_mpi_init", init);
    find(library, "fftw_mpi_plan_many_transpose", plan);
    find(library, "fftw_execute", execute_);
    find(library, "fftw_destroy_plan", destroy_);
    add(ranks::row_blocks(n, m, ranks));
    add(ranks::row_blocks(m, n, ranks));
    init();
    constexpr unsigned measure = 0;
    plan_ = plan(m, n, 1, 0, 0, memory(1), memory(0), world.comm(), measure);
    if (!plan_) throw Error("FFTW has no plan for this", Status::unsupported);
  }
  ~FftwTranspose() override {
    if (plan_) destroy_(plan_);
  }
  void run() override { execute_(plan_); }

 private:
  void* plan_ = nullptr;
  void (*execute_)(void*) = nullptr;
  void (*destroy_)(void*) = nullptr;
};

class SummaPeer final : public RankPeer {
 public:
  SummaPeer(const mpi::World& world, const ranks::MatmulShape& shape, const PeerGrid& grid, int threads)
      : summa_(shape, grid.rows, grid.cols, grid.block, world.comm(), threads) {}
  Distribution layout(std::size_t v) const override { return summa_.layout(v); }
  double* memory(std::size_t v) override { return summa_.memory(v).data(); }
  void run() override { summa_.run(); }

 private:
  mpi::Summa summa_;
};

}  // namespace

std::unique_ptr<RankPeer> make_pdgemm(const mpi::World& world, const ranks::MatmulShape& shape,
                                      const PeerGrid& grid, int threads) {
  return std::make_unique<Pdgemm>(world, shape, grid, threads);
}
std::unique_ptr<RankPeer> make_pdtran(const mpi::World& world, Index m, Index n, const PeerGrid& grid) {
  return std::make_unique<Pdtran>(world, m, n, grid);
}
std::unique_ptr<RankPeer> make_fftw_transpose(const mpi::World& world, Index m, Index n) {
  return std::make_unique<FftwTranspose>(world, m, n);
}
std::unique_ptr<RankPeer> make_summa(const mpi::World& world, const ranks::MatmulShape& shape,
                                     const PeerGrid& grid, int threads) {
  return std::make_unique<SummaPeer>(world, shape, grid, threads);
}

}  // namespace tallcache
