#include "common/ops/string_distance.hpp"

#include "common/operation_record.hpp"

namespace tallcache {
template struct OperationRecord<LevenshteinDistance>;
template struct OperationRecord<LongestCommonSubsequence>;
}  // namespace tallcache
