// Feeds the memory accesses of an algorithm's own text to a cache model. A view with the access policy Traced
// passes every load and store to a sink. cache::Tracer is a sink that converts them into lines for the
// models: cache::LruCache (ideal, fully associative), cache::OptCache, cache::Hierarchy (set-associative
// levels) and cache::StackDistances (every cache size at once). A sink of your own has load(address, bytes)
// and store(address, bytes). What theory predicts of an ideal cache is a cache::Prediction, which a variant
// states by its member predicted_misses.
#pragma once

#include "common/cache/hierarchy.hpp"
#include "common/cache/ideal_misses.hpp"
#include "common/cache/lru.hpp"
#include "common/cache/msi.hpp"
#include "common/cache/opt.hpp"
#include "common/cache/run_traced.hpp"
#include "common/cache/stack_distances.hpp"
#include "common/cache/traced_problem.hpp"
#include "common/cache/tracer.hpp"
#include "common/traced.hpp"
