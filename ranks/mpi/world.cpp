#include "ranks/mpi/world.hpp"

#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <vector>

#include "common/fork/one_tbb.hpp"

namespace tallcache::mpi {
namespace {

// Composed beforehand: a handler may only write(2) and leave.
char last_words[128];
int last_words_size = 0;
int* spoken = nullptr;  // of all ranks of this machine

void leave(int signal) {
  if (spoken && std::atomic_ref(*spoken).exchange(1) == 0) {
    [[maybe_unused]] const auto written =
        write(STDERR_FILENO, last_words, static_cast<std::size_t>(last_words_size));
  }
  _exit(128 + signal);
}

int processors_of_machine() { return static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)); }

}  // namespace

World::World(int* argc, char*** argv) {
  int provided = 0;
  MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
  MPI_Comm_rank(comm_, &rank_);
  MPI_Comm_size(comm_, &size_);
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &node);
  MPI_Comm_size(node, &neighbours_);
  int at_node = 0;
  MPI_Comm_rank(node, &at_node);
  int* own = nullptr;
  MPI_Win_allocate_shared(at_node == 0 ? sizeof(int) : 0, sizeof(int), MPI_INFO_NULL, node, &own, &spoken_);
  MPI_Aint bytes = 0;
  int unit = 0;
  MPI_Win_shared_query(spoken_, 0, &bytes, &unit, &spoken);
  if (at_node == 0) *spoken = 0;
  MPI_Barrier(node);
  MPI_Comm_free(&node);

  const int usable = usable_threads();
  const bool bound = usable < processors_of_machine() || neighbours_ == 1;
  threads_ = bound ? usable : std::max(1, usable / neighbours_);
  // Ranks that may use the same processors would all pin their threads to the first ones.
  if (!bound) pin_threads(false);
  last_words_size = std::snprintf(last_words, sizeof last_words,
                                  "tallcache: rank %d: ended, as one of the %d ranks was\n", rank_, size_);
  std::signal(SIGTERM, leave);
}

World::~World() {
  std::signal(SIGTERM, SIG_DFL);
  spoken = nullptr;
  MPI_Win_free(&spoken_);
  MPI_Comm_free(&comm_);
  MPI_Finalize();
}

void require_none(MPI_Comm comm, const std::string& message) {
  int rank = 0, size = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  int mine = message.empty() ? size : rank, first = size;
  MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm);
  if (first == size) return;
  int length = static_cast<int>(message.size());
  MPI_Bcast(&length, 1, MPI_INT, first, comm);
  std::string said = message;
  said.resize(static_cast<std::size_t>(length));
  MPI_Bcast(said.data(), length, MPI_CHAR, first, comm);
  throw SharedError(said, Status::failed);
}

void require_same(MPI_Comm comm, const std::string& what, const std::string& text) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  int length = static_cast<int>(text.size());
  MPI_Bcast(&length, 1, MPI_INT, 0, comm);
  std::string first = text;
  first.resize(static_cast<std::size_t>(length));
  MPI_Bcast(first.data(), length, MPI_CHAR, 0, comm);
  require_none(comm, first == text ? ""
                                   : what + " differ: rank " + std::to_string(rank) + " has " + text +
                                         ", rank 0 has " + first);
}

double max_over(MPI_Comm comm, double value) {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, comm);
  return value;
}
double min_over(MPI_Comm comm, double value) {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MIN, comm);
  return value;
}
double sum_over(MPI_Comm comm, double value) {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_SUM, comm);
  return value;
}

}  // namespace tallcache::mpi
