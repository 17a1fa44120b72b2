// How fast rows are copied: a table that no text prints.
#include <fmt/format.h>

#include "bench/tables/list.hpp"
#include "common/catalogue.hpp"

namespace tallcache::slide_tables::copy_rate {
namespace {

const Operation& copy() { return find_operation("copy", "float"); }

Index size(Scale scale) { return scale == Scale::smoke ? 64 : 4096; }

std::vector<Row> rows(Scale scale, std::uint64_t seed) {
  const Shape shape = complete_shape(copy(), {{"m", size(scale)}});
  Timed timed{.problem = {&copy(), shape, "", seed}, .candidates = {}, .protocol = {}};
  timed.candidates.push_back({.variant = &find_variant(copy(), "rows", "cpu")});
  timed.protocol.seconds = scale == Scale::smoke ? 0.01 : 1;
  return {{fmt::format("m = {}", size(scale)), timed}};
}

Report report(const Inputs& inputs) {
  Report report;
  Grid& grid = report.grids.emplace_back();
  grid.columns = {{"rows"}, {"GB/s"}};
  const Index m = size(inputs.scale);
  const Record* record = find_run(inputs.document, {&copy(), {{"m", m}}, "rows"});
  grid.rows.push_back({std::to_string(m), record ? figure(record->rate()) : "-"});
  return report;
}

}  // namespace

const Table table{
    .id = "copy-rate", .title = "how fast rows are copied", .rows = rows, .report = report, .printed = false};

}  // namespace tallcache::slide_tables::copy_rate
