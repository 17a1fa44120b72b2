// Files of tuning records: what a device's launches are planned by (gpu/tuning/tuning.hpp), as JSON.
//
//   {"schema": "tallcache-tuning/1", "records": [{"of": "NVIDIA H200", "fields": {"lu_wide_block": 128}}]}
#pragma once

#include <string>
#include <vector>

#include "bench/results/json.hpp"
#include "gpu/tuning/records.hpp"

namespace tallcache {

Json to_json(const std::vector<gpu::TunedRecord>&);

/// Throws Error, one line that names the file and what is wrong, where it cannot be read, is no such file, or
/// gives a field a value that it cannot have.
std::vector<gpu::TunedRecord> read_tuning(const std::string& path);

/// Puts `record` into the file, in place of the one of its device; other devices' stay. Throws Error when the
/// file cannot be written, or is there and no such file.
void write_tuning(const std::string& path, const gpu::TunedRecord& record);

/// Uses the file that the environment variable TALLCACHE_TUNING names, if any. Throws Error as read_tuning()
/// does.
void use_tuning_of_environment();

}  // namespace tallcache
