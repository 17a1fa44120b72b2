#include "common/ops/sort.hpp"

#include "common/operation_record.hpp"

namespace tallcache {
template struct OperationRecord<Sort>;
}  // namespace tallcache
