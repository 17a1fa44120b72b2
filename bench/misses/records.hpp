// Misses as records of a results document.
//   work             formula: flops, keys, or elements that are moved: what misses are related to
//   loads, stores    model or event
//   accesses, misses, cold, capacity, conflict at {"level": 1}: model or event, whose name is the detail
//   predicted misses, order of misses at {"level": 1}: theory, whose formula is the detail; an order has its
//                    constant taken for 1
//   misses over "cache", and at {"cache": bytes}: in the ideal cache of these sizes; distinct lines
#pragma once

#include <span>

#include "bench/misses/curve.hpp"
#include "bench/misses/misses.hpp"
#include "bench/report/document.hpp"
#include "common/papi/source.hpp"

namespace tallcache {

/// "misses" of the model of an ideal cache, without a value yet.
Quantity ideal_misses(std::size_t line_bytes);
void put_distinct_lines(Record&, const Curve&);

/// The candidate's misses from `source`, with theory's. One that cannot be counted has its status and the
/// reason. `workspace` is needed for the hardware's counts alone.
Record counted_record(const Problem&, const Candidate&, Source source,
                      std::span<const cache::CacheLevel> levels, Workspace* workspace);

/// Why `candidate` cannot be counted from `source`; pending when it can.
Outcome obstacle(const Problem&, const Candidate&, Source source);

/// What the misses of `problem` are related to, in place of the work that its time is.
void put_work(Record&, const Problem&);

/// Adds a record or, where one of the same run is there, the quantities of it.
void merge(Document&, Record);

}  // namespace tallcache
