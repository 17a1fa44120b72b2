#include "bench/tables/work_span_sides.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "bench/results/profile.hpp"
#include "bench/suites/suite.hpp"
#include "common/cache/requests.hpp"
#include "common/catalogue.hpp"
#include "gpu/kernel_text.hpp"

namespace tallcache {
namespace {

constexpr std::array<std::string_view, 2> backends{"cpu", "gpu"};

/// An algorithm of the slide. `text` is its variant on the GPU that the model counts, of `text_operation`;
/// empty where none is modelled. The timed variants are those that the operation's suite compares with
/// libraries, but for an algorithm that is not the fastest way to its result, `named`.
struct Algorithm {
  std::string_view row, text_operation, text_element, text, text_shape;
  std::string_view operation, element, shape, smoke, named{};
};

constexpr std::array algorithms{
    Algorithm{"merge sort", "sort", "uint32", "merge_sort", "n=16384", "sort", "uint32", "n=1000000",
              "n=1000"},
    Algorithm{"matrix multiplication", "matmul", "double", "shared_memory_tiled", "m=128", "matmul", "double",
              "m=1024", "m=64"},
    Algorithm{"Strassen", "matmul", "float", "strassen", "m=256", "matmul", "float", "m=1024", "m=64",
              "strassen"},
    Algorithm{"LU decomposition", "lu", "double", "right_looking", "n=64", "lu_pivot", "double",
              "m=1024,n=1024", "m=64,n=64"},
    Algorithm{"tableau construction", "edit_distance", "int32", "diagonals_of_tiles", "m=256", "levenshtein",
              "int32", "m=20000", "m=65"},
    Algorithm{"FFT", "fft", "complex_double", "butterfly_a_thread", "n=16384", "fft", "complex_double",
              "n=65536", "n=64"},
    Algorithm{"breadth-first search", "bfs", "int32", "", "", "bfs", "int32", "vertices=65536,edges=2097152",
              "vertices=65,edges=1000"},
};

std::string label_of(const Algorithm& algorithm) {
  return fmt::format("{}, gpu {}", algorithm.row, algorithm.text);
}

// The text's run by the model. Its result is checked.
std::vector<Record> count(const Algorithm& algorithm, std::uint64_t seed) {
  const Operation& operation = find_operation(algorithm.text_operation, algorithm.text_element);
  const Shape shape = complete_shape(operation, parse_shape(operation, algorithm.text_shape));
  warp::HostDevice device(cache::warp_machine("h200"));
  const gpu::TextProblem problem(gpu::find_kernel_text(operation, algorithm.text), shape, {}, {}, seed);
  problem.run(device);
  if (const Check check = problem.check(); !check)
    throw Error(fmt::format("wrong result: {}", check.message()), Status::wrong);
  Record record = measured_record(std::string(operation.name), std::string(algorithm.text),
                                  std::string(operation.element), to_json(shape));
  record.backend = "gpu";
  record.input = operation.inputs.front();
  const warp::WorkSpan counted = device.work_span();
  put_profile(record, {.work = static_cast<double>(counted.work), .span = static_cast<double>(counted.span)},
              "1", Origin::model, "one an access of an element; the longest lanes between barriers");
  return {record};
}

// The suite's own variant on that backend, and the libraries that it is compared with.
std::vector<Candidate> candidates_of(const Algorithm& algorithm, const Operation& operation,
                                     std::string_view backend) {
  const std::array names{std::string(operation.name)};
  const Suite& suite = *find_suites(names, has_peers, "operation with peers").front();
  std::vector<Candidate> candidates;
  for (const PeerComparison& comparison : on_backend(suite.peers, backend)) {
    const bool is_built = std::ranges::any_of(variants_of(operation), [&](const Variant* variant) {
      return variant->backend == backend && variant->name == comparison.variant;
    });
    if (comparison.element != operation.element || !is_built) continue;
    for (const Variant* variant : compared_variants(operation, comparison))
      if (variant->peer || (algorithm.named.empty() && variant->name == comparison.variant))
        candidates.push_back({.variant = variant});
    break;
  }
  for (const Variant* variant : variants_of(operation))
    if (variant->name == algorithm.named && variant->backend == backend)
      candidates.push_back({.variant = variant});
  return candidates;
}

Shape timed_shape(const Algorithm& algorithm, const Operation& operation, Scale scale) {
  return complete_shape(operation,
                        parse_shape(operation, scale == Scale::smoke ? algorithm.smoke : algorithm.shape));
}

// The records of a case: the fastest of the suite's own, and the fastest library.
struct Fastest {
  const Record *own = nullptr, *library = nullptr;
};
Fastest fastest_of(const Inputs& inputs, const Algorithm& algorithm, std::string_view backend) {
  const Operation& operation = find_operation(algorithm.operation, algorithm.element);
  const Json shape = to_json(timed_shape(algorithm, operation, inputs.scale));
  Fastest fastest;
  for (const Record& record : inputs.document.measurements) {
    if (record.operation != operation.name || record.element != operation.element ||
        record.backend != backend || record.threads != 1 || !record.row.empty() || record.shape != shape ||
        !record.conditions.empty() || !record.outcome.measured())
      continue;
    if (!record.peer && !algorithm.named.empty() && record.variant != algorithm.named) continue;
    const Record*& best = record.peer ? fastest.library : fastest.own;
    if (!best || record.seconds() < best->seconds()) best = &record;
  }
  return fastest;
}

// The algorithm, once for its two lines, and the side.
std::vector<std::string> header_of(const Algorithm& algorithm, std::string_view backend) {
  const bool is_first = backend == backends.front();
  return {is_first ? std::string(algorithm.row) : "", is_first ? "CPU" : "GPU"};
}

std::vector<std::string> counted_cells(const Algorithm& algorithm, std::string_view backend,
                                       const SideCounts* counts) {
  std::vector<std::string> cells = header_of(algorithm, backend);
  if (counts)
    cells.insert(cells.end(),
                 {counts->text, fmt::format("{:.0f}", counts->n), fmt::format("{:.0f}", counts->work),
                  fmt::format("{:.0f}", counts->span), figure(counts->work / counts->span)});
  else
    cells.insert(cells.end(), {"not modelled", "-", "-", "-", "-"});
  return cells;
}

std::vector<std::string> timed_cells(const Inputs& inputs, const Algorithm& algorithm,
                                     std::string_view backend) {
  const auto [own, library] = fastest_of(inputs, algorithm, backend);
  std::vector<std::string> cells = header_of(algorithm, backend);
  cells.insert(cells.end(), {own ? own->variant : "not measured", own ? figure(own->seconds() * 1e3) : "-",
                             library ? library->variant
                             : own   ? "no library"
                                     : "-",
                             own && library ? times(library->seconds() / own->seconds()) : "-"});
  return cells;
}

}  // namespace

std::vector<Row> work_span_side_rows(Scale scale, std::uint64_t seed) {
  std::vector<Row> rows;
  for (const Algorithm& algorithm : algorithms) {
    if (!algorithm.text.empty())
      rows.push_back({label_of(algorithm), [&algorithm, seed] { return count(algorithm, seed); }});
    const Operation& operation = find_operation(algorithm.operation, algorithm.element);
    for (const std::string_view backend : backends)
      if (std::vector<Candidate> candidates = candidates_of(algorithm, operation, backend);
          !candidates.empty())
        rows.push_back({fmt::format("{}, {}", algorithm.row, backend),
                        Timed{.problem = {.operation = &operation,
                                          .shape = timed_shape(algorithm, operation, scale),
                                          .input = {},
                                          .seed = seed},
                              .candidates = std::move(candidates),
                              .protocol = {.min_rounds = 3, .max_rounds = 9, .seconds = 0.1}}});
  }
  return rows;
}

std::vector<Grid> work_span_sides(const Inputs& inputs, std::string_view table,
                                  const std::vector<SideCounts>& cpu) {
  Grid counted{
      .caption = "Both sides: a text's work and span",
      .columns = {
          {"algorithm", true}, {"side", true}, {"text", true}, {"n"}, {"work"}, {"span"}, {"parallelism"}}};
  Grid timed{.caption = "Both sides: the fastest variant and the fastest library, one core of the CPU",
             .columns = {{"algorithm", true},
                         {"side", true},
                         {"fastest", true},
                         {"ms"},
                         {"library", true},
                         {"speed over it"}}};
  for (const Algorithm& algorithm : algorithms) {
    const auto of_cpu = std::ranges::find(cpu, algorithm.row, &SideCounts::row);
    counted.rows.push_back(counted_cells(algorithm, "cpu", of_cpu == cpu.end() ? nullptr : &*of_cpu));
    SideCounts of_gpu{
        .row = algorithm.row, .text = std::string(algorithm.text), .n = 0, .work = 0, .span = 0};
    const auto records = records_of(inputs.document, table, label_of(algorithm));
    for (const Record* record : records) {
      of_gpu.n = record->shape.front().get<double>();
      of_gpu.work = record->value("work");
      of_gpu.span = record->value("span");
    }
    counted.rows.push_back(counted_cells(algorithm, "gpu", records.empty() ? nullptr : &of_gpu));
    for (const std::string_view backend : backends)
      timed.rows.push_back(timed_cells(inputs, algorithm, backend));
  }
  return {std::move(counted), std::move(timed)};
}

}  // namespace tallcache
