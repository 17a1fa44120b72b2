// results/slides/tables.json as part of the program: see bench/CMakeLists.txt.
#pragma once

namespace tallcache {

extern const char* const slides_json;

}  // namespace tallcache
