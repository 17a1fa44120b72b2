// The report of one kind of document.
#pragma once

#include <string>
#include <string_view>

#include "bench/show/blocks.hpp"

namespace tallcache {

struct ReportKind {
  std::string_view kind;   ///< Document::kind
  std::string_view title;  ///< of its section of the page
  /// The whole report as Markdown, without the heading that names the machine.
  std::string (*full)(const Document&);
  /// The tables for a README between the marks <!-- KIND:begin --> and <!-- KIND:end -->, below the line that
  /// names the machine; null: none.
  std::string (*summary)(const Document&) = nullptr;
  /// Whether its records stand for themselves: of a stale document a README has those whose sources are as
  /// they were, beside what is left out. Where they are compared with one another, it has nothing.
  bool by_record = false;
  /// What was found: a sentence for each part of the plan, with its figure, as items of a list, for a README
  /// between the marks <!-- found:begin --> and <!-- found:end -->; null: none.
  std::string (*found)(const Document&) = nullptr;
  /// What --svg draws, each into <prefix>-<its file>.svg. Throws Error where the document has none; null: no
  /// document of the kind has.
  std::vector<Chart> (*charts)(const Document&) = nullptr;
  /// The section of the page; null: the Markdown, as it is.
  Blocks (*page)(const Document&) = nullptr;
  /// A line below the name of the machine, at the top of the page; null: none.
  std::string (*headline)(const Document&) = nullptr;
};

}  // namespace tallcache
