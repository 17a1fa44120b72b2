#include "common/ops/cholesky.hpp"

#include "common/operation_record.hpp"

namespace tallcache {
template struct OperationRecord<Cholesky<float>>;
template struct OperationRecord<Cholesky<double>>;
}  // namespace tallcache
