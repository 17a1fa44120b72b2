// Records of one problem that have a time and nothing else of their own, stored as one object: what they
// share stands there once, and each variant has a time (`timed_problem` in results/schema.json). Drawn
// problems are stored so, as there are many.
#pragma once

#include <span>
#include <vector>

#include "bench/results/record.hpp"

namespace tallcache {

/// How many of the first records one object can hold without a loss: of one problem in one row, timed, with
/// their work and traffic. 0 where the first is of another kind.
std::size_t timed_problem_size(std::span<const Record>);

/// The object. Needs timed_problem_size() of them all.
Json timed_problem_json(std::span<const Record>);

/// Whether this is such an object, not a record.
bool is_timed_problem(const Json&);

/// The records that it holds. Throws Error, which names what is missing or wrong.
std::vector<Record> timed_problem_from_json(const Json&);

}  // namespace tallcache
