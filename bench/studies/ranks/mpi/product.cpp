// matmul over MPI ranks: the recursion in its own layout, from and to the caller's one, and its peers.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bench/measure/misses.hpp"
#include "bench/studies/ranks/mpi/session.hpp"
#include "bench/studies/ranks/mpi/timing.hpp"
#include "common/measure/host_memory.hpp"
#include "common/random.hpp"
#include "ranks/mpi/redistribute.hpp"

namespace tallcache {

using ranks::Distribution;
using ranks::matrix_a;
using ranks::matrix_b;
using ranks::matrix_c;

namespace {

double flop(const ranks::MatmulShape& s) {
  return 2.0 * static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k);
}

}  // namespace

void RanksSession::matmul() {
  const ranks::MatmulShape shape = on_all(world_, [&] { return matmul_shape(options_); });
  const Resident before = resident_memory();
  mpi::Matmul multiplication(choose(shape), world_.comm(), threads_,
                             options_.own_leaves ? mpi::Sharing::none : mpi::Sharing::machine);
  product(multiplication, shape, before);
  if (!recursive()) product_in_layout(multiplication, shape);
  if (options_.peers) product_peers(shape);
}

std::size_t RanksSession::memory_limit() const {
  const std::size_t free = available_memory() / static_cast<std::size_t>(world_.neighbours());
  return options_.memory.empty() ? free : std::min(free, parse_bytes(options_.memory));
}

// What a rank needs beside the product for a layout of the caller's own: its matrices, and the messages of
// the largest.
std::size_t RanksSession::layout_bytes(const ranks::MatmulShape& s) const {
  if (recursive()) return 0;
  const auto words = [&](Index rows, Index cols) {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols) /
           static_cast<std::size_t>(world_.size());
  };
  const std::size_t matrices = words(s.m, s.n) + words(s.m, s.k) + words(s.k, s.n);
  return sizeof(double) * (one_machine() ? 1 : 3) * matrices;
}

ranks::Plan RanksSession::choose(const ranks::MatmulShape& shape) {
  const auto limit = static_cast<std::size_t>(
      mpi::min_over(world_.comm(), static_cast<double>(on_all(world_, [&] { return memory_limit(); }))));
  const std::size_t beside = layout_bytes(shape);
  ranks::Plan plan = on_all(world_, [&] {
    if (beside > limit)
      throw Error(fmt::format("memory: a rank needs {} for its layout and may use {}",
                              human_bytes(static_cast<double>(beside)),
                              human_bytes(static_cast<double>(limit))));
    return choose_matmul(
        shape, world_.size(),
        {.memory = limit - beside, .one_machine = one_machine(), .idle = !options_.all_ranks});
  });
  const ranks::Need need = need_of(plan, one_machine());
  say(fmt::format(
      "{}, {} thread{} each; a rank needs {}: matrices {}, blocks {}, sums {}, panels {}, layout {}",
      plan_text(plan, world_.size()), threads_, threads_ == 1 ? "" : "s",
      human_bytes(static_cast<double>(need.total() + beside)),
      human_bytes(static_cast<double>(need.matrices)), human_bytes(static_cast<double>(need.boxes)),
      human_bytes(static_cast<double>(need.sums)), human_bytes(static_cast<double>(need.packed)),
      human_bytes(static_cast<double>(beside))));
  return plan;
}

ElementCheck RanksSession::product_check(const ranks::MatmulShape& s) const {
  return [this, s](Index i, Index j, double got) -> std::string {
    double sum = 0, size = 0;
    for (Index l = 0; l < s.k; ++l) {
      const double term =
          (2 * random_unit(options_.seed + matrix_a, static_cast<std::uint64_t>(i * s.k + l)) - 1) *
          (2 * random_unit(options_.seed + matrix_b, static_cast<std::uint64_t>(l * s.n + j)) - 1);
      sum += term;
      size += std::abs(term);
    }
    constexpr double epsilon = 0x1p-52;
    if (std::abs(got - sum) <= static_cast<double>(s.k + 1) * epsilon * size) return {};
    return fmt::format("rank {}: C({}, {}) is {}, not {}", world_.rank(), i, j, got, sum);
  };
}

