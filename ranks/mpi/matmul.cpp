#include "ranks/mpi/matmul.hpp"

#include <algorithm>

#include "ranks/mpi/messages.hpp"
#include "ranks/text.hpp"

namespace tallcache::mpi {
namespace {

using ranks::Box;
using ranks::Cut;
using ranks::matrix_c;
using ranks::Role;
using ranks::Stretch;

Index rank_in(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

}  // namespace

Matmul::Matmul(ranks::Plan plan, MPI_Comm comm, int threads, Sharing sharing)
    : plan_(std::move(plan)),
      comm_(comm),
      rank_(rank_in(comm)),
      slices_(ranks::leaf_slices(plan_)),
      session_(make_executor("cpu", 0)),
      traffic_(plan_.levels()) {
  while (first_cut_ < plan_.levels() && plan_.cuts()[first_cut_].in_turn) ++first_cut_;
  for (std::size_t v = 0; v < 3; ++v) {
    const bool idle = rank_ >= plan_.ranks();
    if (!idle) pieces_[v] = plan_.pieces(v, rank_);
    owned_[v] = std::make_unique<NodeMemory>(comm, idle ? 0 : plan_.owned(v, rank_));
    boxes_[v] = std::make_unique<NodeMemory>(comm, idle ? 0 : ranks::copied_words(plan_, v, rank_));
  }
  leaves_ = std::make_unique<Leaves>(comm, rank_ < plan_.ranks(), ranks::packed_bytes(plan_, rank_), threads,
                                     sharing == Sharing::machine ? neighbours() : std::vector<Index>{});
  if (rank_ >= plan_.ranks() || !has_distant_partners()) return;
  const auto words = static_cast<std::size_t>(ranks::summed_words(plan_, rank_));
  sums_ = {reinterpret_cast<double*>(session_.memory(0, words * sizeof(double), Pages::huge).data()), words};
}

// The ranks that have leaves whose blocks this rank reaches.
std::vector<Index> Matmul::neighbours() const {
  std::vector<Index> list;
  const auto reached = [](Index rank) {
    return [rank](const auto& memory) { return memory->of(rank) != nullptr; };
  };
  for (Index rank = 0; rank < plan_.ranks(); ++rank)
    if (rank != rank_ && std::ranges::all_of(owned_, reached(rank)) &&
        std::ranges::all_of(boxes_, reached(rank)))
      list.push_back(rank);
  return list;
}

// Whether a sum has parts that do not lie on this machine.
bool Matmul::has_distant_partners() const {
  for (std::size_t level = 0; level < plan_.levels(); ++level)
    for (Index part = 0; plan_.moves(matrix_c, level) && part < plan_.cuts()[level].parts; ++part)
      if (part != plan_.digit(level, rank_) && !boxes_[matrix_c]->of(plan_.partner(level, rank_, part)))
        return true;
  return false;
}

void Matmul::run() {
  std::ranges::fill(traffic_, ranks::Traffic{});
  times_ = {};
  const Stopwatch all(times_.all);
  if (rank_ < plan_.ranks()) return ranks::multiply(*this, plan_.matrices());
  for (turn_ = 0; turn_ < plan_.turns(); ++turn_) multiply();
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
    block.copied = !boxes_[v]->own().empty();
    double* const owned = memory(v).data() + block.piece.offset;
    block.data = block.copied ? boxes_[v]->own().data() : owned;
    if (block.copied && v != matrix_c)
      std::copy_n(owned, block.piece.stretch.size, block.data + block.piece.stretch.begin);
  }
}

// The first turn on a piece of C sets it, later ones add to it.
void Matmul::store() {
  const Block& c = blocks_[matrix_c];
  if (!c.copied) return;
  const Stopwatch watch(times_.moving);
  double* const owned = memory(matrix_c).data() + c.piece.offset;
  const double* const sum = c.data + c.piece.stretch.begin;
  if (turn_ == c.piece.turn)
    std::copy_n(sum, c.piece.stretch.size, owned);
  else
    for (Index i = 0; i < c.piece.stretch.size; ++i) owned[i] += sum[i];
}

// The block of a matrix that a rank of this machine works on in this turn.
MatrixView<double> Matmul::block_of(std::size_t v, Index rank) const {
  const Box box = plan_.box(v, rank, turn_);
  double* data = nullptr;
  if (ranks::copied_words(plan_, v, rank) > 0)
    data = boxes_[v]->of(rank);
  else
    data = owned_[v]->of(rank) + plan_.pieces(v, rank)[plan_.piece_of_turn(v, turn_)].offset;
  return {data, box.rows, box.cols, box.cols};
}

// A slice of the leaf along k. The first sets C, the others add to it.
Leaves::Operands Matmul::operands_of(Index rank, Index slice) const {
  const auto a = block_of(ranks::matrix_a, rank), b = block_of(ranks::matrix_b, rank);
  const Index begin = block_begin(a.cols, slices_, slice), end = block_begin(a.cols, slices_, slice + 1);
  return {.a = a.block(0, begin, a.rows, end - begin),
          .b = b.block(begin, 0, end - begin, b.cols),
          .c = block_of(matrix_c, rank),
          .beta = slice == 0 ? 0.0 : 1.0};
}

void Matmul::multiply() {
  for (Index slice = 0; slice < slices_; ++slice)
    leaves_->compute([=, this](Index rank) { return operands_of(rank, slice); }, times_);
}

// Waits for the partners of a cut, or for those whose blocks of `v` are read in place. What they wrote there
// is seen after.
void Matmul::meet_partners(std::size_t v, std::size_t level, Partners which) {
  const Stopwatch watch(times_.waiting);
  const Index own = plan_.digit(level, rank_);
  char none = 0;
  boxes_[v]->sync();
  for (Index part = 0; part < plan_.cuts()[level].parts; ++part) {
    const Index place = plan_.partner(level, rank_, part);
    if (part == own || (which == Partners::in_place && !boxes_[v]->of(place))) continue;
    const int partner = static_cast<int>(place);
    MPI_Irecv(&none, 0, MPI_CHAR, partner, ready_tag, comm_, &requests_.emplace_back());
    MPI_Isend(&none, 0, MPI_CHAR, partner, ready_tag, comm_, &requests_.emplace_back());
  }
  wait_all(requests_);
  boxes_[v]->sync();
}

void Matmul::gather(std::size_t v, std::size_t level) {
  meet_partners(v, level, Partners::all);
  copy_parts(v, level);
  meet_partners(v, level, Partners::in_place);  // none leaves while another one reads its block
}

void Matmul::copy_parts(std::size_t v, std::size_t level) {
  const Stopwatch watch(times_.moving);
  const Block& block = blocks_[v];
  const Stretch held = plan_.stretch(v, block.box.size(), level + 1, rank_);
  const Index parts = plan_.cuts()[level].parts, own = plan_.digit(level, rank_);
  const Stretch mine = part_of(held, parts, own);
  for (Index part = 0; part < parts; ++part) {
    if (part == own) continue;
    const Stretch theirs = part_of(held, parts, part);
    const Index partner = plan_.partner(level, rank_, part);
    if (const double* from = boxes_[v]->of(partner)) {
      std::copy_n(from + theirs.begin, theirs.size, block.data + theirs.begin);
    } else {
      receive_words(requests_, comm_, block.data + theirs.begin, theirs.size, partner);
      send_words(requests_, comm_, block.data + mine.begin, mine.size, partner);
    }
    traffic_[level] += {theirs.size, mine.size, 1};
  }
  wait_all(requests_);
}

void Matmul::add_up(std::size_t level) {
  meet_partners(matrix_c, level, Partners::all);
  add_parts(level);
  meet_partners(matrix_c, level, Partners::in_place);
}

// The sum is in the order of the parts, from the rank's own on: it is the same in every run.
void Matmul::add_parts(std::size_t level) {
  const Stopwatch watch(times_.moving);
  const Block& c = blocks_[matrix_c];
  const Stretch held = plan_.stretch(matrix_c, c.box.size(), level + 1, rank_);
  const Index parts = plan_.cuts()[level].parts, own = plan_.digit(level, rank_);
  const Stretch mine = part_of(held, parts, own);
  std::vector<const double*> terms;
  double* received = sums_.data();
  for (Index part = 0; part < parts; ++part) {
    if (part == own) continue;
    const Stretch theirs = part_of(held, parts, part);
    const Index partner = plan_.partner(level, rank_, part);
    traffic_[level] += {mine.size, theirs.size, 1};
    if (const double* from = boxes_[matrix_c]->of(partner)) {
      terms.push_back(from + mine.begin);
      continue;
    }
    receive_words(requests_, comm_, received, mine.size, partner);
    send_words(requests_, comm_, c.data + theirs.begin, theirs.size, partner);
    terms.push_back(received);
    received += mine.size;
  }
  wait_all(requests_);
  double* const sum = c.data + mine.begin;
  for (const double* from : terms)
    for (Index i = 0; i < mine.size; ++i) sum[i] += from[i];
}

}  // namespace tallcache::mpi
