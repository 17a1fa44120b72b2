// tallcache ranks over MPI: every rank runs this. What one rank finds wrong, all hear of, and rank 0 says it.
#include <fmt/format.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <cstdlib>

#include "bench/measure/context.hpp"
#include "bench/show/streams.hpp"
#include "bench/studies/ranks/mpi/session.hpp"
#include "bench/studies/ranks/mpi/timing.hpp"
#include "bench/studies/ranks/ranks.hpp"

namespace tallcache {

RanksSession::RanksSession(const mpi::World& world, const RanksOptions& options)
    : world_(world),
      options_(options),
      threads_(options.threads ? options.threads : world.threads()),
      document_{.kind = "ranks"} {
  on_all(world_, [&] {
    require_threads(threads_);
    return 0;
  });
  document_.plan.push_back(RanksPlan{.operation = options.operation, .mode = "run"});
}

void RanksSession::run() {
  const std::string shape =
      options_.operation == "matmul" ? to_json(matmul_shape(options_)).dump() : options_.shape;
  mpi::require_same(world_.comm(), "the operations", options_.operation);
  mpi::require_same(world_.comm(), "the sizes", shape);
  mpi::require_same(world_.comm(), "the layouts", options_.layout);
  mpi::require_same(world_.comm(), "the options",
                    fmt::format("{} {} {} {} {}", options_.seed, options_.repetitions, options_.peers,
                                options_.all_ranks, options_.own_leaves));
  on_all(world_, [&] {
    if (world_.rank() == 0) output_.emplace(options_.json), document_.context = machine_context();
    return 0;
  });
  options_.operation == "matmul" ? matmul() : transpose();
  on_all(world_, [&] {
    if (output_) {
      output_->part(document_, ranks_text(document_));
      output_->finish(document_);
    }
    return 0;
  });
}

void RanksSession::say(const std::string& text) const {
  if (world_.rank() == 0) print(Stream::error, "tallcache: {}\n", text);
}

void RanksSession::progress(const std::string& text) const {
  if (world_.rank() == 0 && isatty(STDERR_FILENO)) say(text);
}

void RanksSession::finish(Record&& record, const std::string& wrong) {
  if (!wrong.empty()) record.outcome = {Status::wrong, wrong};
  put(std::move(record));
}

void RanksSession::put(Record&& record) {
  document_.put(std::move(record));
  if (world_.rank() == 0) output_->keep(document_);
}

void RanksSession::measure(Peer peer) {
  progress(fmt::format("timing {}", peer.name));
  Record& record = peer.record;
  record.variant = peer.name;
  record.peer = record.variant != "summa";
  try {
    const PeerGrid* best = nullptr;
    double least = 0;
    for (const PeerGrid& grid : peer.grids) {
      if (peer.grids.size() == 1) {
        best = &grid;
        break;
      }
      const auto one = on_all(world_, [&] { return peer.make(grid); });
      for (std::size_t v = 0; v < peer.matrices; ++v)
        fill(one->layout(v), world_.rank(), peer.seed + v, one->memory(v));
      MPI_Barrier(world_.comm());
      const double start = MPI_Wtime();
      one->run();
      const double seconds = mpi::max_over(world_.comm(), MPI_Wtime() - start);
      if (!best || seconds < least) best = &grid, least = seconds;
    }
    const auto fastest = on_all(world_, [&] { return peer.make(*best); });
    record.conditions["peer grid"] =
        best->block ? fmt::format("{} x {}, block {}", best->rows, best->cols, best->block)
                    : fmt::format("{} x {}", best->rows, best->cols);
    for (std::size_t v = 1; v < peer.matrices; ++v)
      fill(fastest->layout(v), world_.rank(), peer.seed + v, fastest->memory(v));
    poison(fastest->layout(0), world_.rank(), fastest->memory(0));
    put_time(record, time_runs(world_, options_.repetitions, [&] { fastest->run(); }), peer.unit, peer.work);
    finish(std::move(record), check_parts(world_, fastest->layout(0), fastest->memory(0), peer.check));
  } catch (const mpi::SharedError& error) {
    record.outcome = {Status::unavailable, error.what()};
    put(std::move(record));
  }
}

void run_over_ranks(const RanksOptions& options) {
  bool failed = false;
  {
    const mpi::World world(nullptr, nullptr);
    try {
      RanksSession(world, options).run();
    } catch (const mpi::SharedError& error) {
      // All ranks know of it, and one says so before any ends: mpirun then stops those that are left.
      failed = true;
      if (world.rank() == 0) print(Stream::error, "tallcache: {}\n", error.what());
      MPI_Barrier(world.comm());
    } catch (const std::exception& error) {
      print(Stream::error, "tallcache: rank {}: {}\n", world.rank(), error.what());
      MPI_Abort(world.comm(), 1);
    }
  }
  if (failed) std::exit(1);
}

}  // namespace tallcache
