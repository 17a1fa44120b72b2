// What the recursion of Gaussian elimination's paradigm does at its leaves for the transitive closure, in
// vectors of Google Highway that are dispatched at run time.
//
// A tile is 512 rows of 512 bits, contiguous. Products of bits go by the method of the four Russians
// (Arlazarov, Dinic, Kronrod, Faradzhev 1970): of each eight rows all 256 unions, of which a row takes the
// one that its eight bits name.
#pragma once

#include <cstdint>

#include "common/traced.hpp"
#include "common/view.hpp"

namespace tallcache::cpu::gep {

inline constexpr Index bit_tile = 512;
inline constexpr Index tile_words = bit_tile / 64;

/// All accesses go through the policy.
template <class Access>
struct ClosureText {
  /// The closure of a tile by its first `depth` rows, in place.
  void (*diagonal)(std::uint64_t* x, Index rows, Index depth, Access);
  /// x(i) |= the union of v(k) over the bits k < depth of u(i), for `rows` rows. x may be u or v; what it
  /// reads is then what x has at the time, of which a closed u or v makes the same closure.
  void (*product)(std::uint64_t* x, const std::uint64_t* u, const std::uint64_t* v, Index rows, Index depth,
                  Access);
  /// x(w) |= v(w) for `count` words of two rows.
  void (*unite)(std::uint64_t* x, const std::uint64_t* v, Index count, Access);
};

/// Of the target that this processor dispatches to.
const CompiledTexts<ClosureText>& closure_kernel();

}  // namespace tallcache::cpu::gep