Record RanksSession::recursive_record(const ranks::Plan& plan, const ranks::MatmulShape& shape) const {
  Record record = ranks_record("matmul", "recursive", to_json(shape), world_.size(), threads_);
  record.params = {{"grid", plan_text(plan, world_.size())}};
  if (options_.own_leaves) record.conditions["leaves"] = "own leaves";
  return record;
}

// What ranks computed of their neighbours' leaves, and moved for it; the words of the plan do not have it.
void RanksSession::put_shared(Record& record, const mpi::Matmul& product, int runs) const {
  const auto shared = product.shared();
  const double tiles = mpi::sum_over(world_.comm(), static_cast<double>(product.tiles()));
  record.quantities.push_back(
      {.name = "shared tiles",
       .unit = "1",
       .value = mpi::sum_over(world_.comm(), static_cast<double>(shared.tiles)) / tiles,
       .origin = Origin::event,
       .detail = "of all tiles of leaves, those that another rank computed"});
  record.quantities.push_back(
      {.name = "shared words",
       .unit = "1",
       .value = mpi::max_over(world_.comm(), static_cast<double>(shared.words)) / runs,
       .origin = Origin::event,
       .detail = "read and written in place for neighbours' tiles, of the rank with the most"});
}

void RanksSession::product(mpi::Matmul& product, const ranks::MatmulShape& shape, const Resident& before) {
  const ranks::Plan& plan = product.plan();
  const auto layout = [&](std::size_t v) { return recursive_layout(plan, v, world_.size()); };
  for (std::size_t v : {matrix_a, matrix_b})
    fill(layout(v), world_.rank(), options_.seed + v, product.memory(v).data());
  const Distribution of_c = layout(matrix_c);
  poison(of_c, world_.rank(), product.memory(matrix_c).data());
  progress("timing");
  mpi::Times times;
  int runs = 0;
  Record record = recursive_record(plan, shape);
  const std::vector<double> samples = time_runs(world_, options_.repetitions, [&] {
    product.run();
    if (runs++ == 0) return;  // the one that brings memory in
    times.leaf += product.times().leaf;
    times.moving += product.times().moving;
    times.leaf_end += product.times().leaf_end;
  });
  put_time(record, samples, "flop", flop(shape));
  // A run ends with the slowest rank's: what a rank does not compute or move, it waits, an idle one all the
  // time.
  const double all = std::accumulate(samples.begin(), samples.end(), 0.0);
  put_phase(record, world_, options_.repetitions, "leaf", times.leaf);
  put_phase(record, world_, options_.repetitions, "moving", times.moving);
  put_phase(record, world_, options_.repetitions, "waiting", all - times.leaf - times.moving);
  put_phase(record, world_, options_.repetitions, "waiting for leaves", times.leaf_end);
  record.quantities.push_back({.name = "time",
                               .unit = "s",
                               .value = mpi::max_over(world_.comm(), times.leaf) / options_.repetitions,
                               .at = {{"phase", "longest leaf"}}});
  put_shared(record, product, runs);
  ranks::Traffic moved;
  for (const ranks::Traffic& level : product.traffic()) moved += level;
  add_words(record, plan, shape, mpi::max_over(world_.comm(), static_cast<double>(moved.words_received)),
            mpi::max_over(world_.comm(), static_cast<double>(moved.messages_received)), Origin::event,
            one_machine());
  // Which ranks have a page of a neighbour's mapped changes from run to run: they have equal parts of it.
  const Resident now = resident_memory();
  const double peak =
      mpi::max_over(world_.comm(), now.own - before.own) +
      mpi::sum_over(world_.comm(), now.shared - before.shared) / static_cast<double>(plan.ranks());
  record.quantities.push_back(
      {.name = "peak memory",
       .unit = "B",
       .value = peak,
       .origin = Origin::event,
       .detail = "Pss above the start, shared memory in equal parts; all that a run takes stays"});
  put_levels(record, world_, product.traffic());
  finish(std::move(record), check_parts(world_, of_c, product.memory(matrix_c).data(), product_check(shape)));
}

