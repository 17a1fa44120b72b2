#include "common/ops/matmul.hpp"

#include "common/operation_record.hpp"

namespace tallcache {
template struct OperationRecord<Matmul<float>>;
template struct OperationRecord<Matmul<double>>;
template struct OperationRecord<Matmul<std::int32_t>>;
}  // namespace tallcache
