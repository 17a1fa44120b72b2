#include "common/ops/increment.hpp"

#include "common/operation_record.hpp"

namespace tallcache {
template struct OperationRecord<Increment<float>>;
template struct OperationRecord<Increment<double>>;
template struct OperationRecord<Increment<std::int32_t>>;
}  // namespace tallcache
