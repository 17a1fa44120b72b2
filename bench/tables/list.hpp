// The tables of tables.def; each is defined in its own file.
#pragma once

#include "bench/tables/table.hpp"

namespace tallcache {

#define TALLCACHE_TABLE(name) extern const Table name##_table;
#include "bench/tables/tables.def"
#undef TALLCACHE_TABLE

}  // namespace tallcache
