#include <fmt/format.h>

#include "bench/results/machine_json.hpp"
#include "bench/show/kind.hpp"
#include "bench/show/machine.hpp"
#include "bench/show/machine_report.hpp"

namespace tallcache {
namespace {

// Aligned columns, as a block of code in Markdown.
std::string full(const Document& document) {
  const auto machine = nlohmann::json(document.context).get<Machine>();
  return fmt::format("```\n{}{}```\n", report(machine), limits_text(document.limits));
}

}  // namespace

extern const ReportKind machine_report{
    .kind = "machine", .title = "Machine", .full = full, .page = machine_blocks};

}  // namespace tallcache
