#include "common/ops/shortest_paths.hpp"

#include "common/operation_record.hpp"

namespace tallcache {
template struct OperationRecord<ShortestPaths<float>>;
template struct OperationRecord<ShortestPaths<std::int32_t>>;
template struct OperationRecord<ShortestPathTrees<float>>;
template struct OperationRecord<ShortestPathTrees<std::int32_t>>;
}  // namespace tallcache
