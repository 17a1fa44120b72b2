// A record in words: its figures' state, its name and its sizes.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "bench/results/record.hpp"

namespace tallcache {

/// The seconds of a run of a record whose result is right. NaN otherwise, and without a record.
double measured_seconds(const Record*);

/// The reason why there is no time: the record's reason, or "not measured".
std::string reason_of(const Record*);

/// "m = 8, n = 8". A pad of 0 is left out.
std::string sizes_text(const Json& shape, std::string_view equals = " = ", std::string_view between = ", ");

/// " base=4,stream=1", the parameters; empty where there are none.
std::string params_text(const Record&);

/// "three_truncated (truncated_sums)": a variant with its error class, where that is not the standard one.
std::string with_class(std::string_view variant, ErrorClass);

/// "tiled"; with_class() where it has another than the standard one; "tiled, graph" when it was started as a
/// graph.
std::string variant_name(const Record&);

/// "gpu tiled", "gpu tiled, graph", "cpu recursive, 2 threads"
std::string name_of(const Record&);

/// "GPU" of "gpu"; other names as they are.
std::string backend_title(std::string_view backend);

/// The unit of these records' speeds; "rate" when none of them was timed.
std::string rate_title(std::span<const Record* const>);

/// "matmul double cpu recursive, 2 threads, m = 8, n = 8, k = 8, base = 4"
std::string run_name(const Record&);

}  // namespace tallcache
