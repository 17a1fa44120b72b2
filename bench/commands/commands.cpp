#include "bench/commands/commands.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <vector>

#include "bench/measure/options.hpp"
#include "common/catalogue.hpp"

namespace tallcache {

// What each line stands for: its declarations, its command, its kind.
#define TALLCACHE_COMMAND(name) void add_##name(CLI::App&);
#define TALLCACHE_STUDY(name) TALLCACHE_COMMAND(name) extern const ReportKind name##_report;
#define TALLCACHE_PAPI_STUDY TALLCACHE_STUDY
#include "bench/commands/commands.def"
#undef TALLCACHE_COMMAND
#undef TALLCACHE_STUDY
#undef TALLCACHE_PAPI_STUDY

void add_commands(CLI::App& app) {
#define TALLCACHE_COMMAND(name) add_##name(app);
#define TALLCACHE_STUDY TALLCACHE_COMMAND
#ifdef TALLCACHE_HAS_PAPI
#define TALLCACHE_PAPI_STUDY TALLCACHE_COMMAND
#else
#define TALLCACHE_PAPI_STUDY(name)
#endif
#include "bench/commands/commands.def"
#undef TALLCACHE_COMMAND
#undef TALLCACHE_STUDY
#undef TALLCACHE_PAPI_STUDY
  refuse_empty_values(app);
}

std::span<const ReportKind* const> kinds() {
#define TALLCACHE_COMMAND(name)
#define TALLCACHE_STUDY(name) &name##_report,
#define TALLCACHE_PAPI_STUDY TALLCACHE_STUDY
  static constexpr std::array all{
#include "bench/commands/commands.def"
  };
  return all;
}

const ReportKind& find_kind(std::string_view kind) {
  const auto found = std::ranges::find(kinds(), kind, &ReportKind::kind);
  if (found != kinds().end()) return **found;
  std::vector<std::string_view> names;
  for (const ReportKind* known : kinds()) names.push_back(known->kind);
  throw Error(unknown_name("kind of results", kind, names));
}

}  // namespace tallcache
