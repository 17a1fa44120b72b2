// The commands of the program, one a file: see bench/commands/commands.def. Each add_<name>() adds its
// subcommand, whose callback runs it.
#pragma once

namespace CLI {
class App;
}

namespace tallcache {

/// All of them.
void add_commands(CLI::App& app);

#define TALLCACHE_COMMAND(name) void add_##name(CLI::App& app);
#define TALLCACHE_RESULTS_COMMAND TALLCACHE_COMMAND
#define TALLCACHE_PAPI_COMMAND TALLCACHE_COMMAND
#include "bench/commands/commands.def"
#undef TALLCACHE_COMMAND
#undef TALLCACHE_RESULTS_COMMAND
#undef TALLCACHE_PAPI_COMMAND

}  // namespace tallcache
