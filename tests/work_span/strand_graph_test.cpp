// The work/span profiler on random programs, against an explicit graph of their strands.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "tests/work_span/programs.hpp"

namespace tallcache::test {
namespace {

/// The reference: a policy that writes the graph of strands down. A strand's number is above those of the
/// strands that it waits for.
class Graph {
 public:
  explicit Graph(double burden) : burden_(burden) { open({}); }

  template <class F, class G>
  void operator()(F&& f, G&& g) {
    close();
    const int fork = current_;
    open({{fork, 0}});
    f();
    close();
    const int first = current_;
    open({{fork, burden_}});
    g();
    close();
    open({{first, 0}, {current_, 0}});
  }
  template <class Body>
  void loop(Index begin, Index end, Index step, Body&& body) {
    loop_by_halves(*this, begin, end, step, 1, body);
  }
  static Index width() { return 1; }

  void close() { strands_[static_cast<std::size_t>(current_)].cost = UnitCost::now() - started_ + 1; }

  double work() const {
    double sum = 0;
    for (const Strand& strand : strands_) sum += strand.cost;
    return sum;
  }
  double longest_path(bool burdened) const {
    std::vector<double> end;
    for (const Strand& strand : strands_) {
      double begin = 0;
      for (const auto& [before, burden] : strand.after)
        begin = std::max(begin, end[static_cast<std::size_t>(before)] + (burdened ? burden : 0));
      end.push_back(begin + strand.cost);
    }
    return end.back();
  }
  std::size_t strands() const { return strands_.size(); }

  /// T_P of the greedy schedule that starts ready strands in the order of their numbers.
  double greedy(int processors) const {
    std::vector<double> end(strands_.size(), -1);
    std::multimap<double, std::size_t> running;
    std::vector<bool> started(strands_.size());
    double now = 0;
    for (std::size_t left = strands_.size(); left > 0 || !running.empty();) {
      for (std::size_t s = 0; s < strands_.size() && running.size() < static_cast<std::size_t>(processors);
           ++s) {
        const auto done = [&](const auto& edge) {
          const double before = end[static_cast<std::size_t>(edge.first)];
          return before >= 0 && before <= now;
        };
        if (started[s] || !std::ranges::all_of(strands_[s].after, done)) continue;
        started[s] = true;
        end[s] = now + strands_[s].cost;
        running.emplace(end[s], s);
        --left;
      }
      now = running.begin()->first;
      running.erase(now);
    }
    return now;
  }

 private:
  struct Strand {
    std::vector<std::pair<int, double>> after;
    double cost = 0;
  };
  void open(std::vector<std::pair<int, double>> after) {
    current_ = static_cast<int>(strands_.size());
    strands_.push_back({std::move(after)});
    started_ = UnitCost::now();
  }

  double burden_;
  std::vector<Strand> strands_;
  int current_ = 0;
  double started_ = 0;
};

TEST(WorkSpan, AgreesWithTheGraphOfStrands) {
  std::uint64_t spawns = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const int depth = static_cast<int>(seed % 6);
    Graph graph(50);
    random_program(graph, seed, depth);
    graph.close();
    const Profile p = profiled([&](auto& fork) { random_program(fork, seed, depth); }, {.burden = 50});
    EXPECT_EQ(p.work, graph.work()) << seed;
    EXPECT_EQ(p.span, graph.longest_path(false)) << seed;
    EXPECT_EQ(p.burdened_span, graph.longest_path(true)) << seed;
    EXPECT_EQ(p.strands, graph.strands()) << seed;
    EXPECT_EQ(p.strands, 3 * p.spawns + 1) << seed;
    spawns += p.spawns;
  }
  EXPECT_GT(spawns, 10000u);
}

// The work law, the span law and Graham's bound, for schedules of those programs.
TEST(WorkSpan, LawsHoldForGreedySchedules) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Graph graph(0);
    random_program(graph, seed, 3);
    graph.close();
    const Profile p = profiled([&](auto& fork) { random_program(fork, seed, 3); });
    for (int processors : {1, 2, 3, 4, 8, 1000}) {
      const double time = graph.greedy(processors);
      EXPECT_GE(time, p.work / processors);
      EXPECT_GE(time, p.span);
      EXPECT_LE(time, p.work / processors + p.span);
      EXPECT_LE(p.work / time, speedup_range(p, processors).high * (1 + 1e-12));
    }
    EXPECT_EQ(graph.greedy(1), p.work);
  }
}

}  // namespace
}  // namespace tallcache::test