// From the caller's layout to the recursion's, the product, and back.
void RanksSession::product_in_layout(mpi::Matmul& product, const ranks::MatmulShape& shape) {
  const auto own = on_all(world_, [&] {
    const auto named = [&](Index rows, Index cols) {
      return ranks::named_distribution(options_.layout, rows, cols, world_.size());
    };
    return std::array{named(shape.m, shape.n), named(shape.m, shape.k), named(shape.k, shape.n)};
  });
  std::vector<std::unique_ptr<mpi::NodeMemory>> matrices;
  std::vector<mpi::Redistribution> moves;
  for (std::size_t v = 0; v < 3; ++v) {
    matrices.push_back(std::make_unique<mpi::NodeMemory>(world_.comm(), own[v].words(world_.rank())));
    const Distribution inside = recursive_layout(product.plan(), v, world_.size());
    const bool back = v == matrix_c;
    moves.emplace_back(back ? inside : own[v], back ? own[v] : inside, world_.comm(), threads_,
                       back ? &product.node_memory(v) : matrices[v].get());
    fill(own[v], world_.rank(), options_.seed + v, matrices[v]->own().data());
    poison(inside, world_.rank(), product.memory(v).data());
  }
  double* const c = matrices[matrix_c]->own().data();
  poison(own[matrix_c], world_.rank(), c);
  double moving = 0;
  int runs = 0;
  Record record = recursive_record(product.plan(), shape);
  record.conditions["layout"] = options_.layout;
  put_time(record,
           time_runs(world_, options_.repetitions,
                     [&] {
                       const double start = MPI_Wtime();
                       for (std::size_t v : {matrix_a, matrix_b})
                         moves[v].run(matrices[v]->own().data(), product.memory(v).data());
                       const double middle = MPI_Wtime();
                       product.run();
                       const double end = MPI_Wtime();
                       moves[matrix_c].run(product.memory(matrix_c).data(), c);
                       if (runs++) moving += middle - start + MPI_Wtime() - end;
                     }),
           "flop", flop(shape));
  put_phase(record, world_, options_.repetitions, "redistributing", moving);
  double words = 0;
  for (const mpi::Redistribution& move : moves) words += static_cast<double>(move.traffic().words_received);
  record.quantities.push_back({.name = "words redistributed",
                               .unit = "1",
                               .value = mpi::max_over(world_.comm(), words),
                               .origin = Origin::event,
                               .detail = "MPI messages"});
  finish(std::move(record), check_parts(world_, own[matrix_c], c, product_check(shape)));
}

void RanksSession::product_peers(const ranks::MatmulShape& shape) {
  const auto [rows, cols] = ranks::square_grid(world_.size());
  const PeerGrid panels[] = {{rows, cols, 128}, {rows, cols, 256}, {rows, cols, 512}};
  std::vector<PeerGrid> grids;
  for (Index p = 1; p <= world_.size(); ++p)
    for (Index block : {64, 128, 256})
      if (world_.size() % p == 0) grids.push_back({p, world_.size() / p, block});
  // Those nearest to a square, of which twelve are tried.
  std::ranges::stable_sort(grids, {}, [](const PeerGrid& g) {
    return std::abs(std::log(static_cast<double>(g.rows) / static_cast<double>(g.cols)));
  });
  grids.resize(std::min<std::size_t>(grids.size(), 12));
  Peer peer{.name = "summa",
            .record = ranks_record("matmul", "", to_json(shape), world_.size(), threads_),
            .grids = panels,
            .matrices = 3,
            .seed = options_.seed,
            .unit = "flop",
            .work = flop(shape),
            .check = product_check(shape),
            .make = [&](const PeerGrid& grid) { return make_summa(world_, shape, grid, threads_); }};
  measure(peer);
  peer.name = "pdgemm";
  peer.grids = grids;
  peer.make = [&](const PeerGrid& grid) { return make_pdgemm(world_, shape, grid, threads_); };
  measure(std::move(peer));
}

}  // namespace tallcache
