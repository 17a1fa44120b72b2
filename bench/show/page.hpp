// Results documents as one page of HTML that needs no network: the files of bench/show/page, which the
// build puts into the program, around one block of JSON. A report describes what to show; page/page.js draws
// it. All figures come from the reports' own functions.
#pragma once

#include <map>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "bench/results/document.hpp"
#include "bench/show/grid.hpp"

namespace tallcache {

/// What a line or a point stands for. The page tells them apart by colour, dash and marker.
enum class Family {
  textbook,  ///< a text of the slides, compiled as written
  ours,      ///< a variant of the suite that is tuned for speed
  library,   ///< a peer
  theory,    ///< a bound, a prediction, a limit of the machine
};

struct ChartPoint {
  double x, y;
  double low = no_value, high = no_value;  ///< the spread of y
  std::string name{};                      ///< what it is, where the series does not say
  std::string label{};                     ///< a word for it, shown at the point where there is room
};

enum class Drawn { line, points, bound };

struct Series {
  std::string name;
  Family family;
  std::vector<ChartPoint> points{};
  Drawn drawn = Drawn::line;  ///< a bound is a thin line without markers
  bool companion = false;     ///< of the series before it, with its colour and without a label of its own
};

/// A chart has at most this many lines.
inline constexpr std::size_t max_lines = 8;

/// Figures over an axis of figures; both axes are logarithmic.
struct Chart {
  std::string title, x, y;  ///< the axes with their units
  std::vector<Series> series{};
  struct Mark {
    std::string name;
    double x;
  };
  std::vector<Mark> marks{};  ///< vertical rules, such as the caches
};

/// A row's figures on one logarithmic axis: the slide's and this machine's, or one with its spread.
struct Ranking {
  std::string title, x;
  struct Item {
    std::string name;
    Family family;
    double value;
    double low = no_value, high = no_value;
    double other = no_value;  ///< the figure with which it is compared
    std::string note{};
  };
  std::vector<Item> items{};
  std::string value_name = "here", other_name{};  ///< what `value` and `other` are
  double reference = no_value;                    ///< a vertical rule
};

struct Heading {
  std::string text;
};
struct Paragraph {
  std::string text;
};
struct Listing {
  std::string title, text;  ///< text in columns, behind its title
};
/// One of the slide's findings: what this machine says of it, the figures that decide it, and the reason.
struct Statement {
  std::string text, verdict, figures, why;
};

using Block = std::variant<Heading, Paragraph, Listing, Statement, Grid, Chart, Ranking>;
using Blocks = std::vector<Block>;

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
  std::span<const ReportKind* const> kinds_;
  std::map<std::string, Json> machines_;  ///< by processor
  std::map<std::string, Json> articles_;  ///< by section
  Grid documents_{.columns = {{"document", true}, {"of", true}, {"measured", true}, {"records"}}};
};

}  // namespace tallcache
