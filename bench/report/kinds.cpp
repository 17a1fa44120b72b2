#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "bench/report/kind.hpp"
#include "bench/report/provenance.hpp"
#include "common/catalogue.hpp"

namespace tallcache {
namespace {

#define TALLCACHE_COMMAND(name)
#define TALLCACHE_RESULTS_COMMAND(name) &name##_report,
#define TALLCACHE_PAPI_COMMAND TALLCACHE_RESULTS_COMMAND
const std::array kinds{
#include "bench/commands/commands.def"
};

}  // namespace

const ReportKind& find_kind(std::string_view kind) {
  const auto found = std::ranges::find(kinds, kind, &ReportKind::kind);
  if (found != kinds.end()) return **found;
  std::vector<std::string_view> names;
  for (const ReportKind* known : kinds) names.push_back(known->kind);
  throw Error(unknown_name("kind of results", kind, names));
}

std::string machine_line(const Document& document) {
  const Json& context = document.context;
  const Json& build = context.at("build");
  std::string processors = context.at("cpu");
  if (const Json cores = context.value("usable_cores", Json()); cores.is_number())
    processors += fmt::format(", {} core{}", cores.get<int>(), cores == 1 ? "" : "s");
  // The GPU is left out where it does not contribute to the figures.
  const auto on_device = [](const Record& record) { return record.backend != "cpu"; };
  if (std::ranges::any_of(document.measurements, on_device))
    for (const Json& gpu : context.value("gpus", Json::array()))
      processors += " and " + gpu.at("name").get<std::string>();
  return fmt::format("{} ({}, {}, commit {}{})", processors, build.at("compiler").get<std::string>(),
                     build.at("flags").get<std::string>(), short_commit(build),
                     context.contains("mode") ? ", " + context["mode"].get<std::string>() + " sizes" : "");
}

}  // namespace tallcache
