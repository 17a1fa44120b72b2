// Takes a matrix over ranks from one distribution to another one, with or without transposition.
//
//   mpi::Redistribution to_rows(ranks::row_blocks(n, m, size).transposed(), mine, MPI_COMM_WORLD, threads);
#pragma once

#include <mpi.h>

#include <vector>

#include "common/execute.hpp"
#include "cpu/transpose/streaming_kernel.hpp"
#include "ranks/counted.hpp"
#include "ranks/distribution.hpp"
#include "ranks/mpi/node_memory.hpp"

namespace tallcache::mpi {

/// The moves between two distributions of the ranks of a communicator; planned once, for any number of runs.
/// Collective.
class Redistribution {
 public:
  /// B = A, where `from` is A's and `to` is B's: of equal sizes. B = A^T: give to.transposed(). Throws Error
  /// when the sizes differ or a distribution is not over the ranks of `comm`. `source`: the memory that every
  /// run reads, on all ranks or on none; a rank then copies in place what is on its machine. It must stay
  /// until the end.
  Redistribution(const ranks::Distribution& from, const ranks::Distribution& to, MPI_Comm comm, int threads,
                 const NodeMemory* source = nullptr);

  /// The bytes that it has allocated.
  std::size_t bytes() const;

  /// The ranks' memories as their distributions say; they must not overlap. With a source, `from` is its
  /// own().
  void run(const double* from, double* to);

  /// What a run moves between this rank and others.
  const ranks::Traffic& traffic() const { return traffic_; }

 private:
  // A rectangle on both sides of a message, in which elements stand as they do in the sender's memory.
  struct Move {
    ranks::Rectangle here;
    Index offset = 0;     ///< in the message
    bool by_rows = true;  ///< the order of the message
  };
  struct Message {
    int rank = 0;
    Index offset = 0, words = 0;  ///< in the buffer of all messages
    bool direct = false;          ///< from, or to, the matrix itself
    std::vector<Move> moves;
  };
  struct Copy {
    ranks::Rectangle from, to;
  };

  void add(std::vector<Message>& messages, const ranks::Rectangle& here, const ranks::Rectangle& there,
           bool sends);
  Index arrange(std::vector<Message>& messages);
  void pack(const Message&, const double* from);
  void unpack(const Message&, double* to);

  // Whether this rank reads, and is read by, another one without a message.
  bool in_place(Index rank) const { return source_ && source_->of(rank); }

  MPI_Comm comm_;
  int threads_;
  const NodeMemory* source_;
  detail::Session session_;
  std::vector<Message> sends_, receives_;
  std::vector<Copy> copies_;
  std::span<double> sent_, received_;
  std::vector<MPI_Request> requests_;
  cpu::transpose::Reuse reuse_ = cpu::transpose::Reuse::none;  ///< of what is written
  ranks::Traffic traffic_;
};

}  // namespace tallcache::mpi
