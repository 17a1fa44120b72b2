// The report of a profile document: work, span and the expected speed-up of each variant, beside the measured
// times; as text, as Cilkscale's CSV, and plotted. A profile is a record with the condition "profiled" (its
// unit: "ns", or "access" in unit cost) and the quantities work, span, burdened span, burden, spawns,
// strands, strands along the span. Times are further records, one for each number of threads.
#pragma once

#include <string>
#include <vector>

#include "bench/report/document.hpp"
#include "bench/report/grid.hpp"
#include "common/fork/work_span.hpp"

namespace tallcache {

/// One variant with its work and span and, where it was timed, its records on different numbers of threads.
struct ProfiledVariant {
  const Record* record;
  Profile profile;
  std::vector<const Record*> times;  ///< in the order of the document: one thread first

  bool unit_cost() const { return record->conditions.at("profiled") == "access"; }
  /// T_1 / T_P of one of the times; NaN when there is none.
  double speedup(const Record&) const;
};

/// The variants in the order of the document, which must outlive them.
std::vector<ProfiledVariant> profiled_variants(const Document&);

/// Adds the quantities of a profile. Its costs are in `unit` from `origin`; `detail` describes them.
void put_profile(Record&, const Profile&, const std::string& unit, Origin origin, const std::string& detail);
/// The inverse of put_profile. Throws Error when the record has no profile.
Profile profile_of(const Record&);

/// The same for a record whose condition "profiled" gives the unit, with the burden.
void put_profile(Record&, const Profile&, double burden, const std::string& burden_origin);

/// The heading above the variants: what was profiled and how.
std::string profile_heading(const Document&);
Grid profile_grid(const ProfiledVariant&);
std::string profile_text(const ProfiledVariant&, Style);

/// The columns of Cilkscale (OpenCilk), a row for each variant, so that scripts made for it can read them.
/// With times there is one more column for each number of threads: "1c time (seconds)".
std::string cilkscale_csv(const Document&);

/// Draws as SVG into `file`: P, min(P, parallelism), the burdened estimate and the measured speed-ups for P =
/// 1 to 128. Throws Error when there is no gnuplot, or when it fails.
void plot_speedups(const Document&, const std::string& file);

}  // namespace tallcache
