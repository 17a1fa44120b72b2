// The fastest variants beside the libraries, as `tallcache peers` measured them.
//
// The records of a case, which were interleaved, have its row: the variant's own, its peers', and the
// reference's, which was measured next. Cases of one group are printed as their geometric mean and their
// minimum, drawn ones with their fifth percentile, too. A peer is a library; other variants of the suite's
// own stand beside, in columns of their own, and are what counts only where no library is measured. The best
// is the fastest of the variant's own error class; where none of that class was measured, the fastest of the
// next stronger one, and both classes are named. What has a weaker class than the variant stands in a column
// of its own. Where a case has second records as graphs, they are lines of their own: plain launches are held
// against plain ones, and graphs against graphs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/results/document.hpp"
#include "bench/results/json_fields.hpp"
#include "bench/show/grid.hpp"

namespace tallcache {

/// What the variant's speed is a share of (SpeedShare).
struct PlannedShare {
  std::string of, title;
  /// The reference's; or the operation of a limit of others than multiply-adds.
  std::optional<std::string> operation, variant;
  std::optional<std::string> element;  ///< whose limit it is, where it is another's
  std::optional<int> products;         ///< of that element, which one of this element takes
  std::optional<double> operations;    ///< of that limit, which a unit of work takes
};
TALLCACHE_JSON_FIELDS(PlannedShare, of, title, operation, variant, element, products, operations)

struct PlannedCase {
  std::string label, row;
  int threads;
  std::string group;
  std::optional<int> again{};  ///< how often it was measured alone, in rows of again_row()
};
TALLCACHE_JSON_FIELDS(PlannedCase, label, row, threads, group, again)

/// The row in which a case was measured alone for the time `number`, from 1 on.
std::string again_row(const PlannedCase&, int number);

/// Cases that were drawn from the families of keys (draw_keys()), as one group.
struct PlannedDraws {
  std::uint64_t seed;
  int count;
  Index max_n;
  double bar;  ///< of a speed over the best library: a case below it is measured again before it counts
  std::optional<Index> min_n{};  ///< where it is not least_drawn_n
};
TALLCACHE_JSON_FIELDS(PlannedDraws, seed, count, max_n, bar, min_n)

inline constexpr std::string_view draws_group = "draws";

/// A part of the plan.
struct PeersPlan {
  std::string operation, element, backend, variant;
  PlannedShare share;
  std::string first_input;  ///< the operation's
  std::string baseline;     ///< the variant of the suite with a column of its own, or ""
  std::vector<PlannedCase> cases;
  std::optional<std::string> caches;  ///< "cold"
  std::optional<bool> mean;           ///< true where the cases without a group have a mean, too
  std::optional<PlannedDraws> draws;  ///< where the cases were drawn
  std::optional<int> roots;           ///< where each group is searches of one graph, from so many vertices
};
TALLCACHE_JSON_FIELDS(PeersPlan, operation, element, backend, variant, share, first_input, baseline, cases,
                      caches, mean, draws, roots)

/// Whom a variant is held against: the libraries, or other variants of the suite's own.
enum class Rivals { libraries, variants };

/// The libraries, where one was measured.
Rivals main_rivals(const Document&, const PeersPlan&);

/// The fastest of its rivals in a case.
struct Rival {
  const Record* best = nullptr;  ///< of the variant's error class, else of the next stronger one
  double over = no_value;        ///< the variant's speed over it
  int absent_count = 0;          ///< those that support the shape and were not measured: one may be faster
};

/// The figures of one case by launches of one mode; NaN and nullptr where there are none.
struct PeerFigures {
  const Record* own = nullptr;
  Rival library, variant;
  const Record* weaker = nullptr;                           ///< the fastest one of a weaker class
  double over_weaker = no_value, over_baseline = no_value;  ///< the variant's speed over these
  double share = no_value;                                  ///< of the reference that the part names
  double over_one_core = no_value;

  const Rival& of(Rivals rivals) const { return rivals == Rivals::libraries ? library : variant; }
};
PeerFigures peer_figures(const Document&, const PeersPlan&, const PlannedCase&,
                         LaunchMode launch = LaunchMode::plain);

/// The variant's speed over the best rival in a case, NaN where there is none. Where the case was measured
/// again, the median of those measurements.
double over_best(const Document&, const PeersPlan&, const PlannedCase&, Rivals,
                 LaunchMode launch = LaunchMode::plain);

/// The figures of a group, or of all cases without one where `group` is "", over the cases in which the
/// variant and a rival were measured by launches of one mode. A case without a record as a graph does not
/// count as absent.
struct PeerGroup {
  int count = 0, absent_count = 0, again_count = 0;
  /// Of the speeds over the best rival. No more than a twentieth of them are below the fifth percentile.
  double geometric_mean = no_value, fifth_percentile = no_value, min = no_value;
  double rate = no_value;  ///< the harmonic mean of the variant's own, as of work that is the same in each
  std::string min_label;
};
PeerGroup peer_group(const Document&, const PeersPlan&, std::string_view group, Rivals,
                     LaunchMode launch = LaunchMode::plain);

/// One part of the plan as a table.
Grid peers_grid(const Document&, const PeersPlan&);

}  // namespace tallcache
