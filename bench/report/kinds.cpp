#include <fmt/format.h>

#include <array>
#include <vector>

#include "bench/report/kind.hpp"
#include "common/catalogue.hpp"

namespace tallcache {
namespace {

constexpr std::array kinds{&run_report, &compare_report, &steps_report, &peers_report};

}  // namespace

const ReportKind& find_kind(std::string_view kind) {
  std::vector<std::string_view> names;
  for (const ReportKind* known : kinds) {
    if (known->kind == kind) return *known;
    names.push_back(known->kind);
  }
  throw Error(unknown_name("kind of results", kind, names));
}

std::string machine_line(const Document& document) {
  const Json &context = document.context, &build = context.at("build");
  std::string processors = fmt::format("{}, {} cores", context.at("cpu").get<std::string>(),
                                       context.at("usable_cores").get<int>());
  bool gpu = false;
  for (const Record& record : document.measurements) gpu |= record.backend == "gpu";
  if (gpu)
    for (const Json& device : context.at("gpus"))
      processors += " and " + device.at("name").get<std::string>();
  return fmt::format("{} ({}, {}, commit {}{})", processors, build.at("compiler").get<std::string>(),
                     build.at("flags").get<std::string>(), build.at("commit").get<std::string>(),
                     context.contains("mode") ? ", " + context["mode"].get<std::string>() + " sizes" : "");
}

}  // namespace tallcache
