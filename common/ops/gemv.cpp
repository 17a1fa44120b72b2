#include "common/ops/gemv.hpp"

#include "common/operation_record.hpp"

namespace tallcache {
template struct OperationRecord<Gemv<float>>;
template struct OperationRecord<Gemv<double>>;
template struct OperationRecord<Gemv<std::int32_t>>;
}  // namespace tallcache
