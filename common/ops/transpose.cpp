#include "common/ops/transpose.hpp"

#include "common/operation_record.hpp"

namespace tallcache {
template struct OperationRecord<Transpose<float>>;
template struct OperationRecord<Transpose<double>>;
template struct OperationRecord<Transpose<std::int32_t>>;
template struct OperationRecord<TransposeInPlace<float>>;
template struct OperationRecord<TransposeInPlace<double>>;
template struct OperationRecord<TransposeInPlace<std::int32_t>>;
}  // namespace tallcache
