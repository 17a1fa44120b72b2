// The parts of a page, as a report describes them. All figures come from the reports' own functions.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "bench/results/document.hpp"
#include "bench/show/grid.hpp"

namespace tallcache {

/// What a line or a point stands for. Charts tell them apart by dash and marker; a colour is a variant's.
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
  bool stressed = false;      ///< drawn thicker than the others, on top of them
};

/// A link to the Fold of that anchor, below a chart.
struct Link {
  std::string text{}, anchor{};
};

/// Figures over an axis of figures; both axes are logarithmic.
struct Chart {
  std::string title, x, y;  ///< the axes with their units
  std::vector<Series> series{};
  struct Mark {
    std::string name;
    double x;
  };
  std::vector<Mark> marks{};  ///< vertical rules, such as the caches
  bool wide = false;          ///< it takes the width of a page, however few lines it has
  bool half = false;          ///< it takes half of that, however many
  std::string companions{};   ///< what the companions are: "dotted: theory"
  std::string file{};         ///< the part of its file's name after the prefix; empty: made of the title
  Link link{};
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
  Link link{};
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

struct Fold;
/// Grids stand folded behind their captions, unless they say otherwise.
using Block = std::variant<Heading, Paragraph, Listing, Statement, Grid, Chart, Ranking, Fold>;
using Blocks = std::vector<Block>;

/// Blocks behind their title, which a link to the anchor opens.
struct Fold {
  std::string title, anchor;
  std::vector<Block> blocks;
};

}  // namespace tallcache
