#include "ranks/plan.hpp"

#include <algorithm>
#include <functional>
#include <string>

#include "common/fork/fork.hpp"

namespace tallcache::ranks {

Stretch part_of(Stretch whole, Index parts, Index part) {
  const Index quotient = whole.size / parts, rest = whole.size % parts;
  return {whole.begin + quotient * part + std::min(part, rest), quotient + (part < rest)};
}

Plan::Plan(std::vector<Matrix> matrices, Index ranks) : matrices_(std::move(matrices)), ranks_(ranks) {
  if (ranks < 1) throw Error("ranks: " + std::to_string(ranks) + " asked; at least 1 is needed");
}

void Plan::add(const Cut& cut) {
  if (cut.in_turn) {
    // The turns of earlier cuts come first: each of them has all turns of this one.
    for (std::size_t level = 0; level < cuts_.size(); ++level)
      if (cuts_[level].in_turn) groups_[level] *= cut.parts;
    turns_ *= cut.parts;
    groups_.push_back(1);
  } else {
    Index left = ranks_;
    for (std::size_t level = 0; level < cuts_.size(); ++level)
      if (!cuts_[level].in_turn) left = groups_[level];
    if (left % cut.parts) throw Error("a cut into more parts than there are ranks");
    groups_.push_back(left / cut.parts);
  }
  cuts_.push_back(cut);
}

Index Plan::digit(std::size_t level, Index rank, Index turn) const {
  return (cuts_[level].in_turn ? turn : rank) / groups_[level] % cuts_[level].parts;
}

Index Plan::partner(std::size_t level, Index rank, Index part) const {
  return rank + (part - digit(level, rank)) * groups_[level];
}

bool Plan::splits(std::size_t v, std::size_t level) const {
  const Role role = cuts_[level].roles[v];
  return role == Role::rows || role == Role::cols;
}

bool Plan::moves(std::size_t v, std::size_t level) const {
  return !cuts_[level].in_turn && !splits(v, level);
}

Box Plan::box(std::size_t v, Index rank, Index turn) const {
  Stretch rows{0, matrices_[v].rows}, cols{0, matrices_[v].cols};
  for (std::size_t level = 0; level < cuts_.size(); ++level) {
    const Role role = cuts_[level].roles[v];
    if (role == Role::rows) rows = part_of(rows, cuts_[level].parts, digit(level, rank, turn));
    if (role == Role::cols) cols = part_of(cols, cuts_[level].parts, digit(level, rank, turn));
  }
  return {rows.begin, cols.begin, rows.size, cols.size};
}

// The deepest cut divides first, so that what a gather makes larger stays one stretch.
Stretch Plan::stretch(std::size_t v, Index box_size, std::size_t level, Index rank) const {
  Stretch held{0, box_size};
  for (std::size_t at = cuts_.size(); at-- > level;)
    if (moves(v, at)) held = part_of(held, cuts_[at].parts, digit(at, rank));
  return held;
}

std::size_t Plan::piece_of_turn(std::size_t v, Index turn) const {
  std::size_t piece = 0;
  for (std::size_t level = 0; level < cuts_.size(); ++level)
    if (cuts_[level].in_turn && splits(v, level))
      piece = piece * static_cast<std::size_t>(cuts_[level].parts) +
              static_cast<std::size_t>(digit(level, 0, turn));
  return piece;
}

std::vector<Piece> Plan::pieces(std::size_t v, Index rank) const {
  std::vector<Piece> list;
  if (rank >= ranks_) return list;
  Index offset = 0;
  for (Index turn = 0; turn < turns_; ++turn) {
    if (piece_of_turn(v, turn) != list.size()) continue;
    const Box block = box(v, rank, turn);
    list.push_back({turn, block, stretch(v, block.size(), 0, rank), offset});
    offset += list.back().stretch.size;
  }
  return list;
}

Index Plan::owned(std::size_t v, Index rank) const {
  const std::vector<Piece> list = pieces(v, rank);
  return list.empty() ? 0 : list.back().offset + list.back().stretch.size;
}

Index Plan::parts(std::size_t v, Role role) const {
  Index product = 1;
  for (const Cut& cut : cuts_)
    if (cut.roles[v] == role) product *= cut.parts;
  return product;
}

std::vector<Index> prime_factors(Index n) {
  std::vector<Index> factors;
  for (Index p = 2; p * p <= n; ++p)
    for (; n % p == 0; n /= p) factors.push_back(p);
  if (n > 1) factors.push_back(n);
  std::ranges::sort(factors, std::greater{});
  return factors;
}

}  // namespace tallcache::ranks
