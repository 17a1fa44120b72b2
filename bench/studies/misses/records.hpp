// Misses as records of a results document.
//
//   work             formula: flops, keys, or elements that are moved: the unit of miss rates
//   loads, stores    model or event
//   accesses, misses, cold, capacity, conflict at {"level": 1}: model or event, whose name is the detail
//   predicted misses, order of misses at {"level": 1}: theory, whose formula is the detail; an order has a
//                    constant of 1
//   misses over "cache", and at {"cache": bytes}: in the ideal cache of these sizes; distinct lines
#pragma once

#include <span>

#include "bench/measure/misses.hpp"
#include "bench/results/document.hpp"
#include "bench/studies/misses/curve.hpp"
#include "common/papi/source.hpp"

namespace tallcache {

/// The quantity "misses" of the model of an ideal cache, without a value yet.
Quantity ideal_misses(std::size_t line_bytes);
void put_distinct_lines(Record&, const Curve&);

/// The candidate's misses from `source`, with the theory's. A candidate that cannot be counted has its status
/// and the reason. `workspace` is needed only for hardware counts.
Record counted_record(const Problem&, const Candidate&, Source source,
                      std::span<const cache::CacheLevel> levels, Workspace* workspace);

/// The reason why `candidate` cannot be counted from `source`; pending when it can.
Outcome obstacle(const Problem&, const Candidate&, Source source);

/// Stores the work to which the misses of `problem` are related, in place of the work of its time.
void put_work(Record&, const Problem&);

/// Adds a record, or its quantities where a record of the same run exists.
void merge(Document&, Record);

}  // namespace tallcache
