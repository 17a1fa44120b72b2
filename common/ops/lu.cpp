#include "common/ops/lu.hpp"

#include "common/operation_record.hpp"

namespace tallcache {
template struct OperationRecord<Lu<float>>;
template struct OperationRecord<Lu<double>>;
template struct OperationRecord<LuPivot<float>>;
template struct OperationRecord<LuPivot<double>>;
}  // namespace tallcache
