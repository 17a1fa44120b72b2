#include "common/ops/copy.hpp"

#include "common/operation_record.hpp"

namespace tallcache {
template struct OperationRecord<Copy<float>>;
template struct OperationRecord<Copy<double>>;
template struct OperationRecord<Copy<std::int32_t>>;
}  // namespace tallcache
