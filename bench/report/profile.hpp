// The report of a profile document: work, span and the speed-up to expect of each variant, beside the times
// that were measured; as text, as Cilkscale's CSV, and plotted.
//   A profile is a record with the condition "profiled" (its unit: "ns", or "access" in unit cost) and the
//   quantities work, span, burdened span, burden, spawns, strands, strands along the span. Times are further
//   records, one a number of threads.
#pragma once

#include <string>
#include <vector>

#include "bench/report/document.hpp"
#include "bench/report/grid.hpp"
#include "common/fork/work_span.hpp"

namespace tallcache {

/// One variant with its work and span and, where it was timed, its records on some numbers of threads.
struct ProfiledVariant {
  const Record* record;
  Profile profile;
  std::vector<const Record*> times;  ///< in the order of the document: one thread first

  bool unit_cost() const { return record->conditions.at("profiled") == "access"; }
  /// T_1 / T_P of one of the times; NaN when there is none.
  double speedup(const Record&) const;
};

/// In the order of the document, which has to outlive them.
std::vector<ProfiledVariant> profiled_variants(const Document&);

/// Adds the quantities of a profile, its costs in `unit` from `origin`, as `detail` says.
void put_profile(Record&, const Profile&, const std::string& unit, Origin origin, const std::string& detail);
/// The inverse. Throws Error when the record has no profile.
Profile profile_of(const Record&);

/// The same of a record whose condition "profiled" says the unit, with the burden.
void put_profile(Record&, const Profile&, double burden, const std::string& burden_origin);

/// What was profiled and how, below which the variants stand.
std::string profile_heading(const Document&);
std::string profile_text(const ProfiledVariant&, Style);

/// The columns that Cilkscale (OpenCilk) writes, a row a variant, so that scripts made for it read them; with
/// times, one more column a number of threads: "1c time (seconds)".
std::string cilkscale_csv(const Document&);

/// Draws into `file`, as SVG: P, min(P, parallelism), the burdened estimate and the measured speed-ups for P
/// = 1 to 128. Throws Error when there is no gnuplot, or when it fails.
void plot_speedups(const Document&, const std::string& file);

}  // namespace tallcache
