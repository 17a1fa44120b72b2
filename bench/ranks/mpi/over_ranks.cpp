// tallcache ranks over MPI: every rank runs this. What one rank finds wrong, all hear of, and rank 0 says it.
#include <fmt/format.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "bench/commands/output.hpp"
#include "bench/misses/misses.hpp"
#include "bench/program/context.hpp"
#include "bench/ranks/mpi/checks.hpp"
#include "bench/ranks/mpi/peers.hpp"
#include "bench/ranks/mpi/timing.hpp"
#include "bench/ranks/ranks.hpp"
#include "bench/report/ranks.hpp"
#include "common/catalogue.hpp"
#include "common/measure/host_memory.hpp"
#include "common/random.hpp"
#include "ranks/mpi/matmul.hpp"
#include "ranks/mpi/redistribute.hpp"

namespace tallcache {
namespace {

using ranks::Distribution;
using ranks::matrix_a;
using ranks::matrix_b;
using ranks::matrix_c;

class Session {
 public:
  Session(const mpi::World& world, const RanksOptions& options)
      : world_(world),
        options_(options),
        threads_(options.threads ? options.threads : world.threads()),
        document_{.kind = "ranks"} {
    on_all(world_, [&] {
      require_threads(threads_);
      return 0;
    });
    document_.plan.push_back({{"operation", options.operation}, {"mode", "run"}});
  }

  void run() {
    const std::string shape =
        options_.operation == "matmul" ? to_json(matmul_shape(options_)).dump() : options_.shape;
    mpi::require_same(world_.comm(), "the operations", options_.operation);
    mpi::require_same(world_.comm(), "the sizes", shape);
    mpi::require_same(world_.comm(), "the layouts", options_.layout);
    mpi::require_same(
        world_.comm(), "the options",
        fmt::format("{} {} {} {}", options_.seed, options_.repetitions, options_.peers, options_.all_ranks));
    std::optional<Output> output;
    on_all(world_, [&] {
      if (world_.rank() == 0) output.emplace(options_.json), document_.context = machine_context();
      return 0;
    });
    options_.operation == "matmul" ? matmul() : transpose();
    on_all(world_, [&] {
      if (output) {
        output->part(document_, ranks_text(document_));
        output->finish(document_);
      }
      return 0;
    });
  }

 private:
  void say(const std::string& text) const {
    if (world_.rank() == 0) fmt::print(stderr, "tallcache: {}\n", text);
  }
  void progress(const std::string& text) const {
    if (world_.rank() == 0 && isatty(STDERR_FILENO)) say(text);
  }

  std::size_t memory_limit() const {
    const std::size_t free = available_memory() / static_cast<std::size_t>(world_.neighbours());
    return options_.memory.empty() ? free : std::min(free, parse_bytes(options_.memory));
  }

  // What a rank needs beside the product for a layout of the caller's own: its matrices, and the messages of the
  // largest.
  std::size_t layout_bytes(const ranks::MatmulShape& s) const {
    if (recursive()) return 0;
    const auto words = [&](Index rows, Index cols) {
      return static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols) /
             static_cast<std::size_t>(world_.size());
    };
    return sizeof(double) * 3 * (words(s.m, s.n) + words(s.m, s.k) + words(s.k, s.n));
  }

  bool recursive() const { return options_.layout.empty() || options_.layout == "recursive"; }

  ranks::Plan choose(const ranks::MatmulShape& shape) {
    const auto limit = static_cast<std::size_t>(
        mpi::min_over(world_.comm(), static_cast<double>(on_all(world_, [&] { return memory_limit(); }))));
    const std::size_t beside = layout_bytes(shape);
    ranks::Plan plan = on_all(world_, [&] {
      if (beside > limit)
        throw Error(fmt::format("memory: a rank needs {} for its layout and may use {}",
                                human_bytes(static_cast<double>(beside)),
                                human_bytes(static_cast<double>(limit))));
      return choose_matmul(shape, world_.size(), {.memory = limit - beside, .idle = !options_.all_ranks});
    });
    const ranks::Need need = need_of(plan);
    say(fmt::format(
        "{}, {} thread{} each; a rank needs {}: matrices {}, blocks {}, sums {}, panels {}, layout {}",
        plan_text(plan, world_.size()), threads_, threads_ == 1 ? "" : "s",
        human_bytes(static_cast<double>(need.total() + beside)),
        human_bytes(static_cast<double>(need.matrices)), human_bytes(static_cast<double>(need.boxes)),
        human_bytes(static_cast<double>(need.sums)), human_bytes(static_cast<double>(need.packed)),
        human_bytes(static_cast<double>(beside))));
    return plan;
  }

