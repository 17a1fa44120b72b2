#include "ranks/mpi/matmul.hpp"

#include <algorithm>

#include "cpu/tallcache/matmul.hpp"
#include "ranks/mpi/messages.hpp"
#include "ranks/text.hpp"

namespace tallcache::mpi {
namespace {

using ranks::Box;
using ranks::Cut;
using ranks::matrix_c;
using ranks::Role;
using ranks::Stretch;

// Adds the seconds of its life.
class Stopwatch {
 public:
  explicit Stopwatch(double& seconds) : seconds_(seconds), started_(MPI_Wtime()) {}
  ~Stopwatch() { seconds_ += MPI_Wtime() - started_; }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double& seconds_;
  double started_;
};

}  // namespace

Matmul::Matmul(ranks::Plan plan, MPI_Comm comm, int threads)
    : plan_(std::move(plan)), comm_(comm), threads_(threads), session_("cpu", 0), traffic_(plan_.levels()) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  rank_ = rank;
  while (first_cut_ < plan_.levels() && plan_.cuts()[first_cut_].in_turn) ++first_cut_;
  if (rank_ >= plan_.ranks()) return;
  std::size_t next = 0;
  const auto take = [&](Index words) {
    const auto bytes = sizeof(double) * static_cast<std::size_t>(words);
    return std::span(reinterpret_cast<double*>(session_.memory(next++, bytes, Pages::huge).data()),
                     static_cast<std::size_t>(words));
  };
  for (std::size_t v = 0; v < 3; ++v) {
    pieces_[v] = plan_.pieces(v, rank_);
    owned_[v] = take(plan_.owned(v, rank_));
    boxes_[v] = take(ranks::copied_words(plan_, v, rank_));
  }
  sums_ = take(ranks::summed_words(plan_, rank_));
}

std::span<double> Matmul::memory(std::size_t v) { return owned_[v]; }

void Matmul::run() {
  std::ranges::fill(traffic_, ranks::Traffic{});
  times_ = {};
  if (rank_ >= plan_.ranks()) return;
  const Stopwatch all(times_.all);
  ranks::multiply(*this, plan_.matrices());
}

bool Matmul::leaf() {
  if (level_ < plan_.levels()) return false;
  const bool alone = level_ == first_cut_;
  if (alone) load();
  multiply();
  if (alone) store();
  return true;
}

Index Matmul::enter(const std::array<Role, ranks::max_views>& roles, Index) {
  if (roles != plan_.cuts()[level_].roles) throw Error("ranks: the text does not follow its plan");
  if (level_ == first_cut_) load();
  return plan_.cuts()[level_++].parts;
}

void Matmul::before(Index turn) {
  const std::size_t level = level_ - 1;
  if (cut().in_turn) {
    turn_ += turn * plan_.group(level);
    return;
  }
  for (std::size_t v = 0; v < 3; ++v)
    if (cut().roles[v] == Role::shared) gather(v, level);
}

void Matmul::after(Index turn) {
  const std::size_t level = level_ - 1;
  if (cut().in_turn)
    turn_ -= turn * plan_.group(level);
  else if (cut().roles[matrix_c] == Role::added)
    add_up(level);
}

void Matmul::leave() {
  --level_;
  if (level_ == first_cut_) store();
}

// Brings the rank's pieces of this turn to their places in its blocks.
void Matmul::load() {
  const Stopwatch watch(times_.moving);
  for (std::size_t v = 0; v < 3; ++v) {
    Block& block = blocks_[v];
    block.piece = pieces_[v][plan_.piece_of_turn(v, turn_)];
    block.box = block.piece.box;
    block.copied = !boxes_[v].empty();
    double* const owned = owned_[v].data() + block.piece.offset;
    block.data = block.copied ? boxes_[v].data() : owned;
    if (block.copied && v != matrix_c)
      std::copy_n(owned, block.piece.stretch.size, block.data + block.piece.stretch.begin);
  }
}

// The first turn on a piece of C sets it, later ones add to it.
void Matmul::store() {
  const Block& c = blocks_[matrix_c];
  if (!c.copied) return;
  const Stopwatch watch(times_.moving);
  double* const owned = owned_[matrix_c].data() + c.piece.offset;
  const double* const sum = c.data + c.piece.stretch.begin;
  if (turn_ == c.piece.turn)
    std::copy_n(sum, c.piece.stretch.size, owned);
  else
    for (Index i = 0; i < c.piece.stretch.size; ++i) owned[i] += sum[i];
}

void Matmul::multiply() {
  const Stopwatch watch(times_.leaf);
  const auto view = [](const Block& block) {
    return MatrixView<double>{block.data, block.box.rows, block.box.cols, block.box.cols};
  };
  gemm<double>(view(blocks_[0]), view(blocks_[1]), view(blocks_[2]), threads_);
}

void Matmul::wait_for_partners(std::size_t level) {
  const Stopwatch watch(times_.waiting);
  const Index own = plan_.digit(level, rank_);
  char none = 0;
  for (Index part = 0; part < plan_.cuts()[level].parts; ++part) {
    if (part == own) continue;
    const int partner = static_cast<int>(plan_.partner(level, rank_, part));
    MPI_Irecv(&none, 0, MPI_CHAR, partner, ready_tag, comm_, &requests_.emplace_back());
    MPI_Isend(&none, 0, MPI_CHAR, partner, ready_tag, comm_, &requests_.emplace_back());
  }
  wait_all(requests_);
}

void Matmul::gather(std::size_t v, std::size_t level) {
  wait_for_partners(level);
  const Stopwatch watch(times_.moving);
  const Block& block = blocks_[v];
  const Stretch held = plan_.stretch(v, block.box.size(), level + 1, rank_);
  const Index parts = plan_.cuts()[level].parts, own = plan_.digit(level, rank_);
  const Stretch mine = part_of(held, parts, own);
  for (Index part = 0; part < parts; ++part) {
    if (part == own) continue;
    const Stretch theirs = part_of(held, parts, part);
    const Index partner = plan_.partner(level, rank_, part);
    receive_words(requests_, comm_, block.data + theirs.begin, theirs.size, partner);
    send_words(requests_, comm_, block.data + mine.begin, mine.size, partner);
    traffic_[level] += {theirs.size, mine.size, 1};
  }
  wait_all(requests_);
}

// The sum is in the order of the parts, from the rank's own on: it is the same in every run.
void Matmul::add_up(std::size_t level) {
  wait_for_partners(level);
  const Stopwatch watch(times_.moving);
  const Block& c = blocks_[matrix_c];
  const Stretch held = plan_.stretch(matrix_c, c.box.size(), level + 1, rank_);
  const Index parts = plan_.cuts()[level].parts, own = plan_.digit(level, rank_);
  const Stretch mine = part_of(held, parts, own);
  double* received = sums_.data();
  for (Index part = 0; part < parts; ++part) {
    if (part == own) continue;
    const Stretch theirs = part_of(held, parts, part);
    const Index partner = plan_.partner(level, rank_, part);
    receive_words(requests_, comm_, received, mine.size, partner);
    send_words(requests_, comm_, c.data + theirs.begin, theirs.size, partner);
    traffic_[level] += {mine.size, theirs.size, 1};
    received += mine.size;
  }
  wait_all(requests_);
  double* const sum = c.data + mine.begin;
  for (const double* from = sums_.data(); from != received; from += mine.size)
    for (Index i = 0; i < mine.size; ++i) sum[i] += from[i];
}

}  // namespace tallcache::mpi
