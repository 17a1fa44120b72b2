// The report of a profile document: work, span and the expected speed-up of each variant, beside the measured
// times; as text, as Cilkscale's CSV, and plotted. A profile is a record with the condition "profiled" (its
// unit: "ns", or "access" in unit cost) and the quantities work, span, burdened span, burden, spawns,
// strands, strands along the span. Times are further records, one for each number of threads.
#pragma once

#include <string>
#include <vector>

#include "bench/results/document.hpp"
#include "bench/results/planned_problem.hpp"
#include "bench/results/profile.hpp"
#include "bench/show/blocks.hpp"

namespace tallcache {

/// A part of the plan: one problem, of a sweep of sizes several.
struct ProfilePart : PlannedProblem {
  std::string unit;  ///< of costs: "ns" or "access"
  int threads = 1;   ///< that ran the program
  Index width = 1, grain = 1;
  std::string fork{};  ///< the policy
};
TALLCACHE_JSON_FIELDS(ProfilePart, operation, element, shape, size, input, unit, threads, width, grain, fork)

/// One variant with its work and span and, where it was timed, its records on different numbers of threads.
struct ProfiledVariant {
  std::string title;  ///< its name and parameters, and in a sweep its sizes
  const Record* record;
  Profile profile;
  std::vector<const Record*> times;  ///< in the order of the document: one thread first

  bool unit_cost() const { return record->conditions.at("profiled") == "access"; }
  /// T_1 / T_P of one of the times; NaN when there is none.
  double speedup(const Record&) const;
};

/// The variants in the order of the document, which must outlive them.
std::vector<ProfiledVariant> profiled_variants(const Document&);

/// The heading above the variants: what was profiled and how.
std::string profile_heading(const Document&);
Grid profile_grid(const ProfiledVariant&);
std::string profile_text(const ProfiledVariant&, Style);

/// The columns of Cilkscale (OpenCilk), a row for each variant, so that scripts made for it can read them. In
/// a sweep the tag names the sizes, too.
/// With times there is one more column for each number of threads: "1c time (seconds)".
std::string cilkscale_csv(const Document&);

/// P, min(P, parallelism), the burdened estimate and the measured speed-ups for P = 1 to 128.
Chart speedup_chart(const Document&);

}  // namespace tallcache
