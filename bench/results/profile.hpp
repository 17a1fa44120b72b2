// A profile of work and span as the quantities of a record: work, span, burdened span, burden, spawns,
// strands, strands along the span.
#pragma once

#include <string>

#include "bench/results/record.hpp"
#include "common/fork/work_span.hpp"

namespace tallcache {

/// Adds the quantities of a profile. Its costs are in `unit` from `origin`; `detail` describes them.
void put_profile(Record&, const Profile&, const std::string& unit, Origin origin, const std::string& detail);
/// The inverse of put_profile. Throws Error when the record has no profile.
Profile profile_of(const Record&);

/// The same for a record whose condition "profiled" gives the unit, with the burden.
void put_profile(Record&, const Profile&, double burden, const std::string& burden_origin);

}  // namespace tallcache
