#include "common/ops/transitive_closure.hpp"

#include "common/operation_record.hpp"

namespace tallcache {
template struct OperationRecord<TransitiveClosure>;
}  // namespace tallcache
