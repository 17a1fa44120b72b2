// Memory accesses of an algorithm's own text, told to a cache model. A view with the access policy Traced
// tells a sink of every load and store: cache::Tracer turns them into lines for the models, cache::LruCache
// (ideal, fully associative), cache::OptCache, cache::Hierarchy (levels with ways), cache::StackDistances
// (every cache size at once). A sink of your own has load(address, bytes) and store(address, bytes).
#pragma once

#include "common/cache/hierarchy.hpp"
#include "common/cache/lru.hpp"
#include "common/cache/msi.hpp"
#include "common/cache/opt.hpp"
#include "common/cache/run_traced.hpp"
#include "common/cache/stack_distances.hpp"
#include "common/cache/tracer.hpp"
#include "common/traced.hpp"
