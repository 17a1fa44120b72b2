// A run over MPI ranks: what every rank does, and the document that rank 0 writes.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "bench/measure/output.hpp"
#include "bench/results/document.hpp"
#include "bench/studies/ranks/mpi/checks.hpp"
#include "bench/studies/ranks/mpi/peers.hpp"
#include "bench/studies/ranks/over_ranks.hpp"
#include "ranks/mpi/matmul.hpp"
#include "ranks/mpi/world.hpp"

namespace tallcache {

class RanksSession {
 public:
  RanksSession(const mpi::World&, const RanksOptions&);
  /// Throws mpi::SharedError with what one rank found wrong.
  void run();

 private:
  void say(const std::string& text) const;
  void progress(const std::string& text) const;
  bool one_machine() const { return world_.neighbours() == world_.size(); }

  void matmul();
  ranks::Plan choose(const ranks::MatmulShape&);
  std::size_t memory_limit() const;
  std::size_t layout_bytes(const ranks::MatmulShape&) const;
  bool recursive() const { return options_.layout.empty() || options_.layout == "recursive"; }
  Record recursive_record(const ranks::Plan&, const ranks::MatmulShape&) const;
  void put_shared(Record&, const mpi::Matmul&, int runs) const;
  void product(mpi::Matmul&, const ranks::MatmulShape&, const Resident& before);
  void product_in_layout(mpi::Matmul&, const ranks::MatmulShape&);
  void product_peers(const ranks::MatmulShape&);
  ElementCheck product_check(const ranks::MatmulShape&) const;

  void transpose();
  void transpose_peers(Index m, Index n, const ElementCheck&);

  /// A library, or a textbook's algorithm: tries each grid once, and times the fastest. Matrix v has the seed
  /// `seed` + v.
  struct Peer {
    const char* name;
    Record record;
    std::span<const PeerGrid> grids;
    std::size_t matrices;
    std::uint64_t seed;
    const char* unit;
    double work;
    ElementCheck check;
    std::function<std::unique_ptr<RankPeer>(const PeerGrid&)> make;
  };
  void measure(Peer);

  /// Adds a record to the document, and what is wrong with its result. The file holds what was measured so
  /// far, if the next part fails.
  void finish(Record&&, const std::string& wrong);
  void put(Record&&);

  const mpi::World& world_;
  const RanksOptions& options_;
  int threads_;
  Document document_;
  std::optional<Output> output_;  ///< of rank 0
};

}  // namespace tallcache
