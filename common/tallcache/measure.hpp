// Measuring a function of one's own beside the catalogue's variants: results verified before and after, runs
// interleaved, medians with their spread. A function is a class with `call` or `run`, as every variant is
// (detail/common/variant.hpp), and variant_records() makes its record.
//
//   const auto executor = make_executor("cpu");
//   Workspace workspace({.operation = &operation_of<Matmul<double>>, .shape = shape}, *executor);
//   for (const Measurement& m : measure(workspace, candidates, {.seconds = 1})) print(m);
#pragma once

#include "common/measure/harness.hpp"
#include "common/variant_text.hpp"
