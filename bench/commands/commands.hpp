// The commands of the program and the kinds of documents that they make, from bench/commands/commands.def.
#pragma once

#include <span>
#include <string_view>

#include "bench/show/kind.hpp"

namespace CLI {
class App;
}

namespace tallcache {

/// Adds all commands of this build.
void add_commands(CLI::App& app);

/// The kinds of documents, in the order of the page's sections.
std::span<const ReportKind* const> kinds();

/// The kind called `kind`. Throws Error with the nearest name.
const ReportKind& find_kind(std::string_view kind);

}  // namespace tallcache
