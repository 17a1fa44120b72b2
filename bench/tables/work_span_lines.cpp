#include "bench/tables/work_span_lines.hpp"

#include <fmt/format.h>

#include <cmath>

namespace tallcache {

double grid_edges(double n) { return 4 * (n - std::sqrt(n)); }

namespace {

std::vector<Index> sizes(Index from, Index to, Index factor = 2) {
  std::vector<Index> list;
  for (; from <= to; from *= factor) list.push_back(from);
  return list;
}

const double lg3 = std::log2(3.0), lg7 = std::log2(7.0);

// n vertices in a square grid, searched from a corner.
double grid_span(double n) { return (2 * std::sqrt(n) - 1) * std::log2(n); }
std::string grid(Index n) {
  return fmt::format("vertices={},edges={:.0f}", n, grid_edges(static_cast<double>(n)));
}

std::vector<WorkSpanLine> sorts() {
  return {
      {.row = "merge sort",
       .operation = "sort",
       .variants = {"merge_sort"},
       .n = sizes(64, 1 << 18, 4),  // an odd power of two would end in other leaves
       .work = {1, 1},
       .span = {0, 3}},
  };
}

std::vector<WorkSpanLine> products() {
  return {
      {.row = "matrix multiplication",
       .operation = "matmul",
       .element = "double",
       .variants = {"recursive_temporary"},
       .n = sizes(4, 256),
       .work = {3, 0},
       .span = {0, 2},
       .why =
           "Each of the lg n halvings of the inner dimension ends with an addition, whose forks are a tree "
           "of lg n levels. The slide's lg n adds up each coefficient's n products in one tree, all n^2 at "
           "once",
       // Every halving of the inner dimension gets a temporary.
       .params = {{"splits", 40}}},
      {.row = "matrix multiplication",
       .operation = "matmul",
       .element = "double",
       .variants = {"recursive"},
       .n = sizes(4, 256),
       .work = {3, 0},
       .span = {1, 0},
       .why =
           "Without temporaries the halves of the inner dimension go one after the other: S(n) = 2 S(n/2) + "
           "O(1)"},
      {.row = "Strassen",
       .operation = "matmul",
       .element = "double",
       .variants = {"strassen"},
       .n = sizes(8, 512),
       .work = {lg7, 0},
       .span = {0, 2},
       // The seven products of every level run in parallel.
       .params = {{"parallel_levels", 40}},
       // Rounding errors allow no leaf below 8. Its 88 accesses in a row are a third of the span at 16.
       .of_differences = true},
  };
}

std::vector<WorkSpanLine> decompositions() {
  return {
      {.row = "LU decomposition",
       .operation = "lu",
       .variants = {"lu_recursive", "recursive"},
       .n = sizes(4, 256),
       .work = {3, 0},
       .span = {1, 2},
       .why = "Its products halve the inner dimension without a temporary, so that a triangular solve, T(n) "
              "= 2 T(n/2) + n, "
              "has n lg n already; with the slide's products it has n, and the decomposition n lg n"},
  };
}

std::vector<WorkSpanLine> tableaux() {
  return {
      {.row = "tableau construction",
       .operation = "edit_distance",
       .variants = {"tableau_recursive", "recursive"},
       .n = sizes(8, 1024),
       .work = {2, 0},
       .span = {lg3, 0}},
  };
}

std::vector<WorkSpanLine> transforms() {
  return {
      {.row = "FFT",
       .operation = "fft",
       .variants = {"fft_recursive", "recursive"},
       .n = sizes(64, 1 << 17),
       .work = {1, 1},
       .span = {0, 2}},
      {.row = "FFT",
       .operation = "fft",
       .variants = {"fft_six_step", "six_step"},
       .n = sizes(64, 1 << 18, 4),  // sqrt n rows and columns
       .work = {1, 1},
       .span = {0.5, 0},
       .why = "A row's sqrt n twiddles are multiplied one after the other, beside transpositions down to 16 "
              "x 16, "
              "a constant that leads for long"},
  };
}

std::vector<WorkSpanLine> searches() {
  return {
      {.row = "breadth-first search",
       .operation = "bfs",
       .variants = {"bfs_bag", "bag"},
       .n = sizes(256, 1 << 18, 4),
       .work = {1, 0},
       .span = {1, 0},
       .input = "grid",
       .shape = grid,
       .work_in = grid_edges,
       .span_in = grid_span},
      {.row = "breadth-first search",
       .operation = "bfs",
       .variants = {"bfs_frontier", "frontier"},
       .n = sizes(256, 1 << 16, 4),
       .work = {1, 0},
       .span = {1, 0},
       .why =
           "With blocks of one edge the prefix sums over a level's blocks, one after the other, are E in all",
       .input = "grid",
       .shape = grid,
       .work_in = grid_edges,
       .span_in = grid_edges},
  };
}

}  // namespace

const std::vector<WorkSpanLine>& work_span_lines() {
  static const std::vector<WorkSpanLine> list = [] {
    std::vector<WorkSpanLine> all;
    for (const auto& part : {sorts(), products(), decompositions(), tableaux(), transforms(), searches()})
      all.insert(all.end(), part.begin(), part.end());
    return all;
  }();
  return list;
}

}  // namespace tallcache