  ElementCheck product_check(const ranks::MatmulShape& s) const {
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

  static double flop(const ranks::MatmulShape& s) {
    return 2.0 * static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k);
  }

  void finish(Record& record, const std::string& wrong) {
    if (!wrong.empty()) record.outcome = {Status::wrong, wrong};
    put(std::move(record));
  }
  // The file holds what was measured so far, if the next part fails.
  void put(Record record) {
    document_.put(std::move(record));
    if (world_.rank() == 0 && !options_.json.empty() && options_.json != "-")
      write_document(options_.json, document_);
  }

  void matmul();
  void matmul_in_layout(mpi::Matmul& product, const ranks::MatmulShape& shape);
  void transpose();
  template <class Make>
  void peer(const char* name, Record record, std::span<const PeerGrid> grids, std::uint64_t seed,
            const char* unit, double work, const ElementCheck& check, const Make& make);

  const mpi::World& world_;
  const RanksOptions& options_;
  int threads_;
  Document document_;
};

void Session::matmul() {
  const ranks::MatmulShape shape = on_all(world_, [&] { return matmul_shape(options_); });
  const auto before = static_cast<double>(status_bytes("VmRSS:"));
  mpi::Matmul product(choose(shape), world_.comm(), threads_);
  const ranks::Plan& plan = product.plan();
  const auto layout = [&](std::size_t v) { return recursive_layout(plan, v, world_.size()); };
  for (std::size_t v : {matrix_a, matrix_b})
    fill(layout(v), world_.rank(), options_.seed + v, product.memory(v).data());
  const Distribution of_c = layout(matrix_c);
  poison(of_c, world_.rank(), product.memory(matrix_c).data());
  progress("timing");
  mpi::Times times;
  int runs = 0;
  Record record = ranks_record("matmul", "recursive", to_json(shape), world_.size(), threads_);
  record.params = {{"grid", plan_text(plan, world_.size())}};
  put_time(record,
           time_runs(world_, options_.repetitions,
                     [&] {
                       product.run();
                       if (runs++ == 0) return;  // the one that brings memory in
                       times.leaf += product.times().leaf;
                       times.moving += product.times().moving;
                       times.waiting += product.times().waiting;
                     }),
           "flop", flop(shape));
  put_phase(record, world_, options_.repetitions, "leaf", times.leaf);
  put_phase(record, world_, options_.repetitions, "moving", times.moving);
  put_phase(record, world_, options_.repetitions, "waiting", times.waiting);
  ranks::Traffic all;
  for (const ranks::Traffic& level : product.traffic()) all += level;
  add_words(record, plan, shape, mpi::max_over(world_.comm(), static_cast<double>(all.words_received)),
            mpi::max_over(world_.comm(), static_cast<double>(all.messages_received)), Origin::event);
  const double peak = mpi::max_over(world_.comm(), static_cast<double>(status_bytes("VmHWM:")) - before);
  record.quantities.push_back({.name = "peak memory",
                               .unit = "B",
                               .value = peak,
                               .origin = Origin::event,
                               .detail = "VmHWM above the start"});
  put_levels(record, world_, product.traffic());
  finish(record, check_parts(world_, of_c, product.memory(matrix_c).data(), product_check(shape)));
  if (!recursive()) matmul_in_layout(product, shape);
  if (!options_.peers) return;
  const auto [rows, cols] = ranks::square_grid(world_.size());
  const PeerGrid panels[] = {{rows, cols, 128}, {rows, cols, 256}, {rows, cols, 512}};
  const auto blank = [&] { return ranks_record("matmul", "", to_json(shape), world_.size(), threads_); };
  peer("summa", blank(), panels, options_.seed, "flop", flop(shape), product_check(shape),
       [&](const PeerGrid& grid) { return make_summa(world_, shape, grid, threads_); });
  std::vector<PeerGrid> grids;
  for (Index p = 1; p <= world_.size(); ++p)
    for (Index block : {64, 128, 256})
      if (world_.size() % p == 0) grids.push_back({p, world_.size() / p, block});
  // Those nearest to a square, of which twelve are tried.
  std::ranges::stable_sort(grids, {}, [](const PeerGrid& g) {
    return std::abs(std::log(static_cast<double>(g.rows) / static_cast<double>(g.cols)));
  });
  grids.resize(std::min<std::size_t>(grids.size(), 12));
  peer("pdgemm", blank(), grids, options_.seed, "flop", flop(shape), product_check(shape),
       [&](const PeerGrid& grid) { return make_pdgemm(world_, shape, grid, threads_); });
}

// From the caller's layout to the recursion's, the product, and back.
void Session::matmul_in_layout(mpi::Matmul& product, const ranks::MatmulShape& shape) {
  const auto own = on_all(world_, [&] {
    const auto named = [&](Index rows, Index cols) {
      return ranks::named_distribution(options_.layout, rows, cols, world_.size());
    };
    return std::array{named(shape.m, shape.n), named(shape.m, shape.k), named(shape.k, shape.n)};
  });
  detail::Session memory("cpu", 0);
  std::array<double*, 3> matrices{};
  std::vector<mpi::Redistribution> moves;
  for (std::size_t v = 0; v < 3; ++v) {
    const auto words = static_cast<std::size_t>(std::max<Index>(1, own[v].words(world_.rank())));
    matrices[v] = reinterpret_cast<double*>(memory.memory(v, words * sizeof(double), Pages::huge).data());
    const Distribution inside = recursive_layout(product.plan(), v, world_.size());
    moves.emplace_back(v == matrix_c ? inside : own[v], v == matrix_c ? own[v] : inside, world_.comm(),
                       threads_);
    fill(own[v], world_.rank(), options_.seed + v, matrices[v]);
    poison(inside, world_.rank(), product.memory(v).data());
  }
  poison(own[matrix_c], world_.rank(), matrices[matrix_c]);
  double moving = 0;
  int runs = 0;
  Record record = ranks_record("matmul", "recursive", to_json(shape), world_.size(), threads_);
  record.conditions["layout"] = options_.layout;
  record.params = {{"grid", plan_text(product.plan(), world_.size())}};
  put_time(record,
           time_runs(world_, options_.repetitions,
                     [&] {
                       const double start = MPI_Wtime();
                       for (std::size_t v : {matrix_a, matrix_b})
                         moves[v].run(matrices[v], product.memory(v).data());
                       const double middle = MPI_Wtime();
                       product.run();
                       const double end = MPI_Wtime();
                       moves[matrix_c].run(product.memory(matrix_c).data(), matrices[matrix_c]);
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
  finish(record, check_parts(world_, own[matrix_c], matrices[matrix_c], product_check(shape)));
}

void Session::transpose() {
  const Shape shape = on_all(world_, [&] {
    return parse_shape(find_operation("transpose", "double"),
                       options_.shape.empty() ? "m=8192,n=8192" : options_.shape);
  });
  const Index m = shape["m"], n = shape["n"];
  const std::string layout = options_.layout.empty() ? "rows" : options_.layout;
  const auto layouts = on_all(world_, [&] {
    return std::pair{ranks::named_distribution(layout, m, n, world_.size()),
                     ranks::named_distribution(layout, n, m, world_.size())};
  });
  const Distribution &a = layouts.first, &b = layouts.second;
  detail::Session memory("cpu", 0);
  const auto take = [&](std::size_t piece, const Distribution& d) {
    const auto words = static_cast<std::size_t>(std::max<Index>(1, d.words(world_.rank())));
    return reinterpret_cast<double*>(memory.memory(piece, words * sizeof(double), Pages::huge).data());
  };
  double *const from = take(0, a), *const to = take(1, b);
  mpi::Redistribution move(a, b.transposed(), world_.comm(), threads_);
  const double bytes = 2.0 * sizeof(double) * static_cast<double>(m) * static_cast<double>(n);
  say(fmt::format("{} ranks, {} thread{} each; a rank needs {}", world_.size(), threads_,
                  threads_ == 1 ? "" : "s",
                  human_bytes(bytes / world_.size() + static_cast<double>(move.bytes()))));
  fill(a, world_.rank(), options_.seed, from);
  poison(b, world_.rank(), to);
  const ElementCheck check = [&](Index i, Index j, double got) -> std::string {
    const double expected = value_at(options_.seed, a, j, i);
    if (got == expected) return {};
    return fmt::format("rank {}: B({}, {}) is {}, not {}", world_.rank(), i, j, got, expected);
  };
  const Json sizes{{"m", m}, {"n", n}};
  Record record = ranks_record("transpose", "redistribution", sizes, world_.size(), threads_);
  record.conditions["layout"] = layout;
  put_time(record, time_runs(world_, options_.repetitions, [&] { move.run(from, to); }), "B", bytes);
  const auto put = [&](const char* name, Index value) {
    record.quantities.push_back({.name = name,
                                 .unit = "1",
                                 .value = mpi::max_over(world_.comm(), static_cast<double>(value)),
                                 .origin = Origin::event,
                                 .detail = "MPI messages"});
  };
  put("words", move.traffic().words_received);
  put("messages", move.traffic().messages_received);
  put_levels(record, world_, {&move.traffic(), 1});
  finish(record, check_parts(world_, b, to, check));
  if (!options_.peers) return;
  const auto blank = [&] { return ranks_record("transpose", "", sizes, world_.size(), 1); };
  const PeerGrid none[] = {{world_.size(), 1, 0}};
  peer("fftw_mpi", blank(), none, options_.seed - 1, "B", bytes, check,
       [&](const PeerGrid&) { return make_fftw_transpose(world_, m, n); });
  const auto [rows, cols] = ranks::square_grid(world_.size());
  const PeerGrid grids[] = {{rows, cols, 32},       {rows, cols, 64},        {rows, cols, 128},
                            {rows, cols, 256},      {cols, rows, 32},        {cols, rows, 64},
                            {cols, rows, 128},      {cols, rows, 256},       {1, world_.size(), 64},
                            {world_.size(), 1, 64}, {1, world_.size(), 128}, {world_.size(), 1, 128}};
  peer("pdtran", blank(), grids, options_.seed - 1, "B", bytes, check,
       [&](const PeerGrid& grid) { return make_pdtran(world_, m, n, grid); });
}

// Tries each grid once, and times the fastest. `seed`: matrix v has seed + v.
template <class Make>
void Session::peer(const char* name, Record record, std::span<const PeerGrid> grids, std::uint64_t seed,
                   const char* unit, double work, const ElementCheck& check, const Make& make) {
  progress(fmt::format("timing {}", name));
  record.variant = name;
  record.peer = record.variant != "summa";
  try {
    const std::size_t matrices = options_.operation == "matmul" ? 3 : 2;
    const PeerGrid* best = nullptr;
    double least = 0;
    for (const PeerGrid& grid : grids) {
      if (grids.size() == 1) {
        best = &grid;
        break;
      }
      const auto one = on_all(world_, [&] { return make(grid); });
      for (std::size_t v = 0; v < matrices; ++v)
        fill(one->layout(v), world_.rank(), seed + v, one->memory(v));
      MPI_Barrier(world_.comm());
      const double start = MPI_Wtime();
      one->run();
      const double seconds = mpi::max_over(world_.comm(), MPI_Wtime() - start);
      if (!best || seconds < least) best = &grid, least = seconds;
    }
    const auto fastest = on_all(world_, [&] { return make(*best); });
    record.conditions["peer grid"] =
        best->block ? fmt::format("{} x {}, block {}", best->rows, best->cols, best->block)
                    : fmt::format("{} x {}", best->rows, best->cols);
    for (std::size_t v = 1; v < matrices; ++v)
      fill(fastest->layout(v), world_.rank(), seed + v, fastest->memory(v));
    poison(fastest->layout(0), world_.rank(), fastest->memory(0));
    put_time(record, time_runs(world_, options_.repetitions, [&] { fastest->run(); }), unit, work);
    return finish(record, check_parts(world_, fastest->layout(0), fastest->memory(0), check));
  } catch (const mpi::SharedError& error) {
    record.outcome = {Status::unavailable, error.what()};
    put(std::move(record));
  }
}

}  // namespace

void run_over_ranks(const RanksOptions& options) {
  bool failed = false;
  {
    const mpi::World world(nullptr, nullptr);
    try {
      Session(world, options).run();
    } catch (const mpi::SharedError& error) {
      // All ranks know of it, and one says so before any ends: mpirun then stops those that are left.
      failed = true;
      if (world.rank() == 0) {
        fmt::print(stderr, "tallcache: {}\n", error.what());
        std::fflush(stderr);
      }
      MPI_Barrier(world.comm());
    } catch (const std::exception& error) {
      fmt::print(stderr, "tallcache: rank {}: {}\n", world.rank(), error.what());
      MPI_Abort(world.comm(), 1);
    }
  }
  if (failed) std::exit(1);
}

}  // namespace tallcache
