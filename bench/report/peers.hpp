// The fastest variants beside the libraries, as `tallcache peers` measured them. A part of the plan is
//   {"operation", "element", "backend", "variant",
//    "share": {"of": what its speed is a share of (SpeedShare::Of), "title", "operation", "variant"},
//    "first_input": the operation's, "baseline": the one of them with a column of its own, "" for none,
//    "cases": [{"label", "row", "threads", "group"}]}
// The records of a case, which were interleaved, have its row: the variant's own, its peers', and the
// reference's, which was measured next. Cases of one group are printed as their geometric mean and their
// least. Where a case has second records as graphs, they are lines of their own: plain launches are held
// against plain ones, and graphs against graphs.
#pragma once

#include <string>
#include <vector>

#include "bench/report/document.hpp"
#include "bench/report/grid.hpp"

namespace tallcache {

/// What the records of one case, by launches of one mode, say of the variant; NaN and nullptr where they say
/// nothing.
struct PeerFigures {
  const Record* own = nullptr;
  const Record* best = nullptr;  ///< the fastest peer
  double over_best = absent;     ///< the variant's speed over it
  double over_baseline = absent;
  double share = absent;  ///< of what the part names
  double over_one_core = absent;
};
PeerFigures peer_figures(const Document&, const Json& part, const Json& peer_case,
                         LaunchMode launch = LaunchMode::plain);

/// The cases of one group of which the variant and a peer were measured by launches of one mode. As graphs,
/// the cases without a record of the variant do not count as absent.
struct PeerGroup {
  int count = 0, absent_count = 0;
  double geometric_mean = absent, least = absent;  ///< of the speeds over the best peer
  std::string least_label;
};
PeerGroup peer_group(const Document&, const Json& part, std::string_view group,
                     LaunchMode launch = LaunchMode::plain);

/// One part of the plan as a table.
Grid peers_grid(const Document&, const Json& part);

}  // namespace tallcache
