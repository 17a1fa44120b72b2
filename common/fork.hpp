// Fork policies: how an algorithm's text runs its independent parts. A policy has
//   fork(f, g)                      run f and g, which are independent; return when both are done
//   fork.loop(begin, end, step, f)  run f(i) for i = begin, begin + step, ... < end, all independent
#pragma once

#include "common/named.hpp"

namespace tallcache {

/// Serial elision: the program with its forks erased, one after the other in program order.
struct Serial {
  template <class F, class G>
  constexpr void operator()(F&& f, G&& g) const {
    f();
    g();
  }
  template <class Body>
  constexpr void loop(Index begin, Index end, Index step, Body&& body) const {
    for (Index i = begin; i < end; i += step) body(i);
  }
};

}  // namespace tallcache
