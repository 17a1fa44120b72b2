#include "bench/program/commands.hpp"

#include <CLI/CLI.hpp>

#include "bench/program/options.hpp"

namespace tallcache {

void add_commands(CLI::App& app) {
#define TALLCACHE_COMMAND(name) add_##name(app);
#define TALLCACHE_RESULTS_COMMAND TALLCACHE_COMMAND
#ifdef TALLCACHE_HAS_PAPI
#define TALLCACHE_PAPI_COMMAND TALLCACHE_COMMAND
#else
#define TALLCACHE_PAPI_COMMAND(name)
#endif
#include "bench/commands/commands.def"
#undef TALLCACHE_COMMAND
#undef TALLCACHE_RESULTS_COMMAND
#undef TALLCACHE_PAPI_COMMAND
  refuse_empty_values(app);
}

}  // namespace tallcache
