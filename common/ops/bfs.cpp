#include "common/ops/bfs.hpp"

#include "common/operation_record.hpp"

namespace tallcache {
template struct OperationRecord<Bfs>;
}  // namespace tallcache
