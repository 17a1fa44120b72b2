#include "bench/suites/graph_order.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "common/catalogue.hpp"
#include "common/random.hpp"

namespace tallcache {
namespace {

using Vertex = std::uint32_t;

// In the order of the new names.
using Sequence = std::vector<Vertex>;

Sequence by_degree(const GraphFile& graph) {
  Sequence list(graph.offset.size() - 1);
  std::iota(list.begin(), list.end(), Vertex{0});
  std::ranges::stable_sort(list, std::greater<>{},
                           [&](Vertex v) { return graph.offset[v + 1] - graph.offset[v]; });
  return list;
}

Sequence scattered(const GraphFile& graph, std::uint64_t seed) {
  Sequence list(graph.offset.size() - 1);
  std::iota(list.begin(), list.end(), Vertex{0});
  for (std::size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[random_up_to(seed, i, i - 1)]);
  return list;
}

// A graph without edges keeps its names.
Sequence with_root(const GraphFile& graph, std::uint64_t seed) {
  Sequence names(graph.offset.size() - 1);
  std::iota(names.begin(), names.end(), Vertex{0});
  if (graph.target.empty()) return names;
  Vertex root = 0;
  std::uint64_t draw = 0;
  do root = static_cast<Vertex>(random_up_to(~seed, draw++, names.size() - 1));
  while (graph.offset[root] == graph.offset[root + 1]);
  std::swap(names[0], names[root]);
  return names;
}

// Halves a part of the sequence, again and again.
class Bisection {
 public:
  static constexpr std::size_t leaf = 16;
  static constexpr int rounds = 20;

  explicit Bisection(const GraphFile& graph)
      : graph_(graph),
        list_(by_degree(graph)),
        gains_(list_.size()),
        in_first_(list_.size()),
        in_second_(list_.size()) {}

  Sequence operator()() && {
    divide(std::span(list_));
    return std::move(list_);
  }

 private:
  using Part = std::span<Vertex>;

  std::span<const Vertex> neighbours(Vertex v) const {
    return std::span(graph_.target).subspan(graph_.offset[v], graph_.offset[v + 1] - graph_.offset[v]);
  }

  void divide(Part part) {
    if (part.size() <= leaf) return;
    const Part first = part.first(part.size() / 2), second = part.subspan(part.size() / 2);
    for (int round = 0; round < rounds; ++round)
      if (!exchange(first, second)) break;
    divide(first);
    divide(second);
  }

  // The bits that the gaps between the names of `degree` neighbours in a half of `size` vertices take.
  static double cost(double degree, double size) { return degree * std::log2(size / (degree + 1)); }

  // What is gained when v goes to the other half.
  double gain(Vertex v, const std::vector<Vertex>& here, const std::vector<Vertex>& there, double size_here,
              double size_there) const {
    double sum = 0;
    for (const Vertex q : neighbours(v)) {
      const double a = here[q], b = there[q];
      sum += cost(a, size_here) + cost(b, size_there) - cost(a - 1, size_here) - cost(b + 1, size_there);
    }
    return sum;
  }

  void count(Part half, std::vector<Vertex>& counts, Vertex by) {
    for (const Vertex v : half)
      for (const Vertex q : neighbours(v)) counts[q] += by;
  }

  // Exchanges the vertices of the halves that gain most, pair by pair; whether there were any.
  bool exchange(Part first, Part second) {
    count(first, in_first_, 1), count(second, in_second_, 1);
    const auto size_of = [](Part half) { return static_cast<double>(half.size()); };
    for (const Vertex v : first) gains_[v] = gain(v, in_first_, in_second_, size_of(first), size_of(second));
    for (const Vertex v : second) gains_[v] = gain(v, in_second_, in_first_, size_of(second), size_of(first));
    count(first, in_first_, ~Vertex{0}), count(second, in_second_, ~Vertex{0});  // minus one each
    for (const Part half : {first, second})
      std::ranges::stable_sort(half, std::greater<>{}, [this](Vertex v) { return gains_[v]; });
    std::size_t pairs = 0;
    while (pairs < first.size() && gains_[first[pairs]] + gains_[second[pairs]] > 1e-9) {
      std::swap(first[pairs], second[pairs]);
      ++pairs;
    }
    return pairs > 0;
  }

  const GraphFile& graph_;
  Sequence list_;
  std::vector<double> gains_;
  std::vector<Vertex> in_first_, in_second_;  ///< neighbours of each vertex in the halves at hand
};

}  // namespace

std::vector<std::uint32_t> vertex_names(const GraphFile& graph, std::string_view order, std::uint64_t seed) {
  if (order == "root") return with_root(graph, seed);
  Sequence list;
  if (order == "degree")
    list = by_degree(graph);
  else if (order == "scattered")
    list = scattered(graph, seed);
  else if (order == "bisection")
    list = Bisection(graph)();
  else
    throw Error(unknown_name("order", order, graph_orders));
  std::rotate(list.begin(), std::ranges::find(list, Vertex{0}), std::ranges::find(list, Vertex{0}) + 1);
  std::vector<std::uint32_t> names(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) names[list[i]] = static_cast<std::uint32_t>(i);
  return names;
}

GraphFile renamed(const GraphFile& graph, std::span<const std::uint32_t> names) {
  const std::size_t n = names.size();
  GraphFile result{std::vector<std::uint32_t>(n + 1), std::vector<std::uint32_t>(graph.target.size())};
  for (std::size_t v = 0; v < n; ++v) result.offset[names[v] + 1] = graph.offset[v + 1] - graph.offset[v];
  std::partial_sum(result.offset.begin(), result.offset.end(), result.offset.begin());
  for (std::size_t v = 0; v < n; ++v) {
    const auto to = result.target.begin() + result.offset[names[v]];
    for (std::size_t e = graph.offset[v]; e < graph.offset[v + 1]; ++e)
      to[static_cast<std::ptrdiff_t>(e - graph.offset[v])] = names[graph.target[e]];
    std::sort(to, to + (graph.offset[v + 1] - graph.offset[v]));
  }
  return result;
}

}  // namespace tallcache
