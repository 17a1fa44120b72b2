#include "ranks/clocks.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "ranks/matmul.hpp"

namespace tallcache::ranks {
namespace {

// The links of a fat tree, and the words on them in one phase.
class Links {
 public:
  Links(const Fabric& fabric, Index ranks, double word) : fabric_(fabric), word_(word) {
    Index below = 1;
    for (const FabricLevel& level : fabric.levels) {
      below_.push_back(below);
      const auto count = static_cast<std::size_t>((ranks - 1) / below + 1);
      up_.emplace_back(count);
      down_.emplace_back(count);
      below = below > ranks ? below : below * level.children;
    }
  }

  void clear() {
    for (auto& links : up_) std::ranges::fill(links, 0);
    for (auto& links : down_) std::ranges::fill(links, 0);
  }

  void send(Index from, Index to, Index words) {
    for (std::size_t level = 0, top = meet(from, to); level <= top; ++level) {
      up_[level][at(level, from)] += static_cast<double>(words);
      down_[level][at(level, to)] += static_cast<double>(words);
    }
  }

  /// The seconds of a message among all of the phase.
  double seconds(Index from, Index to) const {
    const std::size_t top = meet(from, to);
    double slowest = 0;
    for (std::size_t level = 0; level <= top; ++level)
      slowest = std::max(slowest, std::max(up_[level][at(level, from)], down_[level][at(level, to)]) * word_ /
                                      fabric_.levels[level].bandwidth);
    return fabric_.levels[top].latency + slowest;
  }

 private:
  std::size_t at(std::size_t level, Index rank) const {
    return static_cast<std::size_t>(rank / below_[level]);
  }
  // The level of the switch where the ways of two ranks meet.
  std::size_t meet(Index a, Index b) const {
    std::size_t level = 0;
    while (level + 1 < below_.size() && a / below_[level + 1] != b / below_[level + 1]) ++level;
    return level;
  }

  const Fabric& fabric_;
  double word_;
  std::vector<Index> below_;  ///< the ranks below each link of a level
  std::vector<std::vector<double>> up_, down_;
};

class Run {
 public:
  Run(const Plan& plan, const Fabric& fabric, LeafFlop flop, double word)
      : plan_(plan),
        fabric_(fabric),
        flop_(flop),
        links_(fabric, plan.ranks(), word),
        sizes_(plan.matrices().size()) {
    result_.ended.assign(static_cast<std::size_t>(plan.ranks()), 0);
    result_.words.assign(static_cast<std::size_t>(plan.ranks()), 0);
    leaf_.assign(static_cast<std::size_t>(plan.ranks()), 0);
  }

  Clocks operator()() {
    for (Index turn = 0; turn < plan_.turns(); ++turn) {
      for (std::size_t v = 0; v < sizes_.size(); ++v) {
        sizes_[v].resize(result_.ended.size());
        for (Index rank = 0; rank < plan_.ranks(); ++rank)
          at(sizes_[v], rank) = plan_.box(v, rank, turn).size();
      }
      for (std::size_t level = 0; level < plan_.levels(); ++level) phases(level, Role::shared);
      for (Index rank = 0; rank < plan_.ranks(); ++rank) {
        const double seconds = flop_(plan_, rank, turn) / fabric_.flops;
        at(result_.ended, rank) += seconds;
        at(leaf_, rank) += seconds;
      }
      for (std::size_t level = plan_.levels(); level-- > 0;) phases(level, Role::added);
    }
    result_.seconds = *std::ranges::max_element(result_.ended);
    result_.leaf_seconds = *std::ranges::max_element(leaf_);
    return std::move(result_);
  }

 private:
  template <class T>
  static T& at(std::vector<T>& list, Index rank) {
    return list[static_cast<std::size_t>(rank)];
  }

  void phases(std::size_t level, Role role) {
    for (std::size_t v = 0; v < sizes_.size(); ++v)
      if (plan_.moves(v, level) && plan_.cuts()[level].roles[v] == role) phase(level, v, role);
  }

  // message(partner, rank, words) for each that `rank` receives.
  template <class Message>
  void messages(std::size_t level, std::size_t v, Role role, const Message& message) {
    const Index parts = plan_.cuts()[level].parts;
    for (Index rank = 0; rank < plan_.ranks(); ++rank) {
      const Stretch held = plan_.stretch(v, at(sizes_[v], rank), level + 1, rank);
      const Index own = plan_.digit(level, rank);
      for (Index part = 0; part < parts; ++part)
        if (part != own)
          message(plan_.partner(level, rank, part), rank,
                  part_of(held, parts, role == Role::added ? own : part).size);
    }
  }

  void phase(std::size_t level, std::size_t v, Role role) {
    links_.clear();
    messages(level, v, role, [&](Index from, Index to, Index words) {
      links_.send(from, to, words);
      at(result_.words, to) += words;
    });
    next_ = result_.ended;
    messages(level, v, role, [&](Index from, Index to, Index) {
      const double start = std::max(at(result_.ended, from), at(result_.ended, to));
      at(next_, to) = std::max(at(next_, to), start + links_.seconds(from, to));
    });
    std::swap(next_, result_.ended);
  }

  const Plan& plan_;
  const Fabric& fabric_;
  LeafFlop flop_;
  Links links_;
  std::vector<std::vector<Index>> sizes_;  ///< of the boxes in this turn
  std::vector<double> next_, leaf_;
  Clocks result_;
};

}  // namespace

void validate(const Fabric& fabric) {
  if (!(fabric.flops > 0)) throw Error("fabric: flops is not above 0");
  if (fabric.levels.empty()) throw Error("fabric: it has no levels");
  for (const FabricLevel& level : fabric.levels) {
    if (level.children < 2) throw Error("fabric: a level has fewer than 2 children");
    if (!(level.latency >= 0)) throw Error("fabric: a latency is below 0");
    if (!(level.bandwidth > 0)) throw Error("fabric: a bandwidth is not above 0");
  }
}

double matmul_flop(const Plan& plan, Index rank, Index turn) {
  const Box c = plan.box(matrix_c, rank, turn);
  return 2.0 * static_cast<double>(c.size()) * static_cast<double>(plan.box(matrix_a, rank, turn).cols);
}

Clocks run_clocks(const Plan& plan, const Fabric& fabric, LeafFlop flop, double word) {
  validate(fabric);
  double messages = 0;
  for (const Cut& cut : plan.cuts()) messages += static_cast<double>(cut.in_turn ? 0 : cut.parts - 1);
  messages *= static_cast<double>(plan.ranks()) * static_cast<double>(plan.turns());
  constexpr double most = 1 << 29;
  if (messages > most)
    throw Error("the clocks would follow " + std::to_string(messages) +
                " messages: choose a number of ranks with smaller prime factors");
  return Run(plan, fabric, flop, word)();
}

}  // namespace tallcache::ranks
