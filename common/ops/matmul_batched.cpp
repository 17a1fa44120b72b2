#include "common/ops/matmul_batched.hpp"

#include "common/operation_record.hpp"

namespace tallcache {
template struct OperationRecord<MatmulBatched<float>>;
template struct OperationRecord<MatmulBatched<double>>;
}  // namespace tallcache
