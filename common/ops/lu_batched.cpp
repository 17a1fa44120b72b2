#include "common/ops/lu_batched.hpp"

#include "common/operation_record.hpp"

namespace tallcache {
template struct OperationRecord<LuBatched<float>>;
template struct OperationRecord<LuBatched<double>>;
}  // namespace tallcache
