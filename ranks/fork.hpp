// The fork policy over ranks, which policies that lay out or move data derive from.
//
// A fork shows two parts of one problem, side by side. Over ranks the same problem has as many parts as the
// next prime factor of the number of ranks: its body is called on one of these, the largest. The views have
// addresses without memory, so that a program of any size runs in no time. What they are at the end of a path
// is a leaf, which a rank executes by other means.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <tuple>
#include <vector>

#include "common/ceil_div.hpp"
#include "common/fork/fork.hpp"
#include "common/view.hpp"
#include "ranks/plan.hpp"

namespace tallcache::ranks {

/// The access policy of views without memory. An access throws Error: the program ended before its ranks.
struct NoMemory {
  template <class T>
  static T& at(T*) {
    throw Error("more ranks than rows: the program ends before it is cut for all of them");
  }
};

using View = MatrixView<double, NoMemory>;

/// Views of the matrices, whose addresses do not meet. A row is longer than the matrix, so that a block below
/// another is told from one beside it.
std::vector<View> views_of(std::span<const Matrix>);

namespace detail {
template <class V>
struct Joined {
  V whole;
  Role role;

  V part(Index parts) const {
    if (role == Role::rows) return whole.block(0, 0, ceil_div(whole.rows, parts), whole.cols);
    if (role == Role::cols) return whole.block(0, 0, whole.rows, ceil_div(whole.cols, parts));
    return whole;
  }
  /// The size that is cut; the largest Index where none is.
  Index cut_size() const {
    constexpr Index none = std::numeric_limits<Index>::max();
    return role == Role::rows ? whole.rows : role == Role::cols ? whole.cols : none;
  }
};

/// What the two views of a fork's branches are together.
template <class T>
Joined<MatrixView<T, NoMemory>> join(MatrixView<T, NoMemory> x, MatrixView<T, NoMemory> y, bool adds) {
  auto whole = x;
  if (x.data == y.data && x.rows == y.rows && x.cols == y.cols) {
    if (!std::is_const_v<T> && !adds) throw Error("a fork over ranks: both branches write to one view");
    return {whole, std::is_const_v<T> ? Role::shared : Role::added};
  }
  if (y.data == x.data + x.rows * x.ld && y.cols == x.cols) {
    whole.rows += y.rows;
    return {whole, Role::rows};
  }
  if (y.data == x.data + x.cols && y.rows == x.rows) {
    whole.cols += y.cols;
    return {whole, Role::cols};
  }
  throw Error("a fork over ranks: its branches are not two halves of one problem");
}
}  // namespace detail

/// Derived has
///   bool leaf()                                    does the part of one rank; false while ranks are left
///   Index enter(roles, size)                       the number of parts of the next cut, of at most `size`
///   Index repeats()                                the turns of that cut that are executed: 1, or its parts
///   void before(turn), after(turn), leave()        around each of these, and after all
template <class Derived>
class OverRanks {
 public:
  /// body(views...) on all ranks.
  template <class Body, class... Views>
  void start(const Body& body, Views... views) {
    if (!self().leaf()) body(views...);
  }
  template <class Body, class... Views>
  void operator()(const Part<Body, Views...>& f, const Part<Body, Views...>& g) {
    cut(f, g, false);
  }
  template <class Body, class... Views>
  void adding(const Part<Body, Views...>& f, const Part<Body, Views...>& g) {
    cut(f, g, true);
  }

 private:
  Derived& self() { return static_cast<Derived&>(*this); }

  template <class Body, class... Views>
  void cut(const Part<Body, Views...>& f, const Part<Body, Views...>& g, bool adds) {
    std::apply(
        [&](const auto&... x) {
          std::apply([&](const auto&... y) { cut_joined(f.body, detail::join(x, y, adds)...); }, g.views);
        },
        f.views);
  }

  template <class Body, class... Views>
  void cut_joined(const Body& body, const detail::Joined<Views>&... joined) {
    static_assert(sizeof...(Views) <= max_views);
    const Index parts = self().enter({joined.role...}, std::min({joined.cut_size()...}));
    for (Index turn = 0, turns = self().repeats(); turn < turns; ++turn) {
      self().before(turn);
      start(body, joined.part(parts)...);
      self().after(turn);
    }
    self().leave();
  }
};

/// The policy that lays a program out: it runs the text on one path and makes the plan. The cuts in turn come
/// first.
class Layout : public OverRanks<Layout> {
 public:
  /// `halvings`: the number of cuts in turn, each into two.
  Layout(std::vector<Matrix> matrices, Index ranks, int halvings);

  const Plan& plan() const { return plan_; }

  bool leaf() const { return halvings_ == 0 && next_ == factors_.size(); }
  Index enter(const std::array<Role, max_views>& roles, Index size);
  static Index repeats() { return 1; }
  static void before(Index) {}
  static void after(Index) {}
  static void leave() {}

 private:
  Plan plan_;
  std::vector<Index> factors_;
  std::size_t next_ = 0;
  int halvings_;
};

}  // namespace tallcache::ranks
