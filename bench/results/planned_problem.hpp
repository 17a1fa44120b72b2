// The problem of a part of a plan.
#pragma once

#include <string>
#include <vector>

#include "bench/results/document.hpp"
#include "bench/results/json_fields.hpp"

namespace tallcache {

struct PlannedProblem {
  std::string operation, element;
  Json shape;
  std::string size;  ///< the shape in words: "m=8,n=8,k=8"
  std::string input;

  /// "matmul double m=8,n=8,k=8"
  std::string title() const { return operation + " " + element + " " + size; }
};

/// `problem`, with the kind of input that it has by default.
inline PlannedProblem planned_problem(const Problem& problem) {
  const Operation& operation = *problem.operation;
  return {std::string(operation.name), std::string(operation.element), to_json(problem.shape),
          to_string(operation, problem.shape),
          std::string(problem.input.empty() ? operation.inputs.front() : problem.input)};
}

/// The records of that problem, in the order of the document.
inline std::vector<const Record*> records_of(const Document& document, const PlannedProblem& planned) {
  std::vector<const Record*> list;
  for (const Record& record : document.measurements)
    if (record.operation == planned.operation && record.element == planned.element &&
        record.shape == planned.shape && record.input == planned.input)
      list.push_back(&record);
  return list;
}

}  // namespace tallcache
