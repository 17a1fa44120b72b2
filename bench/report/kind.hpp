// How the document of one kind is reported: one record a kind, listed in bench/report/kinds.cpp.
#pragma once

#include <string>
#include <string_view>

#include "bench/report/document.hpp"

namespace tallcache {

struct ReportKind {
  std::string_view kind;  ///< Document::kind
  /// Everything, as Markdown, below the heading that names the machine.
  std::string (*full)(const Document&);
  /// The tables for a README between the marks <!-- KIND:begin --> and <!-- KIND:end -->; null: none.
  std::string (*summary)(const Document&) = nullptr;
  /// Draws <prefix>-<part>.svg through gnuplot; null: nothing to plot.
  void (*plot)(const Document&, const std::string& prefix) = nullptr;
};

extern const ReportKind run_report, compare_report, steps_report, peers_report, misses_report, profile_report,
    machine_report, reproduce_report;

/// The kind called `kind`; throws Error with the nearest name.
const ReportKind& find_kind(std::string_view kind);

/// "AMD EPYC, 2 cores and NVIDIA H200 (GNU 12.2.0, -O3 -DNDEBUG, commit 44c3d3c7fbe3, quick sizes)"
std::string machine_line(const Document&);

}  // namespace tallcache
