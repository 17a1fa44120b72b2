// The fork policy that tells which memory node works on which part of a program's data: it follows the
// program's own recursion, so that what a node's processors will work on can be touched first there. Linux
// gives a page to the node of the processor that touches it first.
#pragma once

#include <algorithm>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/fork/fork.hpp"
#include "common/view.hpp"

namespace tallcache {

/// A memory node of a machine: its number, and how many of its processors a run may use.
struct MemoryNode {
  unsigned number = 0;
  Index processors = 1;
  friend bool operator==(const MemoryNode&, const MemoryNode&) = default;
};

/// The program's order of the elements that it writes is divided among the nodes, each with a share that its
/// processors have of all. visit(node, views...) is called for each part of the program that lies in the
/// share of nodes[node], but for a sixteenth of a share; it is not run. Larger parts are run, and fork on.
/// Branches are Parts, of which the first view is written and covers all elements that the branch writes.
///
///   ByNode fork(nodes, [&](std::size_t node, auto b, auto a) { touch(node, b, a); });
///   fork.start(Part([&](auto b, auto a) { rec_transpose(fork, b, a, 1); }, b, a));
template <class Visit>
class ByNode {
 public:
  /// `nodes`: one or more, with one processor or more each.
  ByNode(std::span<const MemoryNode> nodes, Visit visit) : visit_(std::move(visit)) {
    for (const MemoryNode& node : nodes) before_.push_back(before_.back() + node.processors);
  }

  /// Follows the whole program, unless it writes nothing.
  template <class Body, class... Views>
  void start(const Part<Body, Views...>& whole) {
    size_ = elements(whole);
    at_ = 0;
    if (size_ > 0) branch(whole);
  }

  template <class F, class G>
  void operator()(const F& f, const G& g) {
    branch(f);
    branch(g);
  }
  /// Both branches run on all processors of the fork, one after the other.
  template <class F, class G>
  void adding(const F& f, const G& g) {
    const Index begin = at_;
    branch(f);
    at_ = begin;
    branch(g);
  }

 private:
  template <class Body, class... Views>
  static Index elements(const Part<Body, Views...>& part) {
    const auto& written = std::get<0>(part.views);
    static_assert(!std::is_const_v<std::remove_pointer_t<decltype(written.data)>>);
    return written.rows * written.cols;
  }

  Index begin_of(std::size_t node) const { return size_ * before_[node] / before_.back(); }

  /// The node in whose share an element is.
  std::size_t node_of(Index element) const {
    std::size_t node = 0;
    while (begin_of(node + 1) <= element) ++node;
    return node;
  }

  template <class Body, class... Views>
  void branch(const Part<Body, Views...>& part) {
    const Index begin = at_, end = begin + elements(part);
    const std::size_t node = node_of(begin + (end - begin) / 2);
    const Index first = begin_of(node), last = begin_of(node + 1);
    const Index outside = std::max<Index>(0, first - begin) + std::max<Index>(0, end - last);
    if (outside <= (last - first) / 16)
      std::apply([&](const auto&... views) { visit_(node, views...); }, part.views);
    else
      part();
    at_ = end;
  }

  Visit visit_;
  std::vector<Index> before_{0};  // processors of the nodes before each, and of all
  Index size_ = 0, at_ = 0;       // elements that are written; those before the branch
};

}  // namespace tallcache
