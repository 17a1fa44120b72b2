// transpose over MPI ranks: a redistribution of the transpose, and its peers.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/studies/ranks/mpi/session.hpp"
#include "bench/studies/ranks/mpi/timing.hpp"
#include "common/catalogue.hpp"
#include "common/measure/host_memory.hpp"
#include "ranks/mpi/redistribute.hpp"

namespace tallcache {
namespace {

// Bytes that are read and written.
double bytes_of(Index m, Index n) {
  return 2.0 * sizeof(double) * static_cast<double>(m) * static_cast<double>(n);
}

}  // namespace

void RanksSession::transpose() {
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
  const ranks::Distribution &a = layouts.first, &b = layouts.second;
  const mpi::NodeMemory from(world_.comm(), a.words(world_.rank()));
  detail::Session memory(make_executor("cpu", 0));
  const auto words = static_cast<std::size_t>(std::max<Index>(1, b.words(world_.rank())));
  double* const to = reinterpret_cast<double*>(memory.memory(0, words * sizeof(double), Pages::huge).data());
  mpi::Redistribution move(a, b.transposed(), world_.comm(), threads_, &from);
  say(fmt::format("{} ranks, {} thread{} each; a rank needs {}", world_.size(), threads_,
                  threads_ == 1 ? "" : "s",
                  human_bytes(bytes_of(m, n) / world_.size() + static_cast<double>(move.bytes()))));
  fill(a, world_.rank(), options_.seed, from.own().data());
  poison(b, world_.rank(), to);
  const ElementCheck check = [&](Index i, Index j, double got) -> std::string {
    const double expected = value_at(options_.seed, a, j, i);
    if (got == expected) return {};
    return fmt::format("rank {}: B({}, {}) is {}, not {}", world_.rank(), i, j, got, expected);
  };
  Record record = ranks_record("transpose", "redistribution", {{"m", m}, {"n", n}}, world_.size(), threads_);
  record.conditions["layout"] = layout;
  put_time(record, time_runs(world_, options_.repetitions, [&] { move.run(from.own().data(), to); }), "B",
           bytes_of(m, n));
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
  finish(std::move(record), check_parts(world_, b, to, check));
  if (options_.peers) transpose_peers(m, n, check);
}

void RanksSession::transpose_peers(Index m, Index n, const ElementCheck& check) {
  const PeerGrid none[] = {{world_.size(), 1, 0}};
  const auto [rows, cols] = ranks::square_grid(world_.size());
  const PeerGrid grids[] = {{rows, cols, 32},       {rows, cols, 64},        {rows, cols, 128},
                            {rows, cols, 256},      {cols, rows, 32},        {cols, rows, 64},
                            {cols, rows, 128},      {cols, rows, 256},       {1, world_.size(), 64},
                            {world_.size(), 1, 64}, {1, world_.size(), 128}, {world_.size(), 1, 128}};
  Peer peer{.name = "fftw_mpi",
            .record = ranks_record("transpose", "", {{"m", m}, {"n", n}}, world_.size(), 1),
            .grids = none,
            .matrices = 2,
            .seed = options_.seed - 1,
            .unit = "B",
            .work = bytes_of(m, n),
            .check = check,
            .make = [&](const PeerGrid&) { return make_fftw_transpose(world_, m, n); }};
  measure(peer);
  peer.name = "pdtran";
  peer.grids = grids;
  peer.make = [&](const PeerGrid& grid) { return make_pdtran(world_, m, n, grid); };
  measure(std::move(peer));
}

}  // namespace tallcache
