#include "common/ops/matmul_tf32.hpp"

#include "common/operation_record.hpp"

namespace tallcache {
template struct OperationRecord<MatmulTf32>;
}  // namespace tallcache
