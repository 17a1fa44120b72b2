#include "common/ops/matmul_bt.hpp"

#include "common/operation_record.hpp"

namespace tallcache {
template struct OperationRecord<MatmulBt<float>>;
template struct OperationRecord<MatmulBt<double>>;
template struct OperationRecord<MatmulBt<std::int32_t>>;
}  // namespace tallcache
