// Names of a graph's vertices for locality: those whose edges lead to the same places get near numbers.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "bench/suites/graph_file.hpp"

namespace tallcache {

/// - scattered: random names, as Graph500 gives them
/// - degree: the vertices of most edges first
/// - bisection: recursive bisection, by which the gaps between neighbours' names have few digits (Dhulipala,
///   Kabiljo, Karrer, Ottaviano, Pupyrev, Shalita, "Compressing graphs and indexes with recursive graph
///   bisection", 2016)
/// - root: the order that is given, but for the first vertex, which changes places with one that the seed
///   draws from all that have edges, as Graph500 draws its roots
inline constexpr std::string_view graph_orders[] = {"scattered", "degree", "bisection", "root"};

/// The new name of each vertex. Vertex 0, from which a search begins, keeps its own, but by the order "root".
/// Throws Error, with the nearest, on an unknown order.
std::vector<std::uint32_t> vertex_names(const GraphFile&, std::string_view order, std::uint64_t seed);

/// The graph with vertex v called names[v], a permutation. The edges of a vertex are in the order of their
/// targets.
GraphFile renamed(const GraphFile&, std::span<const std::uint32_t> names);

}  // namespace tallcache
