#include "ranks/mpi/node_memory.hpp"

#include <sys/statvfs.h>

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace tallcache::mpi {
namespace {

constexpr std::size_t line = 64;

std::size_t bytes_of(Index words) { return static_cast<std::size_t>(words) * sizeof(double) + line; }

// Pages are mapped at the same place within a page by every rank, and so is a line.
double* aligned(void* base) {
  return reinterpret_cast<double*>((reinterpret_cast<std::uintptr_t>(base) + line - 1) / line * line);
}

// Linux has its shared memory there. An implementation of MPI that finds it full ends the program when a page
// is touched.
bool has_room(double bytes) {
  struct statvfs room;
  return statvfs("/dev/shm", &room) == 0 &&
         bytes < 0.9 * static_cast<double>(room.f_bavail) * static_cast<double>(room.f_frsize);
}

}  // namespace

NodeMemory::NodeMemory(MPI_Comm comm, Index words) : session_(make_executor("cpu", 0)) {
  int rank = 0, size = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  memories_.resize(static_cast<std::size_t>(size));
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node_);
  double mine = static_cast<double>(bytes_of(words)), all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, node_);
  int fits = has_room(all), fit_all = 0;
  MPI_Allreduce(&fits, &fit_all, 1, MPI_INT, MPI_MIN, comm);
  if (fit_all) {
    share(comm, words);
    return;
  }
  own_ = {reinterpret_cast<double*>(session_.memory(0, bytes_of(words), Pages::huge).data()),
          static_cast<std::size_t>(words)};
  memories_[static_cast<std::size_t>(rank)] = own_.data();
}

void NodeMemory::share(MPI_Comm comm, Index words) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "alloc_shared_noncontig", "true");  // a rank's pages are its own
  void* base = nullptr;
  MPI_Win_allocate_shared(static_cast<MPI_Aint>(bytes_of(words)), 1, info, node_, &base, &window_);
  MPI_Info_free(&info);
  own_ = {aligned(base), static_cast<std::size_t>(words)};
  std::ranges::fill(own_, 0.0);  // the pages are there from now on, and near this rank
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);

  int neighbours = 0;
  MPI_Comm_size(node_, &neighbours);
  std::vector<int> at_node(static_cast<std::size_t>(neighbours)), at_comm(at_node.size());
  std::iota(at_node.begin(), at_node.end(), 0);
  MPI_Group node_group = MPI_GROUP_NULL, group = MPI_GROUP_NULL;
  MPI_Comm_group(node_, &node_group);
  MPI_Comm_group(comm, &group);
  MPI_Group_translate_ranks(node_group, neighbours, at_node.data(), group, at_comm.data());
  MPI_Group_free(&node_group);
  MPI_Group_free(&group);
  for (int neighbour : at_node) {
    MPI_Aint bytes = 0;
    int unit = 0;
    MPI_Win_shared_query(window_, neighbour, &bytes, &unit, &base);
    memories_[static_cast<std::size_t>(at_comm[static_cast<std::size_t>(neighbour)])] = aligned(base);
  }
  wait_for_neighbours();
}

NodeMemory::~NodeMemory() {
  int ended = 0;
  MPI_Finalized(&ended);
  if (ended) return;  // and the window with it
  if (window_ != MPI_WIN_NULL) {
    MPI_Win_unlock_all(window_);
    MPI_Win_free(&window_);
  }
  MPI_Comm_free(&node_);
}

void NodeMemory::sync() const {
  if (window_ != MPI_WIN_NULL) MPI_Win_sync(window_);
}

void NodeMemory::wait_for_neighbours() const {
  if (window_ == MPI_WIN_NULL) return;
  sync();
  MPI_Barrier(node_);
  sync();
}

}  // namespace tallcache::mpi
