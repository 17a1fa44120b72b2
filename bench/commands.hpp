// The commands of the program, one a file. Each adds its subcommand, whose callback runs it.
#pragma once

#include <CLI/CLI.hpp>

namespace tallcache {

/// All of them.
void add_commands(CLI::App& app);

void add_list(CLI::App& app);
void add_run(CLI::App& app);
void add_machine(CLI::App& app);
void add_reproduce(CLI::App& app);
void add_report(CLI::App& app);
void add_compare(CLI::App& app);
void add_steps(CLI::App& app);
void add_peers(CLI::App& app);
void add_profile(CLI::App& app);
void add_misses(CLI::App& app);  // only where there is PAPI

}  // namespace tallcache
