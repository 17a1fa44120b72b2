#include "bench/show/device_memory.hpp"

#include <algorithm>
#include <cmath>

#include "bench/show/format.hpp"

namespace tallcache {
namespace {

double dram_bytes(const Record& record) {
  return record.value("DRAM bytes read") + record.value("DRAM bytes written");
}

}  // namespace

bool has_memory_counts(std::span<const Record* const> records) {
  return std::ranges::any_of(records, [](const Record* r) { return r && !std::isnan(dram_bytes(*r)); });
}

void add_memory_columns(Grid& grid) {
  grid.columns.push_back({"device memory moved, over the least"});
  grid.columns.push_back({"L2 hits"});
}

void add_memory_cells(std::vector<std::string>& row, const Record* record) {
  row.push_back(record ? times(dram_bytes(*record) / record->value("traffic")) : "");
  row.push_back(record ? percent(record->value("L2 hit rate") / 100) : "");
}

}  // namespace tallcache
