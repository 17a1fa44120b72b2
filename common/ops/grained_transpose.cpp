#include "common/ops/grained_transpose.hpp"

#include "common/operation_record.hpp"

namespace tallcache {
template struct OperationRecord<FineGrained<float>>;
template struct OperationRecord<FineGrained<double>>;
template struct OperationRecord<FineGrained<std::int32_t>>;
template struct OperationRecord<CoarseGrained<float>>;
template struct OperationRecord<CoarseGrained<double>>;
template struct OperationRecord<CoarseGrained<std::int32_t>>;
}  // namespace tallcache
