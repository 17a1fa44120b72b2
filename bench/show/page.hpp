// Results documents as one page of HTML that needs neither a network nor a script to be read. A report
// describes what to show as blocks; html.hpp writes them, and drawing.hpp draws the charts.
#pragma once

#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bench/results/document.hpp"
#include "bench/show/blocks.hpp"
#include "bench/show/charts.hpp"

namespace tallcache {

struct ReportKind;  // bench/show/kind.hpp

class Page {
 public:
  /// `kinds`: of documents, in the order of their sections.
  explicit Page(std::span<const ReportKind* const> kinds) : kinds_(kinds) {}

  /// Adds a document of this kind to the sections that it has something for. Throws Error or
  /// Json::exception when it is not what its kind says.
  void add(const Document&, const ReportKind&);
  /// The page: one file.
  std::string html() const;

 private:
  /// What a document shows, and when and where it was measured.
  struct Article {
    std::size_t records;
    std::string machine, of, note;
    Blocks blocks;
  };
  std::string articles(std::vector<Article>, bool largest_first) const;

  std::span<const ReportKind* const> kinds_;
  std::map<std::string, std::string> names_;              ///< of the machines, by processor
  std::map<std::string, Blocks> machines_;                ///< by processor
  std::map<std::string, std::vector<Article>> articles_;  ///< by section
  Rooflines rooflines_;
  std::pair<std::size_t, std::string>
      found_{};  ///< of so many records: how many of the slides' findings hold
  Grid documents_{.columns = {{"document", true}, {"of", true}, {"measured", true}, {"records"}}};
};

}  // namespace tallcache
