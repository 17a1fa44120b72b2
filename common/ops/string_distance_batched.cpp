#include "common/ops/string_distance_batched.hpp"

#include "common/operation_record.hpp"

namespace tallcache {
template struct OperationRecord<LevenshteinBatched>;
template struct OperationRecord<LongestCommonSubsequenceBatched>;
}  // namespace tallcache
