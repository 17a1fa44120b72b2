// The report of one kind of document: one record for each kind, listed in bench/commands/commands.def.
#pragma once

#include <string>
#include <string_view>

#include "bench/report/page.hpp"

namespace tallcache {

struct ReportKind {
  std::string_view kind;  ///< Document::kind
  /// The whole report as Markdown, without the heading that names the machine.
  std::string (*full)(const Document&);
  /// The tables for a README between the marks <!-- KIND:begin --> and <!-- KIND:end -->; null: none.
  std::string (*summary)(const Document&) = nullptr;
  /// What was found: a sentence for each part of the plan, with its figure, as items of a list, for a README
  /// between the marks <!-- found:begin --> and <!-- found:end -->; null: none.
  std::string (*found)(const Document&) = nullptr;
  /// Draws <prefix>-<part>.svg through gnuplot; null: nothing to plot.
  void (*plot)(const Document&, const std::string& prefix) = nullptr;
  /// The section of the page; null: the Markdown, as it is.
  Blocks (*page)(const Document&) = nullptr;
};

// <command>_report, for each command that stores results.
#define TALLCACHE_COMMAND(name)
#define TALLCACHE_RESULTS_COMMAND(name) extern const ReportKind name##_report;
#define TALLCACHE_PAPI_COMMAND TALLCACHE_RESULTS_COMMAND
#include "bench/commands/commands.def"
#undef TALLCACHE_COMMAND
#undef TALLCACHE_RESULTS_COMMAND
#undef TALLCACHE_PAPI_COMMAND

/// The kind called `kind`. Throws Error with the nearest name.
const ReportKind& find_kind(std::string_view kind);

/// "AMD EPYC, 2 cores and NVIDIA H200 (GNU 12.2.0, -O3 -DNDEBUG, commit 44c3d3c7fbe3, quick sizes)"
std::string machine_line(const Document&);

}  // namespace tallcache
