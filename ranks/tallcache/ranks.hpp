// REC-MULT over many ranks: its layout, what every rank moves, the time on a fat tree, and the bound; no data
// is moved.
//
//   const ranks::Plan plan = ranks::plan_matmul({.m = 8192, .n = 8192, .k = 8192}, 32);
//   const auto most = ranks::count(plan).max_words;
//   const auto least = ranks::words_bound({8192, 8192, 8192}, 32);
#pragma once

#include "ranks/clocks.hpp"
#include "ranks/counted.hpp"
#include "ranks/distribution.hpp"
#include "ranks/matmul.hpp"
