// REC-MULT over MPI: the fork policy that moves the data of a plan (ranks/plan.hpp).
//
//   mpi::Matmul product(ranks::choose_matmul({m, n, k}, ranks), comm, threads);
//   fill(product.memory(ranks::matrix_a), product.memory(ranks::matrix_b));
//   product.run();
//
// A leaf is gemm()'s on oneTBB threads, and the ranks of a machine share the work of theirs (leaves.hpp).
// What is on a rank's own machine it reads in place, the rest comes by messages. Each rank keeps its pieces
// of the matrices in the recursion's own layout; a Redistribution takes them from and to any other one.
#pragma once

#include <mpi.h>

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "common/execute.hpp"
#include "ranks/counted.hpp"
#include "ranks/fork.hpp"
#include "ranks/matmul.hpp"
#include "ranks/mpi/leaves.hpp"
#include "ranks/mpi/node_memory.hpp"
#include "ranks/mpi/times.hpp"

namespace tallcache::mpi {

/// Whose leaves a rank computes when its own is done: none, or those of its machine.
enum class Sharing { none, machine };

/// C = A B on the plan's ranks of a communicator, which are its first ones. The others have no part of it;
/// they compute tiles of their neighbours' leaves. Collective.
class Matmul : public ranks::OverRanks<Matmul> {
 public:
  /// Allocates the rank's memory, part of which is MPI's and ends with it. The communicator must stay until
  /// then.
  Matmul(ranks::Plan plan, MPI_Comm comm, int threads, Sharing sharing = Sharing::machine);

  const ranks::Plan& plan() const { return plan_; }

  /// The rank's pieces of a matrix (plan().pieces()), one behind another.
  std::span<double> memory(std::size_t v) { return owned_[v]->own(); }
  /// The same, for a redistribution.
  const NodeMemory& node_memory(std::size_t v) const { return *owned_[v]; }

  /// Throws nothing that a rank could find alone: an error of MPI ends the program.
  void run();

  /// Of the last run: what this rank received and sent, by level of the plan, and the seconds.
  std::span<const ranks::Traffic> traffic() const { return traffic_; }
  const Times& times() const { return times_; }

  /// Of all runs: what this rank computed of its neighbours' leaves, and the tiles of its own ones.
  Shared shared() const { return leaves_->shared(); }
  Index tiles() const { return leaves_->tiles(); }

 private:
  friend class ranks::OverRanks<Matmul>;
  bool leaf();
  Index enter(const std::array<ranks::Role, ranks::max_views>& roles, Index size);
  Index repeats() const { return cut().in_turn ? cut().parts : 1; }
  void before(Index turn);
  void after(Index turn);
  void leave();

  const ranks::Cut& cut() const { return plan_.cuts()[level_ - 1]; }
  void load();
  void store();
  MatrixView<double> block_of(std::size_t v, Index rank) const;
  Leaves::Operands operands_of(Index rank, Index slice) const;
  void multiply();
  void gather(std::size_t v, std::size_t level);
  void add_up(std::size_t level);
  void copy_parts(std::size_t v, std::size_t level);
  void add_parts(std::size_t level);
  enum class Partners { all, in_place };
  void meet_partners(std::size_t v, std::size_t level, Partners which);
  std::vector<Index> neighbours() const;
  bool has_distant_partners() const;

  struct Block {
    ranks::Box box;
    double* data = nullptr;
    ranks::Piece piece;
    bool copied = false;  ///< data is a copy of the piece, and not the piece
  };

  ranks::Plan plan_;
  MPI_Comm comm_;
  Index rank_ = 0;
  std::size_t level_ = 0, first_cut_ = 0;  ///< of the cuts; the first of those that are not in turn
  Index turn_ = 0, slices_;
  detail::Session session_;
  std::array<std::vector<ranks::Piece>, 3> pieces_;
  std::array<std::unique_ptr<NodeMemory>, 3> owned_, boxes_;
  std::unique_ptr<Leaves> leaves_;
  std::span<double> sums_;
  std::array<Block, 3> blocks_;
  std::vector<MPI_Request> requests_;
  std::vector<ranks::Traffic> traffic_;
  Times times_;
};

}  // namespace tallcache::mpi
