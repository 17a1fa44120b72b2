// The tables of tables.def; each is defined in its own file, in a namespace of its own, for the files name
// their parts alike and are compiled together.
#pragma once

#include "bench/tables/table.hpp"

namespace tallcache::slide_tables {

#define TALLCACHE_TABLE(name) \
  namespace name {            \
  extern const Table table;   \
  }
#include "bench/tables/tables.def"
#undef TALLCACHE_TABLE

}  // namespace tallcache::slide_tables
